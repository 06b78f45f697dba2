# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models that are mutated: small ones of every family, odd sizes."""
import dataclasses
import json
import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

F32, F16, BF16, F64 = (TensorProto.FLOAT, TensorProto.FLOAT16,
                       TensorProto.BFLOAT16, TensorProto.DOUBLE)
I8, U8, I32, I64, BOOL = (TensorProto.INT8, TensorProto.UINT8,
                          TensorProto.INT32, TensorProto.INT64,
                          TensorProto.BOOL)
RANGES = {I8: (-128, 127), U8: (0, 255), I32: (-1000, 1000), I64: (-9, 9)}
IR_VERSION = 10


@dataclasses.dataclass
class Input:
    """One model input: what is drawn for it follows from its type, unless a
    range is given."""
    shape: tuple
    dtype: int = F32
    span: tuple = None

    def drawn(self):
        """The manifest's words for it."""
        words = f"shape: {list(self.shape)}"
        span = self.span or RANGES.get(self.dtype)
        if span:
            kind = "integers" if self.dtype in RANGES else "uniform"
            return f"{{{words}, dist: {kind}, range: {list(span)}}}"
        return f"{{{words}, dist: normal}}"


class Model:
    """A graph under construction; its name begins with its family's."""

    def __init__(self, name, opset=17, **inputs):
        self.name, self.opset, self.inputs = name, opset, inputs
        self.nodes, self.constants, self.outputs = [], [], []

    def op(self, kind, *operands, outputs=1, domain="", **attributes):
        """Adds a node; the name of its result, or a list of names."""
        names = [f"{kind}_{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(operands), names,
                                           domain=domain, **attributes))
        return names[0] if outputs == 1 else names

    def constant(self, value, dtype=np.float32):
        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(
            np.asarray(value, dtype), name))
        return name

    def ends(self, *results):
        """Names what the model returns: pairs (value, ONNX type)."""
        for i, (value, dtype) in enumerate(results):
            self.nodes.append(helper.make_node("Identity", [value], [f"y{i}"]))
            self.outputs.append((f"y{i}", dtype))
        return self

    def write(self, folder):
        ins = [helper.make_tensor_value_info(name, each.dtype, each.shape)
               for name, each in self.inputs.items()]
        outs = [helper.make_tensor_value_info(name, dtype, None)
                for name, dtype in self.outputs]
        graph = helper.make_graph(self.nodes, self.name, ins, outs,
                                  self.constants)
        model = helper.make_model(
            graph, producer_name="lighthouse",
            opset_imports=[helper.make_opsetid("", self.opset)])
        model.ir_version = IR_VERSION
        path = folder / f"{self.name}.onnx"
        path.write_bytes(model.SerializeToString())
        return path

    def drawn(self):
        """The inputs as a mapping for `generate:`."""
        return ", ".join(f"{name}: {each.drawn()}"
                         for name, each in self.inputs.items())


def normal(seed, shape):
    return np.random.default_rng(seed).normal(size=shape)


def products():
    for name, dtype in (("f32", F32), ("f16", F16), ("bf16", BF16),
                        ("f64", F64)):
        model = Model(f"matmul-{name}", a=Input((17, 33), dtype),
                      b=Input((33, 21), dtype))
        yield model.ends((model.op("MatMul", "a", "b"), dtype))
    model = Model("matmul-square", a=Input((48, 48)), b=Input((48, 48)))
    yield model.ends((model.op("MatMul", "a", "b"), F32))
    model = Model("matmul-batch", a=Input((3, 5, 17)), b=Input((3, 17, 9)))
    yield model.ends((model.op("MatMul", "a", "b"), F32))
    model = Model("matmul-gemm", a=Input((33, 19)), b=Input((40, 33)),
                  c=Input((40,)))
    y = model.op("Gemm", "a", "b", "c", transA=1, transB=1, alpha=0.5)
    yield model.ends((model.op("Relu", y), F32))
    # Too large to stay in the module: packed once, by @prepare.
    model = Model("matmul-weights", a=Input((9, 65)))
    weights = model.constant(normal(1, (65, 40)) / 8)
    y = model.op("MatMul", "a", weights)
    bias = model.constant(normal(2, (40,)))
    yield model.ends((model.op("Relu", model.op("Add", y, bias)), F32))
    model = Model("matmul-int8", a=Input((9, 33), U8), b=Input((33, 7), I8),
                  za=Input((1,), U8))
    yield model.ends((model.op("MatMulInteger", "a", "b", "za"), I32))


