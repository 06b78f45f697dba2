#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same nets from ONNX and from StableHLO, by turns: an MLP, a convolutional
net, a transformer block and an LSTM, with the same weights, the one as PyTorch
exports them and the other as JAX prints them (channels last, norms and softmax
spelled out, a scan). Both go through lib:cpu/operands and lib:cpu/optimize;
outputs are compared with each other.

Usage: /usr/bin/python3 tests/bench/front_ends.py BUILD_DIR [NET ...] [--keep DIR]
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from onnx import TensorProto, helper, numpy_helper

MANIFEST = """\
lighthouse: 1
name: front-ends
targets: [x86-zen4, x86-amx, x86-avx512-vnni, x86-avx512, x86-avx2, host]
bubbles:
  onnx:     {{ingress: onnx, model: net.onnx}}
  jax:      {{ingress: stablehlo, model: net.mlir}}
  simplify: {{use: lib:common/simplify}}
  operands: {{use: lib:cpu/operands}}
  optimize: {{use: lib:cpu/optimize}}
  run:      {{execute: {{entry: main, repeat: 10}}}}
edges:
  - onnx -> simplify -> operands -> optimize -> run
  - jax -> simplify
pipelines:
  onnx: {{path: [onnx, simplify, operands, optimize, run]}}
  jax:  {{path: [jax, simplify, operands, optimize, run]}}
cases:
  {name}: {{generate: {{model: net.onnx, seed: 1, sets: [drawn], draws: 1}}}}
verify: {{against: [oracle, onnx]}}
"""
random = np.random.default_rng(3)


def weights(*shape, scale=None):
    scale = scale or 1 / np.sqrt(np.prod(shape[:-1]))
    return (random.standard_normal(shape) * scale).astype(np.float32)


def tensor(*shape, element="f32"):
    return "tensor<" + "".join(f"{size}x" for size in shape) + element + ">"


class Onnx:
    """A graph of ONNX, opset 17."""

    def __init__(self):
        self.nodes, self.constants = [], []

    def weight(self, value):
        name = f"w{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def __call__(self, op, *inputs, outputs=1, **attributes):
        names = [f"v{len(self.nodes)}_{i}" for i in range(outputs)]
        inputs = [i if isinstance(i, str) else self.weight(i) for i in inputs]
        self.nodes.append(helper.make_node(op, inputs, names, **attributes))
        return names[0] if outputs == 1 else names

    def save(self, path, result, in_shape, out_shape):
        def info(name, shape):
            return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
        self.nodes[-1].output[list(self.nodes[-1].output).index(result)] = "y"
        graph = helper.make_graph(self.nodes, "net", [info("x", in_shape)],
                                  [info("y", out_shape)], self.constants)
        path.write_bytes(helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", 17)]
        ).SerializeToString())


