# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Correct models at random: every family, odd shapes, all types."""
import numpy as np
from onnx import TensorProto

from cases import (BF16, BOOL, F16, F32, F64, I8, I32, I64, U8, Input, Model)

SIZES = (1, 2, 3, 5, 7, 16, 17, 31, 33)
LONG = (1, 7, 17, 63, 65, 128)
FLOATS = (F32, F32, F16, BF16, F64)
INTEGERS = (I8, U8, TensorProto.INT16, TensorProto.UINT16, I32, I64)
# Results stay small: a bound on |x| keeps exp and its kin in f16's range.
ANY = ("Abs", "Neg", "Relu", "Sigmoid", "Tanh", "Exp", "Erf", "Floor", "Ceil",
       "Round", "Sign", "Softplus", "Sin", "Cos", "Atan", "HardSigmoid", "Elu",
       "Selu", "LeakyRelu", "Softsign", "Sinh", "Cosh", "Asinh", "HardSwish")
POSITIVE = ("Log", "Sqrt", "Reciprocal")
BINARY = ("Add", "Sub", "Mul", "Div", "Max", "Min", "Pow")
COMPARE = ("Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual")
REDUCE = ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceL1",
          "ReduceL2", "ReduceSumSquare", "ReduceLogSumExp", "ReduceProd")


def spans(dtype):
    """Small numbers, so that products of a few stay within the type."""
    return None if dtype in (F32, F16, BF16, F64) else \
        (0, 9) if dtype in (U8, TensorProto.UINT16) else (-9, 9)


def shape_of(pick, rank=None):
    rank = rank or pick.randint(1, 4)
    return tuple(pick.choice(SIZES if rank < 4 else SIZES[:5])
                 for _ in range(rank))


def product(name, pick):
    dtype = pick.choice(FLOATS + (I32, I64))
    m, n, k = (pick.choice(LONG) for _ in range(3))
    batch = pick.choice(((), (), (3,), (2, 1)))
    span = spans(dtype)
    model = Model(name, a=Input((*batch, m, k), dtype, span),
                  b=Input((*batch, k, n), dtype, span))
    y = model.op("MatMul", "a", "b")
    if pick.random() < 0.3 and dtype in FLOATS:
        y = model.op(pick.choice(("Relu", "Tanh", "Sigmoid")), y)
    return model.ends((y, dtype))


def gemm(name, pick):
    m, n, k = (pick.choice(LONG) for _ in range(3))
    ta, tb = pick.randrange(2), pick.randrange(2)
    dtype = pick.choice((F32, F16, F64))
    model = Model(name, a=Input((k, m) if ta else (m, k), dtype),
                  b=Input((n, k) if tb else (k, n), dtype),
                  c=Input(pick.choice(((n,), (m, n), (1, n))), dtype))
    y = model.op("Gemm", "a", "b", "c", transA=ta, transB=tb,
                 alpha=pick.choice((1.0, 0.5)), beta=pick.choice((1.0, 0.25)))
    return model.ends((y, dtype))