def convolutions():
    def conv(name, x, w, bias=None, **attributes):
        extra = {"c": Input((bias,))} if bias else {}
        model = Model(f"conv-{name}", x=Input(x), w=Input(w), **extra)
        y = model.op("Conv", "x", "w", *extra, **attributes)
        return model.ends((y, F32))

    yield conv("padded", (1, 5, 11, 9), (7, 5, 3, 3), 7, pads=[1, 1, 1, 1])
    yield conv("strided", (2, 3, 13, 13), (6, 3, 3, 3), pads=[1, 0, 1, 2],
               strides=[2, 2])
    yield conv("depthwise", (1, 6, 9, 9), (6, 1, 3, 3), pads=[1, 1, 1, 1],
               group=6)
    yield conv("grouped", (1, 6, 8, 8), (4, 3, 3, 3), group=2, dilations=[2, 2])
    yield conv("pointwise", (1, 19, 7, 7), (10, 19, 1, 1), 10)
    model = Model("conv-weights", x=Input((1, 8, 9, 9)))
    weights = model.constant(normal(3, (12, 8, 3, 3)) / 8)
    y = model.op("Conv", "x", weights, pads=[1, 1, 1, 1])
    yield model.ends((model.op("Relu", y), F32))
    model = Model("conv-transposed", x=Input((1, 4, 5, 5)),
                  w=Input((4, 3, 3, 3)))
    y = model.op("ConvTranspose", "x", "w", strides=[2, 2])
    yield model.ends((y, F32))
    model = Model("conv-int8", x=Input((1, 3, 7, 7), U8),
                  w=Input((4, 3, 3, 3), I8), z=Input((), U8))
    y = model.op("ConvInteger", "x", "w", "z", pads=[1, 1, 1, 1])
    yield model.ends((y, I32))


def pools():
    def pool(name, kind, dtype=F32, **attributes):
        model = Model(f"pool-{name}", x=Input((2, 3, 9, 9), dtype))
        return model.ends((model.op(kind, "x", **attributes), dtype))

    yield pool("max", "MaxPool", kernel_shape=[3, 3], pads=[1, 1, 1, 1],
               strides=[2, 2])
    yield pool("max-int8", "MaxPool", I8, kernel_shape=[2, 2])
    yield pool("average", "AveragePool", kernel_shape=[3, 3],
               pads=[1, 1, 1, 1])
    yield pool("average-f16", "AveragePool", F16, kernel_shape=[2, 3],
               strides=[2, 2])
    yield pool("global", "GlobalAveragePool")


def normalizations():
    for dtype, word in ((F32, "f32"), (F16, "f16")):
        model = Model(f"softmax-{word}", x=Input((7, 33), dtype))
        yield model.ends((model.op("Softmax", "x", axis=1), dtype))
    model = Model("softmax-log", x=Input((5, 9, 9)))
    yield model.ends((model.op("LogSoftmax", "x", axis=1), F32))
    model = Model("normalization-layer", x=Input((7, 33)), s=Input((33,)),
                  b=Input((33,)))
    yield model.ends((model.op("LayerNormalization", "x", "s", "b"), F32))
    model = Model("normalization-batch", x=Input((2, 5, 7, 7)), s=Input((5,)),
                  b=Input((5,)), m=Input((5,)),
                  v=Input((5,), F32, (0.25, 2.0)))
    yield model.ends((model.op("BatchNormalization", "x", "s", "b", "m", "v"),
                      F32))
    model = Model("normalization-rms", x=Input((9, 17)), g=Input((17,)))
    mean = model.op("ReduceMean", model.op("Mul", "x", "x"), axes=[1])
    root = model.op("Sqrt", model.op("Add", mean, model.constant(1e-5)))
    y = model.op("Mul", model.op("Div", "x", root), "g")
    yield model.ends((y, F32))
    model = Model("reduction-max", x=Input((9, 17)))
    yield model.ends((model.op("ReduceMax", "x", axes=[1], keepdims=0), F32),
                     (model.op("ReduceSumSquare", "x", axes=[0]), F32))


def elementwise():
    model = Model("elementwise-gelu", x=Input((7, 17)))
    scaled = model.op("Mul", "x", model.constant(0.5 ** 0.5))
    one = model.op("Add", model.op("Erf", scaled), model.constant(1))
    y = model.op("Mul", model.op("Mul", "x", model.constant(0.5)), one)
    yield model.ends((y, F32))
    model = Model("elementwise-tanh-gelu", x=Input((3, 21), BF16))
    yield model.ends((model.op("Tanh", model.op("Mul", "x", "x")), BF16))
    model = Model("elementwise-clip", x=Input((5, 13)), y=Input((5, 13)))
    low, high = model.constant(-1), model.constant(0.75)
    clipped = model.op("Clip", model.op("Sub", "x", "y"), low, high)
    yield model.ends((model.op("Relu", model.op("Div", clipped, "y")), F32))
    model = Model("elementwise-where", x=Input((7, 9)), y=Input((1, 9)),
                  c=Input((7, 1), BOOL))
    greater = model.op("And", model.op("Greater", "x", "y"), "c")
    yield model.ends((model.op("Where", greater, "x", "y"), F32),
                     (greater, BOOL))
    model = Model("elementwise-integers", x=Input((33,), I32),
                  y=Input((33,), I32, (1, 9)))
    y = model.op("Mod", model.op("Div", "x", "y"), "y")
    yield model.ends((model.op("Sub", y, "x"), I32))
    model = Model("elementwise-round", x=Input((63,), F32, (-40, 40)))
    halves = model.op("Div", model.op("Round", "x"), model.constant(2))
    yield model.ends((model.op("Round", halves), F32),
                     (model.op("Cast", model.op("Floor", "x"), to=I64), I64),
                     (model.op("Cast", "x", to=I32), I32))
    model = Model("elementwise-sigmoid", x=Input((3, 65), F16),
                  y=Input((65,), F16))
    yield model.ends((model.op("Mul", model.op("Sigmoid", "x"), "y"), F16))