class Hlo:
    """A program as JAX prints it; values are (name, shape)."""

    def __init__(self, *shape):
        self.lines, self.count, self.input = [], 0, ("%arg0", shape)

    def op(self, text, shape, element="f32"):
        name = f"%{self.count}"
        self.count += 1
        self.lines.append(f"    {name} = stablehlo.{text}")
        return name, tuple(shape), element

    def constant(self, value):
        value = np.asarray(value)
        kind = tensor(*value.shape, element={"float32": "f32", "int32": "i32"}
                      [str(value.dtype)])
        text = (value.item() if value.size == 1 and value.ndim == 0
                else f'"0x{value.tobytes().hex().upper()}"')
        return self.op(f"constant dense<{text}> : {kind}", value.shape)

    def spread(self, value, shape, dims):
        return self.op(f"broadcast_in_dim {value[0]}, dims = {list(dims)} : "
                       f"({tensor(*value[1])}) -> {tensor(*shape)}", shape)

    def unary(self, op, a):
        return self.op(f"{op} {a[0]} : {tensor(*a[1])}", a[1])

    def binary(self, op, a, b):
        """With NumPy's broadcasting, spelled out."""
        shape = np.broadcast_shapes(a[1], b[1])
        a, b = (v if v[1] == shape else self.spread(
            v, shape, range(len(shape) - len(v[1]), len(shape)))
            for v in (a, b))
        return self.op(f"{op} {a[0]}, {b[0]} : {tensor(*shape)}", shape)

    def dot(self, a, b):
        """Over the last dimension of a and the first of b."""
        shape = a[1][:-1] + b[1][1:]
        return self.op(
            f"dot_general {a[0]}, {b[0]}, contracting_dims = "
            f"[{len(a[1]) - 1}] x [0] : ({tensor(*a[1])}, {tensor(*b[1])}) -> "
            f"{tensor(*shape)}", shape)

    def dense(self, x, weight, bias):
        return self.binary("add", self.dot(x, self.constant(weight)),
                           self.constant(bias))

    def relu(self, x):
        return self.binary("maximum", x, self.constant(np.float32(0)))

    def reduce(self, op, x, start, *dims):
        shape = tuple(s for i, s in enumerate(x[1]) if i not in dims)
        first = self.constant(np.float32(start))
        return self.op(
            f"reduce({x[0]} init: {first[0]}) applies stablehlo.{op} across "
            f"dimensions = {list(dims)} : ({tensor(*x[1])}, tensor<f32>) -> "
            f"{tensor(*shape)}", shape)

    def keep(self, x, axis):
        shape = x[1][:axis] + (1,) + x[1][axis:]
        return self.spread(x, shape, [i for i in range(len(shape))
                                      if i != axis])

    def rows(self, op, x, reduced):
        """`op` of x and a value for each of its rows."""
        kept = self.keep(reduced, len(x[1]) - 1)
        wide = self.spread(kept, x[1], range(len(x[1])))
        return self.binary(op, x, wide)

    def transpose(self, x, *dims):
        shape = [x[1][d] for d in dims]
        return self.op(f"transpose {x[0]}, dims = {list(dims)} : "
                       f"({tensor(*x[1])}) -> {tensor(*shape)}", shape)

    def reshape(self, x, *shape):
        return self.op(f"reshape {x[0]} : ({tensor(*x[1])}) -> "
                       f"{tensor(*shape)}", shape)

    def save(self, path, result):
        x = tensor(*self.input[1])
        y = tensor(*result[1])
        path.write_text(
            f"module @jit_net {{\n  func.func public @main(%arg0: {x} loc(\"x\")"
            f") -> ({y} {{jax.result_info = \"y\"}}) {{\n"
            + "\n".join(self.lines)
            + f"\n    return {result[0]} : {y}\n  }}\n}}\n")


def mlp(folder):
    layers = [(weights(784, 512), weights(512)), (weights(512, 512),
              weights(512)), (weights(512, 10), weights(10))]
    onnx, hlo = Onnx(), Hlo(64, 784)
    x, h = "x", hlo.input
    for i, (weight, bias) in enumerate(layers):
        x = onnx("Gemm", x, weight.T.copy(), bias, transB=1)
        h = hlo.dense(h, weight, bias)
        if i < 2:
            x, h = onnx("Relu", x), hlo.relu(h)
    onnx.save(folder / "net.onnx", x, [64, 784], [64, 10])
    hlo.save(folder / "net.mlir", h)


