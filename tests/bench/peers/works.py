# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What peers.py measures: payloads, inputs, and what must come out, in f64."""
import collections
import functools
import pathlib
import subprocess
import sys

import numpy
import onnx
import onnx.shape_inference

import models

# A tensor as the workers get it: `values` are its numbers, `stored` its bytes.
Tensor = collections.namedtuple("Tensor", "name type values stored")
# One way for lh-run to do the work; without a manifest and pipeline, by those
# of the command line.
Payload = collections.namedtuple("Payload", "label path manifest pipeline",
                                 defaults=[None, None])
# `peak` is the probe's name; `done` is operations for fma and vnni, bytes for
# copy. `limit` is the error allowed, as a share of the largest value.
Work = collections.namedtuple(
    "Work", "name kind payloads inputs outputs done peak limit options",
    defaults=[{}])
# A work by name, made only when it is wanted: `make(folder)` -> Work.
Recipe = collections.namedtuple("Recipe", "name threads make")

STORED = {"f32": numpy.float32, "i8": numpy.int8, "u8": numpy.uint8,
          "i32": numpy.int32, "i64": numpy.int64}


def tensor(name, kind, values):
    """The numbers rounded to the type, and their bytes."""
    if kind == "bf16":
        bits = numpy.asarray(values, numpy.float32).view(numpy.uint32)
        bits = (bits + numpy.uint32(0x8000)) >> numpy.uint32(16)
        values = (bits << numpy.uint32(16)).view(numpy.float32)
        return Tensor(name, kind, values, bits.astype(numpy.uint16))
    stored = numpy.ascontiguousarray(values, STORED[kind])
    return Tensor(name, kind, stored, stored)


def wide(operand):
    return operand.values.astype(numpy.float64)


def numbers(*shape, seed=0):
    return numpy.random.default_rng(seed).standard_normal(shape)


def shape_of(operand):
    return "x".join(map(str, operand.values.shape))


def shape_word(operand):
    """A scalar's shape has a word, too."""
    return shape_of(operand) or "1"


def argument(operand, path=None):
    """An argument of @main; with a path, a weight whose bytes are that file."""
    attributes = f'lh.name = "{operand.name}"'
    if path:
        attributes += (f', lh.weight = "{operand.name}", lh.data = ["{path}", '
                       f"0, {operand.stored.nbytes}]")
    return (f"%{operand.name}: tensor<{shape_of(operand)}x{operand.type}> "
            f"{{{attributes}}}")


def save_weight(folder, operand):
    path = folder / f"weight-{operand.name}.bin"
    path.write_bytes(operand.stored.tobytes())
    return path


def write(folder, name, text):
    path = folder / f"{name}.mlir"
    path.write_text(text, encoding="utf-8")
    return path


# Products of two matrices.

ZEROS = {"f32": "0.0", "i32": "0"}


def matmul_text(a, b, c, weight=None):
    def kind(operand):
        return f"tensor<{shape_of(operand)}x{operand.type}>"
    return f"""
func.func @main({argument(a)}, {argument(b, weight)}) -> {kind(c)} {{
  %zero = arith.constant {ZEROS[c.type]} : {c.type}
  %empty = tensor.empty() : {kind(c)}
  %init = linalg.fill ins(%zero : {c.type}) outs(%empty : {kind(c)})
      -> {kind(c)}
  %c = linalg.matmul ins(%a, %b : {kind(a)}, {kind(b)})
      outs(%init : {kind(c)}) -> {kind(c)}
  return %c : {kind(c)}
}}
"""


def operand_numbers(kind, *shape, seed):
    if kind == "i8":
        return numpy.random.default_rng(seed).integers(-127, 128, shape)
    return numbers(*shape, seed=seed)