def quantised():
    model = Model("quantised-linear", x=Input((5, 33), F32, (-9, 9)))
    scale, zero = model.constant(0.05), model.constant(7, np.uint8)
    q = model.op("QuantizeLinear", "x", scale, zero)
    yield model.ends((q, U8), (model.op("DequantizeLinear", q, scale, zero),
                               F32))
    model = Model("quantised-matmul", a=Input((7, 17), U8),
                  b=Input((17, 5), I8))
    y = model.op("QLinearMatMul", "a", model.constant(0.02),
                 model.constant(100, np.uint8), "b", model.constant(0.01),
                 model.constant(3, np.int8), model.constant(0.5),
                 model.constant(120, np.uint8))
    yield model.ends((y, U8))
    model = Model("quantised-conv", x=Input((1, 3, 7, 7), U8),
                  w=Input((4, 3, 3, 3), I8))
    y = model.op("QLinearConv", "x", model.constant(0.03),
                 model.constant(128, np.uint8), "w", model.constant(0.02),
                 model.constant(0, np.int8), model.constant(0.4),
                 model.constant(111, np.uint8), pads=[1, 1, 1, 1])
    yield model.ends((y, U8))
    model = Model("quantised-dynamic", x=Input((9, 13)))
    q, scale, zero = model.op("DynamicQuantizeLinear", "x", outputs=3)
    yield model.ends((q, U8), (scale, F32), (zero, U8))


def selections():
    model = Model("gather-rows", x=Input((9, 7)), i=Input((5,), I64, (-9, 8)))
    yield model.ends((model.op("Gather", "x", "i", axis=0), F32))
    model = Model("gather-elements", x=Input((9, 7)),
                  i=Input((4, 7), I64, (0, 8)))
    yield model.ends((model.op("GatherElements", "x", "i", axis=0), F32))
    model = Model("scatter-nd", x=Input((9, 7)), i=Input((5, 1), I64, (0, 8)),
                  u=Input((5, 7)))
    yield model.ends((model.op("ScatterND", "x", "i", "u", reduction="add"),
                      F32))
    model = Model("scatter-elements", x=Input((9, 9)),
                  i=Input((4, 9), I64, (0, 8)), u=Input((4, 9)))
    yield model.ends((model.op("ScatterElements", "x", "i", "u", axis=0,
                               reduction="add"), F32))
    model = Model("gather-topk", x=Input((7, 17)))
    values, where = model.op("TopK", "x", model.constant([5], np.int64),
                             outputs=2)
    yield model.ends((values, F32), (where, I64))
    model = Model("gather-argmax", x=Input((7, 17)))
    yield model.ends((model.op("ArgMax", "x", axis=1), I64))


def shapes():
    model = Model("shape-concat", x=Input((5, 7)), y=Input((5, 4)))
    joined = model.op("Concat", "x", "y", axis=1)
    yield model.ends((model.op("Transpose", joined, perm=[1, 0]), F32))
    model = Model("shape-pad", x=Input((4, 6)))
    pads = model.constant([1, 2, 3, 1], np.int64)
    y = model.op("Pad", "x", pads, model.constant(0.5))
    yield model.ends((model.op("Mul", y, y), F32))
    model = Model("shape-slice", x=Input((9, 9, 5)))
    y = model.op("Slice", "x", *(model.constant(each, np.int64) for each in
                                 ([1, 7], [9, 0], [0, 1], [2, -1])))
    yield model.ends((model.op("Transpose", y, perm=[1, 0, 2]), F32))


@dataclasses.dataclass
class Payload:
    """A generated case of a shipped manifest."""
    name: str
    path: pathlib.Path
    inputs: dict

    def write(self, folder):
        return self.path

    def drawn(self):
        return json.dumps(self.inputs)[1:-1]


def payloads(manifest, folder):
    """The generated cases of `manifest`, which lies in `folder`, by name."""
    return {name: Payload(name, (folder / case["generate"]["model"]).resolve(),
                          case["generate"].get("inputs", {}))
            for name, case in manifest["cases"].items() if "generate" in case}


def all_models():
    """Every model, by name."""
    families = (products, convolutions, pools, normalizations, elementwise,
                quantised, selections, shapes)
    return {model.name: model for family in families for model in family()}