def convolution(name, pick):
    dtype = pick.choice((F32, F32, F32, F16, F64))
    groups = pick.choice((1, 1, 1, 2, 3))
    c, f = groups * pick.choice((1, 3, 5)), groups * pick.choice((1, 2, 7))
    k = pick.choice((1, 2, 3))
    h, w = (pick.choice((7, 9, 13, 17)) for _ in range(2))
    model = Model(name, x=Input((pick.choice((1, 2)), c, h, w), dtype),
                  w=Input((f, c // groups, k, k), dtype), b=Input((f,), dtype))
    y = model.op("Conv", "x", "w", "b", group=groups,
                 pads=[pick.randrange(2) for _ in range(4)],
                 strides=[pick.choice((1, 1, 2)) for _ in range(2)],
                 dilations=[pick.choice((1, 1, 2)) for _ in range(2)])
    if pick.random() < 0.3:
        y = model.op("Relu", y)
    return model.ends((y, dtype))


def pool(name, pick):
    dtype = pick.choice((F32, F16, F64))
    kind = pick.choice(("MaxPool", "AveragePool", "GlobalAveragePool",
                        "GlobalMaxPool"))
    shape = (pick.choice((1, 2)), pick.choice((1, 3, 7)),
             pick.choice((7, 9, 17)), pick.choice((7, 9, 17)))
    words = {} if kind.startswith("Global") else {
        "kernel_shape": [pick.choice((2, 3)) for _ in range(2)],
        "strides": [pick.choice((1, 2)) for _ in range(2)],
        "pads": [pick.randrange(2) for _ in range(4)]}
    model = Model(name, x=Input(shape, dtype))
    return model.ends((model.op(kind, "x", **words), dtype))


def softmax(name, pick):
    dtype = pick.choice((F32, F16, F64))
    shape = (*shape_of(pick, pick.randint(1, 2)), pick.choice(LONG))
    model = Model(name, x=Input(shape, dtype))
    kind = pick.choice(("Softmax", "LogSoftmax"))
    return model.ends((model.op(kind, "x", axis=pick.randrange(len(shape))),
                       dtype))


def normalization(name, pick):
    if pick.random() < 0.5:
        shape = (pick.choice(SIZES), pick.choice(LONG[1:]))
        model = Model(name, x=Input(shape), s=Input(shape[1:]),
                      b=Input(shape[1:]))
        return model.ends((model.op("LayerNormalization", "x", "s", "b"), F32))
    shape = (pick.choice((1, 3)), *shape_of(pick, 3))
    one = (shape[1],)
    model = Model(name, x=Input(shape), s=Input(one), b=Input(one),
                  m=Input(one), v=Input(one, F32, (0.25, 2)))
    y = model.op("BatchNormalization", "x", "s", "b", "m", "v")
    return model.ends((y, F32))


def reduction(name, pick):
    dtype = pick.choice((F32, F16, F64, F32))
    kind = pick.choice(REDUCE)
    shape = (*shape_of(pick, pick.randint(1, 2)),
             pick.choice(SIZES if kind == "ReduceProd" else LONG))
    span = (0.5, 1.5) if kind == "ReduceProd" else None
    model = Model(name, x=Input(shape, dtype, span))
    axis = pick.randrange(len(shape))
    operands = ["x"]
    words = {"keepdims": pick.randrange(2)}
    if kind == "ReduceSum":
        operands.append(model.constant([axis], np.int64))
    else:
        words["axes"] = [axis]
    return model.ends((model.op(kind, *operands, **words), dtype))


def chain(name, pick):
    """One to four elementwise operators in a row."""
    dtype = pick.choice(FLOATS)
    shape = (*shape_of(pick, pick.randint(1, 2)), pick.choice(LONG))
    model = Model(name, x=Input(shape, dtype), y=Input(shape[-1:], dtype))
    value = "x"
    for _ in range(pick.randint(1, 4)):
        if pick.random() < 0.4:
            value = model.op(pick.choice(BINARY[:3] + BINARY[4:6]), value, "y")
        else:
            value = model.op(pick.choice(ANY), value)
    return model.ends((value, dtype))


def positive(name, pick):
    dtype = pick.choice(FLOATS)
    shape = shape_of(pick)
    model = Model(name, x=Input(shape, dtype, (0.25, 4)),
                  y=Input(shape, dtype, (-2, 2)))
    value = model.op(pick.choice(POSITIVE), "x")
    return model.ends((value, dtype), (model.op("Pow", "x", "y"), dtype),
                      (model.op("Div", "y", "x"), dtype))


def comparison(name, pick):
    dtype = pick.choice((F32, F64, F16, I32, I64))
    shape = shape_of(pick)
    model = Model(name, x=Input(shape, dtype, spans(dtype)),
                  y=Input(shape, dtype, spans(dtype)),
                  c=Input(shape, BOOL))
    found = model.op(pick.choice(COMPARE), "x", "y")
    both = model.op(pick.choice(("And", "Or", "Xor")), found, "c")
    return model.ends((both, BOOL), (model.op("Where", both, "x", "y"), dtype))


def integers(name, pick):
    dtype = pick.choice(INTEGERS)
    shape = shape_of(pick)
    model = Model(name, x=Input(shape, dtype, spans(dtype)),
                  y=Input(shape, dtype, (1, 9)))
    value = model.op(pick.choice(("Add", "Mul", "Div", "Mod", "Min", "Max")),
                     "x", "y")
    return model.ends((value, dtype))


def cast(name, pick):
    source = pick.choice(FLOATS + INTEGERS + (BOOL,))
    target = pick.choice(FLOATS + (I32, I64))
    model = Model(name, x=Input(shape_of(pick), source, spans(source)))
    return model.ends((model.op("Cast", "x", to=target), target))


def quantisation(name, pick):
    small, word = pick.choice(((U8, np.uint8), (I8, np.int8)))
    model = Model(name, x=Input(shape_of(pick), F32, (-9, 9)))
    scale = model.constant(pick.choice((0.05, 0.125, 0.03)))
    zero = model.constant(pick.choice((0, 7)), word)
    q = model.op("QuantizeLinear", "x", scale, zero)
    return model.ends((q, small),
                      (model.op("DequantizeLinear", q, scale, zero), F32))


def quantised_product(name, pick):
    m, n, k = (pick.choice(LONG[:-1]) for _ in range(3))
    model = Model(name, a=Input((m, k), U8), b=Input((k, n), I8))
    y = model.op("QLinearMatMul", "a", model.constant(0.02),
                 model.constant(100, np.uint8), "b", model.constant(0.01),
                 model.constant(3, np.int8), model.constant(0.5),
                 model.constant(120, np.uint8))
    return model.ends((y, U8), (model.op("MatMulInteger", "a", "b"), I32))


def selection(name, pick):
    dtype = pick.choice((F32, F64, F16, I64))
    rows, columns = pick.choice(SIZES), pick.choice(LONG)
    model = Model(name, x=Input((rows, columns), dtype, spans(dtype)),
                  i=Input((5,), I64, (-rows, rows - 1)),
                  e=Input((rows, columns), I64, (0, rows - 1)))
    return model.ends((model.op("Gather", "x", "i", axis=0), dtype),
                      (model.op("GatherElements", "x", "e", axis=0), dtype))


def scatter(name, pick):
    dtype = pick.choice((F32, F64, I64))
    rows, columns = pick.choice(SIZES), pick.choice(LONG)
    model = Model(name, x=Input((rows, columns), dtype, spans(dtype)),
                  i=Input((4, columns), I64, (0, rows - 1)),
                  u=Input((4, columns), dtype, spans(dtype)))
    y = model.op("ScatterElements", "x", "i", "u", axis=0, reduction="add")
    return model.ends((y, dtype))


def ranking(name, pick):
    rows, columns = pick.choice(SIZES), pick.choice(LONG[1:])
    model = Model(name, x=Input((rows, columns)))
    best, where = model.op("TopK", "x", model.constant([3], np.int64),
                           outputs=2)
    return model.ends((best, F32), (where, I64),
                      (model.op("ArgMin", "x", axis=1), I64))


def movement(name, pick):
    dtype = pick.choice((F32, F16, BF16, F64, I64, I8, BOOL))
    rows, columns = pick.choice(SIZES), pick.choice(LONG)
    model = Model(name, x=Input((rows, columns), dtype, spans(dtype)),
                  y=Input((rows, 3), dtype, spans(dtype)))
    joined = model.op("Concat", "x", "y", axis=1)
    turned = model.op("Transpose", joined, perm=[1, 0])
    piece = model.op("Slice", turned, *(model.constant([each], np.int64)
                                        for each in (1, 10 ** 6, 0, 2)))
    return model.ends((turned, dtype), (piece, dtype))


FAMILIES = (product, gemm, convolution, pool, softmax, normalization,
            reduction, chain, positive, comparison, integers, cast,
            quantisation, quantised_product, selection, scatter, ranking,
            movement)


def random_models(pick, count):
    """`count` models, the families in turn."""
    for i in range(count):
        family = FAMILIES[i % len(FAMILIES)]
        yield family(f"{family.__name__}{i}".replace("_", "-"), pick)