def hlo_conv(hlo, x, weight, bias, stride):
    n, height, width, _ = x[1]
    shape = (n, height // stride, width // stride, weight.shape[3])
    pads = [[1, 1], [1, 1]] if stride == 1 else [[0, 1], [0, 1]]
    w = hlo.constant(weight)
    y = hlo.op(
        f"convolution({x[0]}, {w[0]}) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]"
        f"->[b, 0, 1, f], window = {{stride = [{stride}, {stride}], pad = "
        f"{pads}, lhs_dilate = [1, 1], rhs_dilate = [1, 1]}} "
        f"{{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : "
        f"({tensor(*x[1])}, {tensor(*w[1])}) -> {tensor(*shape)}", shape)
    return hlo.binary("add", y, hlo.constant(bias))


def cnn(folder):
    """The image has its channels last in both: of ONNX's, PyTorch's export of
    a net that permutes it first."""
    onnx, hlo = Onnx(), Hlo(1, 64, 64, 3)
    x, h = onnx("Transpose", "x", perm=[0, 3, 1, 2]), hlo.input
    channels = 3
    for filters, stride in ((32, 2), (64, 1), (64, 1), (128, 2), (128, 1)):
        weight, bias = weights(3, 3, channels, filters), weights(filters)
        pads = [1, 1, 1, 1] if stride == 1 else [0, 0, 1, 1]
        x = onnx("Relu", onnx(
            "Conv", x, weight.transpose(3, 2, 0, 1).copy(), bias,
            kernel_shape=[3, 3], strides=[stride] * 2, pads=pads))
        h = hlo.relu(hlo_conv(hlo, h, weight, bias, stride))
        channels = filters
    weight, bias = weights(128, 10), weights(10)
    x = onnx("Flatten", onnx("GlobalAveragePool", x))
    x = onnx("Gemm", x, weight, bias)
    mean = hlo.binary("divide", hlo.reduce("add", h, 0, 1, 2),
                      hlo.constant(np.float32(256)))
    h = hlo.dense(mean, weight, bias)
    onnx.save(folder / "net.onnx", x, [1, 64, 64, 3], [1, 10])
    hlo.save(folder / "net.mlir", h)


def onnx_norm(onnx, x, scale, bias):
    mean = onnx("ReduceMean", x, axes=[-1], keepdims=1)
    centred = onnx("Sub", x, mean)
    variance = onnx("ReduceMean", onnx("Pow", centred, np.float32(2)),
                    axes=[-1], keepdims=1)
    root = onnx("Sqrt", onnx("Add", variance, np.float32(1e-5)))
    return onnx("Add", onnx("Mul", onnx("Div", centred, root), scale), bias)


def hlo_norm(hlo, x, scale, bias):
    size = hlo.constant(np.float32(x[1][-1]))
    last = len(x[1]) - 1
    mean = hlo.binary("divide", hlo.reduce("add", x, 0, last), size)
    centred = hlo.rows("subtract", x, mean)
    square = hlo.binary("multiply", centred, centred)
    variance = hlo.binary("divide", hlo.reduce("add", square, 0, last), size)
    factor = hlo.unary("rsqrt", hlo.binary(
        "add", variance, hlo.constant(np.float32(1e-5))))
    y = hlo.binary("multiply", hlo.rows("multiply", centred, factor),
                   hlo.constant(scale))
    return hlo.binary("add", y, hlo.constant(bias))


def hlo_softmax(hlo, x):
    last = len(x[1]) - 1
    shifted = hlo.rows("subtract", x, hlo.reduce("maximum", x, -3.0e38, last))
    e = hlo.unary("exponential", shifted)
    return hlo.rows("divide", e, hlo.reduce("add", e, 0, last))


def hlo_batched(hlo, a, b, contracted, shape):
    return hlo.op(
        f"dot_general {a[0]}, {b[0]}, batching_dims = [0] x [0], "
        f"contracting_dims = [{contracted[0]}] x [{contracted[1]}] : "
        f"({tensor(*a[1])}, {tensor(*b[1])}) -> {tensor(*shape)}", shape)


def transformer(folder):
    tokens, width, heads = 128, 256, 4
    size = width // heads
    onnx, hlo = Onnx(), Hlo(tokens, width)
    norms = [(1 + weights(width), weights(width)) for _ in range(2)]
    projections = [(weights(width, width), weights(width)) for _ in range(4)]
    up, down = ((weights(width, 4 * width), weights(4 * width)),
                (weights(4 * width, width), weights(width)))
    x, h = "x", hlo.input
    n, m = onnx_norm(onnx, x, *norms[0]), hlo_norm(hlo, h, *norms[0])
    parts, places = [], []
    for weight, bias in projections[:3]:
        y = onnx("Add", onnx("MatMul", n, weight), bias)
        y = onnx("Reshape", y, np.array([tokens, heads, size]))
        parts.append(y)
        places.append(hlo.transpose(hlo.reshape(
            hlo.dense(m, weight, bias), tokens, heads, size), 1, 0, 2))
    q = onnx("Transpose", parts[0], perm=[1, 0, 2])
    k = onnx("Transpose", parts[1], perm=[1, 2, 0])
    v = onnx("Transpose", parts[2], perm=[1, 0, 2])
    factor = np.float32(1 / np.sqrt(size))
    scores = onnx("Softmax", onnx("Mul", onnx("MatMul", q, k), factor), axis=-1)
    y = onnx("Transpose", onnx("MatMul", scores, v), perm=[1, 0, 2])
    y = onnx("Reshape", y, np.array([tokens, width]))
    x = onnx("Add", x, onnx("Add", onnx("MatMul", y, projections[3][0]),
                            projections[3][1]))
    s = hlo_batched(hlo, places[0], places[1], (2, 2), (heads, tokens, tokens))
    s = hlo_softmax(hlo, hlo.binary("multiply", s, hlo.constant(factor)))
    z = hlo_batched(hlo, s, places[2], (2, 1), (heads, tokens, size))
    z = hlo.reshape(hlo.transpose(z, 1, 0, 2), tokens, width)
    h = hlo.binary("add", h, hlo.dense(z, *projections[3]))
    n, m = onnx_norm(onnx, x, *norms[1]), hlo_norm(hlo, h, *norms[1])
    u = onnx("Add", onnx("MatMul", n, up[0]), up[1])
    half, root = np.float32(0.5), np.float32(np.sqrt(0.5))
    erf = onnx("Add", onnx("Erf", onnx("Mul", u, root)), np.float32(1))
    u = onnx("Mul", onnx("Mul", u, erf), half)
    w = hlo.dense(m, *up)
    erf = hlo.binary("multiply", w, hlo.constant(root))
    erf = hlo.op(f"chlo_erf {erf[0]}", w[1])
    hlo.lines[-1] = (f"    {erf[0]} = chlo.erf {hlo.lines[-1].split()[-1]} : "
                     f"{tensor(*w[1])} -> {tensor(*w[1])}")
    erf = hlo.binary("add", erf, hlo.constant(np.float32(1)))
    w = hlo.binary("multiply", hlo.binary("multiply", w, erf),
                   hlo.constant(half))
    x = onnx("Add", x, onnx("Add", onnx("MatMul", u, down[0]), down[1]))
    h = hlo.binary("add", h, hlo.dense(w, *down))
    onnx.save(folder / "net.onnx", x, [tokens, width], [tokens, width])
    hlo.save(folder / "net.mlir", h)


LSTM = """module @jit_lstm {
  func.func public @main(%arg0: XS loc("x")) -> (YS {jax.result_info = "y"}) {
    %wi = stablehlo.constant dense<WI> : tensor<INx4Hxf32>
    %wh = stablehlo.constant dense<WH> : tensor<Hx4Hxf32>
    %bias = stablehlo.constant dense<BIAS> : tensor<4Hxf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %h = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> HS
    %all = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> YS
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:5 = stablehlo.while(%xs = %arg0, %i = %c, %hs = %h, %cs = %h, %ys = %all) : XS, tensor<i32>, HS, HS, YS
    cond {
      %n = stablehlo.constant dense<STEPS> : tensor<i32>
      %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %z = stablehlo.constant dense<0> : tensor<i32>
      %1 = stablehlo.dynamic_slice %xs, %i, %z, %z, sizes = [1, BATCH, IN] : (XS, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1xBATCHxINxf32>
      %2 = stablehlo.reshape %1 : (tensor<1xBATCHxINxf32>) -> tensor<BATCHxINxf32>
      %3 = stablehlo.dot_general %2, %wi, contracting_dims = [1] x [0] : (tensor<BATCHxINxf32>, tensor<INx4Hxf32>) -> GS
      %4 = stablehlo.dot_general %hs, %wh, contracting_dims = [1] x [0] : (HS, tensor<Hx4Hxf32>) -> GS
      %5 = stablehlo.add %3, %4 : GS
      %6 = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<4Hxf32>) -> GS
      %7 = stablehlo.add %5, %6 : GS
      %gi = stablehlo.slice %7 [0:BATCH, 0:1H] : (GS) -> HS
      %gf = stablehlo.slice %7 [0:BATCH, 1H:2H] : (GS) -> HS
      %gg = stablehlo.slice %7 [0:BATCH, 2H:3H] : (GS) -> HS
      %go = stablehlo.slice %7 [0:BATCH, 3H:4H] : (GS) -> HS
      %si = stablehlo.logistic %gi : HS
      %sf = stablehlo.logistic %gf : HS
      %tg = stablehlo.tanh %gg : HS
      %so = stablehlo.logistic %go : HS
      %kept = stablehlo.multiply %sf, %cs : HS
      %new = stablehlo.multiply %si, %tg : HS
      %c1 = stablehlo.add %kept, %new : HS
      %tc = stablehlo.tanh %c1 : HS
      %h1 = stablehlo.multiply %so, %tc : HS
      %8 = stablehlo.reshape %h1 : (HS) -> tensor<1xBATCHx1Hxf32>
      %9 = stablehlo.dynamic_update_slice %ys, %8, %i, %z, %z : (YS, tensor<1xBATCHx1Hxf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> YS
      %one = stablehlo.constant dense<1> : tensor<i32>
      %i1 = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %xs, %i1, %h1, %c1, %9 : XS, tensor<i32>, HS, HS, YS
    }
    return %0#4 : YS
  }
}
"""


def lstm(folder, steps=32, batch=4, size=128):
    wi, wh = weights(size, 4 * size), weights(size, 4 * size)
    bias = weights(4 * size)

    def gates(value):
        """From JAX's order, input forget cell output, to ONNX's."""
        i, f, g, o = np.split(value, 4, -1)
        return np.concatenate([i, o, f, g], -1)
    onnx = Onnx()
    y, _, _ = onnx(
        "LSTM", "x", gates(wi).T[None].copy(), gates(wh).T[None].copy(),
        np.concatenate([gates(bias), np.zeros(4 * size, np.float32)])[None],
        outputs=3, hidden_size=size)
    y = onnx("Squeeze", y, np.array([1]))
    onnx.save(folder / "net.onnx", y, [steps, batch, size],
              [steps, batch, size])
    text = LSTM
    names = {"XS": tensor(steps, batch, size), "YS": tensor(steps, batch, size),
             "HS": tensor(batch, size), "GS": tensor(batch, 4 * size),
             "STEPS": steps, "BATCH": batch, "INx": f"{size}x", "IN]": f"{size}]"}
    for name, value in names.items():
        text = text.replace(name, str(value))
    for times in (1, 2, 3, 4):
        text = text.replace(f"{times}H", str(times * size))
    text = text.replace("tensor<Hx", f"tensor<{size}x")
    for name, value in (("WI", wi), ("WH", wh), ("BIAS", bias)):
        text = text.replace(f"dense<{name}>",
                            f'dense<"0x{value.tobytes().hex().upper()}">')
    (folder / "net.mlir").write_text(text)


NETS = {net.__name__: net for net in (mlp, cnn, transformer, lstm)}


def measure(lh_run, name, folder):
    NETS[name](folder)
    (folder / "manifest.yaml").write_text(MANIFEST.format(name=name))
    done = subprocess.run(
        [lh_run, "bench", folder / "manifest.yaml", "--vs", "onnx", "--json",
         folder / "bench.json", "--no-cache"], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{name}: {done.stdout}{done.stderr}")
    print(done.stdout)
    return json.loads((folder / "bench.json").read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("nets", nargs="*", default=list(NETS))
    parser.add_argument("--keep", type=pathlib.Path)
    arguments = parser.parse_args()
    for name in arguments.nets:
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(arguments.keep or scratch) / name
            folder.mkdir(parents=True, exist_ok=True)
            measure(arguments.build.resolve() / "lh-run", name, folder)


main()