def matmul(name, m, n, k, kind="f32", packings=("plain", "prepacked")):
    """C[m][n] = A[m][k] B[k][n]; prepacked: B is a weight."""
    def make(folder):
        a = tensor("a", kind, operand_numbers(kind, m, k, seed=1))
        b = tensor("b", kind, operand_numbers(kind, k, n, seed=2))
        exact = kind == "i8"
        # numpy multiplies floats by a BLAS; int8 products are exact in f64.
        c = Tensor("c", "i32" if exact else "f32", wide(a) @ wide(b), None)
        texts = {"plain": lambda: matmul_text(a, b, c),
                 "prepacked": lambda: matmul_text(a, b, c,
                                                  save_weight(folder, b))}
        payloads = [
            Payload("lh-run" + ("" if packing == "plain" else "-" + packing),
                    write(folder, packing, texts[packing]()))
            for packing in packings]
        return Work(name, "matmul", payloads, [a, b], [c], 2 * m * n * k,
                    "vnni" if exact else "fma", 0 if exact else 1e-5)
    return make


def matmuls():
    for size in (256, 512, 1024, 2048, 1000):
        yield Recipe(f"matmul-{size}", (1, 2), matmul(
            f"matmul-{size}", size, size, size))
    for m, n, k in ((127, 513, 259), (17, 31, 9)):
        name = f"matmul-{m}x{n}x{k}"
        yield Recipe(name, (1,), matmul(name, m, n, k))
    for m, n, k in ((128, 768, 768), (128, 3072, 768), (128, 768, 3072),
                    (1, 768, 768), (1, 3072, 768), (1, 768, 3072)):
        name = f"matmul-{m}x{n}x{k}"
        yield Recipe(name, (1, 2), matmul(name, m, n, k))
    for kind in ("bf16", "i8"):
        name = f"matmul-{kind}-1024"
        yield Recipe(name, (1, 2), matmul(name, 1024, 1024, 1024, kind))


def shape_recipe(word):
    """MxNxK[:TYPE], as --shape takes it."""
    sizes, _, kind = word.partition(":")
    m, n, k = map(int, sizes.split("x"))
    kind = kind or "f32"
    if kind not in ("f32", "bf16", "i8"):
        raise ValueError(kind)
    name = f"matmul-{word}"
    return Recipe(name, (1, 2), matmul(name, m, n, k, kind))


# Models: lh-run imports them, ONNX Runtime loads them.

def model(name, kind, build, peak="fma"):
    """A model's inputs come first; after them its weights, for libraries that
    have no models: `fed` says how many are inputs."""
    def make(folder):
        graph = build()
        path = graph.save(folder / f"{name}.onnx")
        kinds = {value: key for key, value in STORED.items()}
        operands = [tensor(key, kinds[numbers.dtype.type], numbers)
                    for key, numbers in [*graph.fed.items(), *graph.stores]]
        outputs = [Tensor(key, "f32", numbers, None)
                   for key, numbers in graph.given.items()]
        done = graph.flops if peak == "fma" else sum(
            4 * numbers.size for numbers in [*graph.fed.values(),
                                             *graph.given.values()])
        return Work(name, kind, [Payload("lh-run", path)], operands, outputs,
                    done, peak, 1e-5,
                    {"model": path, "fed": len(graph.fed)})
    return make


LARGE = {"softmax": models.Graph.softmax, "layernorm": models.Graph.layer_norm,
         "gelu": models.Graph.gelu_erf, "chain": models.chain}


def models_and_parts():
    for name, build in (("mlp", models.mlp), ("bert-layer", models.bert_layer),
                        ("gpt2-step", models.gpt2_step),
                        ("decoder-step", models.decoder_step)):
        kind = "mlp" if name == "mlp" else "model"
        yield Recipe(name, (1, 2), model(name, kind, build))
    for name, layer in LARGE.items():
        build = functools.partial(models.large, layer)
        yield Recipe(f"{name}-64m", (1, 2), model(f"{name}-64m", name, build,
                                                  "copy"))


# Single convolutions: window, channels, filters, pixels along a side.

SUPPORT = pathlib.Path(__file__).parents[2] / "support"
WINOGRAD = (SUPPORT.parents[1] / "manifests" / "convnet-to-cpu.yaml",
            "winograd")
CONVOLUTIONS = ((3, 64, 64, 56), (3, 128, 128, 28), (3, 256, 256, 14),
                (3, 512, 512, 7), (1, 256, 64, 56), (1, 64, 256, 56),
                (1, 1024, 256, 14))
