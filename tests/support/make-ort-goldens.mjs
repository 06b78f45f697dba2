#!/usr/bin/env node
// Makes golden/<net>: the logits that ONNX Runtime computes for the models of
// make-nets.py, with provenance. The models themselves are made again at test
// time. Neither running nor testing lh-run needs it.
//
//   npm install --prefix DIR --ignore-scripts onnxruntime-node
//   tests/support/make-nets.py squeezenet MODELS/squeezenet
//   tests/support/make-nets.py resnet50 MODELS/resnet50
//   NODE_PATH=DIR/node_modules \
//     tests/support/make-ort-goldens.mjs MODELS golden squeezenet resnet50
import {createHash} from 'node:crypto';
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join} from 'node:path';

const require = createRequire(import.meta.url);
const ort = require('onnxruntime-node');
const ortVersion = require('onnxruntime-node/package.json').version;

/** Reads a little-endian float32 .npy of version 1, as numpy.save writes. */
function readNpy(path) {
  const bytes = readFileSync(path);
  const headerEnd = 10 + bytes.readUInt16LE(8);
  const header = bytes.toString('latin1', 10, headerEnd);
  if (!header.includes("'<f4'") || !header.includes("'fortran_order': False"))
    throw new Error(`${path}: float32 in C order is needed`);
  const shape = /\(([^)]*)\)/.exec(header)[1].split(',')
                    .map(word => word.trim()).filter(word => word).map(Number);
  const data = new Uint8Array(bytes.subarray(headerEnd)).buffer;
  return new ort.Tensor('float32', new Float32Array(data), shape);
}

function writeNpy(path, tensor) {
  if (tensor.type !== 'float32')
    throw new Error(`${path}: float32 is needed, not ${tensor.type}`);
  let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" +
               tensor.dims.join(', ') + (tensor.dims.length === 1 ? ',' : '') +
               '), }';
  header = header.padEnd(Math.ceil((11 + header.length) / 64) * 64 - 11) + '\n';
  const prefix = Buffer.from('\x93NUMPY\x01\x00\x00\x00', 'latin1');
  prefix.writeUInt16LE(header.length, 8);
  const {buffer, byteOffset, byteLength} = tensor.data;
  writeFileSync(path, Buffer.concat([
    prefix, Buffer.from(header), Buffer.from(buffer, byteOffset, byteLength)
  ]));
}

const sha256 = path =>
    createHash('sha256').update(readFileSync(path)).digest('hex');

async function makeGolden(models, goldens, net) {
  const model = join(models, net, 'model.onnx');
  const folder = join(goldens, net);
  // One thread and no fusions: the same sums in the same order every time.
  const session = await ort.InferenceSession.create(model, {
    graphOptimizationLevel: 'disabled',
    intraOpNumThreads: 1,
    interOpNumThreads: 1
  });
  const x = readNpy(join(models, net, 'inputs/0-x.npy'));
  const {logits} = await session.run({x});
  mkdirSync(join(folder, 'outputs'), {recursive: true});
  writeNpy(join(folder, 'outputs/0-logits.npy'), logits);
  const provenance = {
    producer: 'tests/support/make-ort-goldens.mjs',
    versions: {'onnxruntime-node': ortVersion},
    model: `tests/support/make-nets.py ${net} FOLDER`,
    model_sha256: sha256(model),
    files: {
      'inputs/0-x.npy': sha256(join(models, net, 'inputs/0-x.npy')),
      'outputs/0-logits.npy': sha256(join(folder, 'outputs/0-logits.npy'))
    }
  };
  writeFileSync(join(folder, 'provenance.json'),
                JSON.stringify(provenance, null, 2) + '\n');
  const largest = logits.data.reduce((m, v) => Math.max(m, Math.abs(v)), 0);
  console.log(`${folder}: ${logits.dims.join('x')}, max-norm ${largest}`);
}

const [models, goldens, ...nets] = process.argv.slice(2);
if (nets.length === 0) {
  console.error('usage: make-ort-goldens.mjs MODELS GOLDENS NET...');
  process.exit(2);
}
for (const net of nets)
  await makeGolden(models, goldens, net);
