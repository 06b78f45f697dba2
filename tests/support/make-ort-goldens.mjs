#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes golden/<net>: the outputs that ONNX Runtime computes for the models of
// make-nets.py, with provenance. The models themselves are made again at test
// time. Neither running nor testing lh-run needs it.
//
//   npm install --prefix DIR --ignore-scripts onnxruntime-node
//   tests/support/make-nets.py squeezenet MODELS/squeezenet
//   tests/support/make-nets.py resnet50 MODELS/resnet50
//   NODE_PATH=DIR/node_modules \
//     tests/support/make-ort-goldens.mjs MODELS golden squeezenet resnet50
import {createHash} from 'node:crypto';
import {
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync
} from 'node:fs';
import {createRequire} from 'node:module';
import {join} from 'node:path';

const require = createRequire(import.meta.url);
const ort = require('onnxruntime-node');
const ortVersion = require('onnxruntime-node/package.json').version;

/** numpy's names of element types: ONNX Runtime's, and the array's class. */
const TYPES = {
  '<f4': ['float32', Float32Array],
  '<i8': ['int64', BigInt64Array],
  '|u1': ['uint8', Uint8Array]
};

/** What the values of quantised nets are, in words. */
const QUANTISATION = {
  'bert-layer-int8': 'dynamic: uint8 activations, int8 weights by column',
  'resnet50-qdq': 'QDQ: uint8 activations, int8 weights by output channel',
  'resnet-block-qdq': 'QDQ: uint8 activations, int8 weights by output channel',
  'resnet-block-qoperator':
      'QOperator: uint8 activations, int8 weights by output channel'
};

/** Reads a .npy of version 1, as numpy.save writes, of one of TYPES. */
function readNpy(path) {
  const bytes = readFileSync(path);
  const headerEnd = 10 + bytes.readUInt16LE(8);
  const header = bytes.toString('latin1', 10, headerEnd);
  const type = TYPES[/'descr': '([^']*)'/.exec(header)[1]];
  if (!type || !header.includes("'fortran_order': False"))
    throw new Error(`${path}: ${Object.keys(TYPES)} in C order are read`);
  const shape = /\(([^)]*)\)/.exec(header)[1].split(',')
                    .map(word => word.trim()).filter(word => word).map(Number);
  const data = new Uint8Array(bytes.subarray(headerEnd)).buffer;
  return new ort.Tensor(type[0], new type[1](data), shape);
}

function writeNpy(path, tensor) {
  const descr =
      Object.keys(TYPES).find(name => TYPES[name][0] === tensor.type);
  if (!descr)
    throw new Error(`${path}: cannot write ${tensor.type}`);
  let header = `{'descr': '${descr}', 'fortran_order': False, 'shape': (` +
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

/** The inputs by name, and their hashes by file. */
function readInputs(folder) {
  const feeds = {}, hashes = {};
  for (const file of readdirSync(join(folder, 'inputs')).sort()) {
    const path = join(folder, 'inputs', file);
    feeds[file.slice(file.indexOf('-') + 1, -'.npy'.length)] = readNpy(path);
    hashes[`inputs/${file}`] = sha256(path);
  }
  return {feeds, hashes};
}

async function makeGolden(models, goldens, net) {
  const model = join(models, net, 'model.onnx');
  const folder = join(goldens, net);
  // One thread and no fusions: the same sums in the same order every time.
  const session = await ort.InferenceSession.create(model, {
    graphOptimizationLevel: 'disabled',
    intraOpNumThreads: 1,
    interOpNumThreads: 1
  });
  const {feeds, hashes} = readInputs(join(models, net));
  const results = await session.run(feeds);
  rmSync(join(folder, 'outputs'), {recursive: true, force: true});
  mkdirSync(join(folder, 'outputs'), {recursive: true});
  const dtypes = {};
  session.outputNames.forEach((name, position) => {
    const file = `outputs/${position}-${name}.npy`, tensor = results[name];
    writeNpy(join(folder, file), tensor);
    dtypes[name] = tensor.type;
    hashes[file] = sha256(join(folder, file));
    const values = Array.from(tensor.data, Number);
    const least = values.reduce((a, b) => b < a ? b : a);
    const most = values.reduce((a, b) => b > a ? b : a);
    console.log(`${folder}/${file}: ${tensor.dims.join('x')}, from ` +
                `${least} to ${most}`);
    if (!(least < most)) // else any constant output would pass
      throw new Error(`${name} does not vary`);
  });
  const provenance = {
    producer: 'tests/support/make-ort-goldens.mjs',
    versions: {'onnxruntime-node': ortVersion},
    target: 'any',
    dtypes,
    quantisation: QUANTISATION[net], // left out where undefined
    model: `tests/support/make-nets.py ${net} FOLDER`,
    model_sha256: sha256(model),
    files: hashes
  };
  writeFileSync(join(folder, 'provenance.json'),
                JSON.stringify(provenance, null, 2) + '\n');
}

const [models, goldens, ...nets] = process.argv.slice(2);
if (nets.length === 0) {
  console.error('usage: make-ort-goldens.mjs MODELS GOLDENS NET...');
  process.exit(2);
}
for (const net of nets)
  await makeGolden(models, goldens, net);