# Winograd's pixels at least, and what it may be off by.
SMALLEST_WINOGRAD, WINOGRAD_LIMIT = 8, 4e-5


def convolution(name, window, *sizes):
    """Weights are packed beforehand, as in a net."""
    def make(folder):
        build = functools.partial(models.convolution, window, *sizes)
        work = model(name, "convolution", build)(folder)
        path = work.payloads[0].path
        payloads, limit = [Payload("lh-run-prepacked", path)], work.limit
        if window == 3 and sizes[-1] >= SMALLEST_WINOGRAD:
            payloads.append(Payload("lh-run-winograd-prepacked", path,
                                    *WINOGRAD))
            limit = WINOGRAD_LIMIT
        return work._replace(payloads=payloads, limit=limit, options={})
    return make


def convolutions():
    for window, *sizes in CONVOLUTIONS:
        name = f"conv-{window}x{window}-" + "-".join(map(str, sizes))
        yield Recipe(name, (1, 2), convolution(name, window, *sizes))


# Convolutional nets of well-known shape, with random weights.

NETS = ("squeezenet", "mobilenetv2-full", "resnet50", "vgg19", "densenet121",
        "resnet50-qdq", "inception", "shufflenet", "shufflenet-v1-g3",
        "shufflenet-v1-g8", "resnext50", "efficientnet")


def multiply_adds(path):
    """Operations of a net's convolutions and products."""
    inferred = onnx.shape_inference.infer_shapes(onnx.load(path)).graph
    sizes = {value.name: [dim.dim_value
                          for dim in value.type.tensor_type.shape.dim]
             for value in [*inferred.value_info, *inferred.output]}
    weights = {weight.name: list(weight.dims)
               for weight in inferred.initializer}
    sizes.update(weights)
    count = 0
    for node in inferred.node:
        if node.op_type == "Conv":
            count += numpy.prod(sizes[node.output[0]]) * numpy.prod(
                sizes[node.input[1]][1:])
        elif node.op_type in ("Gemm", "MatMul"):
            count += numpy.prod(sizes[node.input[1]])
    return 2 * int(count)


def net(name):
    """What must come out is what the golden files say."""
    def make(folder):
        subprocess.run([sys.executable, str(SUPPORT / "make-nets.py"), name,
                        str(folder)], check=True, stdout=subprocess.DEVNULL)
        path = folder / "model.onnx"
        graph = onnx.load(path, load_external_data=False).graph
        golden = SUPPORT.parents[1] / "golden" / name / "outputs"
        (given,), (wanted,) = (sorted(where.glob("*.npy"))
                               for where in (folder / "inputs", golden))
        fed = tensor(graph.input[0].name, "f32", numpy.load(given))
        expected = numpy.load(wanted)
        of_bytes = expected.dtype == numpy.uint8
        output = Tensor(graph.output[0].name, "u8" if of_bytes else "f32",
                        expected.astype(numpy.float64), None)
        payloads = [Payload("lh-run", path)]
        if not of_bytes:
            payloads.append(Payload("lh-run-winograd", path, *WINOGRAD))
        # A quantised number may be the next one.
        return Work(name, "model", payloads, [fed], [output],
                    multiply_adds(path), "vnni" if of_bytes else "fma",
                    1.5 / 255 if of_bytes else 1e-4, {"model": path, "fed": 1})
    return make


def nets():
    for name in NETS:
        yield Recipe(name, (1, 2), net(name))


def recipes():
    """All works, in the order of the table."""
    return [*matmuls(), *models_and_parts(), *convolutions(), *nets()]


def save(folder, work):
    """Writes inputs and expected results; the words that name them."""
    folder = pathlib.Path(folder)
    for role, operands in (("in", work.inputs), ("out", work.outputs)):
        for operand in operands:
            path = folder / f"{role}-{operand.name}.bin"
            data = operand.stored if role == "in" else wide(operand)
            data.tofile(path)
            yield (f"{role}={operand.name}:{operand.type}:{shape_word(operand)}:"
                   f"{path}")
