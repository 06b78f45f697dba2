# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arithmetic, comparison, bits, activations: every element by itself, with
Python's own integers and floats as the reference."""
import math

import numpy as np
from onnx import TensorProto, helper

from op_cases.case import packed, random_of, write_case

F16, F32, F64 = np.float16, np.float32, np.float64
NAN, INF = math.nan, math.inf


def wrapped(value, dtype):
    """A Python number as an element: integers wrap."""
    if np.issubdtype(dtype, np.integer):
        bits = 8 * np.dtype(dtype).itemsize
        value = int(value) % (1 << bits)
        if np.issubdtype(dtype, np.signedinteger) and value >> (bits - 1):
            value -= 1 << bits
    return value


def each(function, *arrays, dtype=None):
    """`function` of Python numbers, element by element, with broadcasting."""
    arrays = np.broadcast_arrays(*arrays)
    dtype = dtype or arrays[0].dtype.type
    out = np.empty(arrays[0].shape, dtype)
    for at in np.ndindex(*out.shape):
        value = function(*(array[at].item() for array in arrays))
        out[at] = wrapped(value, dtype)
    return out


def case(name, op, inputs, output, opset, **attributes):
    names = [f"x{i}" for i in range(len(inputs))]
    node = helper.make_node(op, names, ["y"], **attributes)
    write_case(name, node, dict(zip(names, inputs)), {"y": output}, opset)


def integers(random, dtype, shape, low=None, high=None):
    info = np.iinfo(dtype)
    low = info.min if low is None else low
    high = info.max if high is None else high
    return random.integers(low, high, shape, dtype=dtype, endpoint=True)


def floats(random, dtype, shape, scale=2):
    return (scale * random.standard_normal(shape)).astype(dtype)


INT_OPS = {
    "Add": (14, lambda a, b: a + b),
    "Sub": (14, lambda a, b: a - b),
    "Mul": (14, lambda a, b: a * b),
    "Max": (13, max),
    "Min": (13, min),
    "BitwiseAnd": (18, lambda a, b: a & b),
    "BitwiseOr": (18, lambda a, b: a | b),
    "BitwiseXor": (18, lambda a, b: a ^ b),
}
INT_TYPES = [np.int8, np.int16, np.int32, np.int64,
             np.uint8, np.uint16, np.uint32, np.uint64]


def write_integers():
    for k, (op, (opset, function)) in enumerate(INT_OPS.items()):
        # Two types per operator; all together see every type several times.
        for dtype in (INT_TYPES[k], INT_TYPES[(3 * k + 5) % 8]):
            name = f"{op.lower()}_{dtype.__name__}"
            random = random_of(name)
            a, b = (integers(random, dtype, shape)
                    for shape in ((3, 1, 7), (5, 7)))
            case(name, op, [a, b], each(function, a, b), opset)
    for dtype in (np.int8, np.int64, np.uint16):
        name = f"div_{dtype.__name__}"
        random = random_of(name)
        a = integers(random, dtype, (4, 9))
        b = integers(random, dtype, (9,), high=100)
        b[b == 0] = 3
        quotient = each(lambda x, y: abs(x) // abs(y) *
                        (-1 if (x < 0) != (y < 0) else 1), a, b)
        case(name, "Div", [a, b], quotient, 14)
    for dtype in (np.int16, np.uint64):
        name = f"bitwisenot_{dtype.__name__}"
        a = integers(random_of(name), dtype, (2, 3, 5))
        case(name, "BitwiseNot", [a], each(lambda x: ~x, a), 18)


def truncated(x, y):
    return abs(x) % abs(y) * (-1 if x < 0 else 1)


def write_mod():
    for dtype, fmod in [(np.int8, 0), (np.int32, 0), (np.uint8, 0),
                        (np.int64, 1), (np.int16, 1), (np.uint32, 1)]:
        name = f"mod_{dtype.__name__}_fmod{fmod}"
        random = random_of(name)
        a = integers(random, dtype, (6, 5))
        b = integers(random, dtype, (1, 5), high=50)
        b[b == 0] = 7
        case(name, "Mod", [a, b],
             each(truncated if fmod else lambda x, y: x % y, a, b), 13,
             fmod=fmod)
    for dtype in (F16, F32, F64):
        name = f"mod_{dtype.__name__}"
        random = random_of(name)
        a, b = (floats(random, dtype, shape, 8) for shape in ((4, 6), (6,)))
        case(name, "Mod", [a, b], each(math.fmod, a, b), 13, fmod=1)


def integer_power(x, y):
    if y >= 0:
        return x ** y
    return {1: 1, -1: 1 if y % 2 == 0 else -1}.get(x, 0)


def write_pow():
    for base, exponent in [(np.int32, np.int32), (np.int64, np.uint8),
                           (np.uint32, np.int64), (np.int8, np.int8)]:
        name = f"pow_{base.__name__}_{exponent.__name__}"
        random = random_of(name)
        a = integers(random, base, (5, 4), low=0 if base == np.uint32 else -4,
                     high=4)
        b = integers(random, exponent, (5, 4),
                     low=0 if exponent == np.uint8 else -3, high=11)
        case(name, "Pow", [a, b], each(integer_power, a, b), 15)
    a = np.array([3, -3, 7, 2, -1, -1, 1, 0], np.int64)
    b = np.array([39, 39, 22, 62, 1001, 1000, 9999, 5], np.int64)
    case("pow_int64_exact", "Pow", [a, b], each(integer_power, a, b), 15)
    for base, exponent in [(F32, np.uint64), (F32, np.uint32), (F16, np.int32),
                           (F64, np.int16), (F32, F64)]:
        name = f"pow_{base.__name__}_{exponent.__name__}"
        random = random_of(name)
        a = floats(random, base, (3, 5))
        if exponent == F64:
            a, b = abs(a), floats(random, exponent, (5,))
        else:
            low = 0 if np.issubdtype(exponent, np.unsignedinteger) else -2
            b = integers(random, exponent, (5,), low=low, high=4)
        case(name, "Pow", [a, b], each(math.pow, a, b), 13)
    a = np.array([[4, 9], [2, 10]], np.int32)
    b = np.array([0.5, 2.5], F32)
    case("pow_int32_float32", "Pow", [a, b], each(math.pow, a, b), 13)


def nan_max(*values):
    return NAN if any(v != v for v in values) else max(values)


def nan_min(*values):
    return NAN if any(v != v for v in values) else min(values)


def write_variadic():
    for dtype in (F16, F64):
        random = random_of(f"variadic_{dtype.__name__}")
        arrays = [floats(random, dtype, shape)
                  for shape in ((2, 3, 4), (4,), (3, 1))]
        arrays[0][0, 1, 2] = NAN
        arrays[1][3] = -INF
        for op, function in [("Max", nan_max), ("Min", nan_min),
                             ("Sum", lambda *v: sum(v)),
                             ("Mean", lambda *v: sum(v) / 3)]:
            case(f"{op.lower()}_{dtype.__name__}_three", op, arrays,
                 each(function, *arrays), 13)
    a = integers(random_of("max_one"), np.uint16, (7,))
    case("max_one_uint16", "Max", [a], a, 13)


def write_comparisons():
    functions = {"Less": (13, lambda a, b: a < b),
                 "Greater": (13, lambda a, b: a > b),
                 "LessOrEqual": (16, lambda a, b: a <= b),
                 "GreaterOrEqual": (16, lambda a, b: a >= b),
                 "Equal": (19, lambda a, b: a == b)}
    types = [np.uint64, np.int8, F16, np.uint16, np.int16]
    for (op, (opset, function)), dtype in zip(functions.items(), types):
        name = f"{op.lower()}_{dtype.__name__}"
        random = random_of(name)
        make = floats if dtype == F16 else integers
        a, b = make(random, dtype, (4, 5)), make(random, dtype, (4, 1))
        a[2] = b[2]
        case(name, op, [a, b], each(function, a, b, dtype=np.bool_), opset)
    x = np.array([NAN, 1, -INF, 0, -0.0], F32)
    y = np.array([[NAN], [0], [-INF]], F32)
    for op, (opset, function) in functions.items():
        case(f"{op.lower()}_nan", op, [x, y],
             each(function, x, y, dtype=np.bool_), opset)
    a = np.array([[True, False], [False, True]])
    b = np.array([True, False])
    case("equal_bool", "Equal", [a, b], a == b, 19)


def write_shifts_and_where():
    for k, dtype in enumerate((np.uint8, np.uint16, np.uint32, np.uint64)):
        bits = 8 * np.dtype(dtype).itemsize
        direction = ("LEFT", "RIGHT")[k % 2]
        name = f"bitshift_{dtype.__name__}_{direction.lower()}"
        a = integers(random_of(name), dtype, (3, 6))
        b = np.array([0, 1, bits - 1, bits, bits + 1, 200], dtype)
        shifted = each(lambda x, y: x << y if direction == "LEFT" else x >> y,
                       a, b)
        case(name, "BitShift", [a, b], shifted, 11, direction=direction)
    for dtype in (np.bool_, np.int8, np.uint16, F16, np.uint64):
        name = f"where_{dtype.__name__}"
        random = random_of(name)
        chosen = random.integers(0, 2, (3, 1, 4)).astype(np.bool_)
        a, b = (random.integers(0, 2 if dtype == np.bool_ else 100, shape)
                .astype(dtype) for shape in ((5, 4), (1, 1)))
        case(name, "Where", [chosen, a, b],
             each(lambda c, x, y: x if c else y, chosen, a, b, dtype=dtype),
             16)


def bfloat16(values):
    """The values' upper halves: they must need no more."""
    array = np.asarray(values, F32)
    bits = array.view(np.uint32)
    assert not (bits & 0xffff).any()
    return packed(TensorProto.BFLOAT16, array.shape,
                  (bits >> 16).astype("<u2").tobytes())


def write_classification():
    x = np.array([[NAN, INF, -INF], [0, -1.5, 60000]], F16)
    for dtype, opset in [(F16, 20), (F32, 10), (F64, 20)]:
        a = x.astype(dtype)
        for name, up, down in [("both", 1, 1), ("positive", 1, 0),
                               ("negative", 0, 1), ("none", 0, 0)]:
            case(f"isinf_{dtype.__name__}_{name}", "IsInf", [a],
                 each(lambda v: v == INF and up or v == -INF and down, a,
                      dtype=np.bool_), opset,
                 detect_positive=up, detect_negative=down)
        case(f"isnan_{dtype.__name__}", "IsNaN", [a],
             each(lambda v: v != v, a, dtype=np.bool_),
             max(opset, 13))
    a = bfloat16([NAN, INF, -INF, 0.5])
    case("isinf_bfloat16", "IsInf", [a],
         np.array([False, True, True, False]), 20)
    case("isnan_bfloat16", "IsNaN", [a],
         np.array([True, False, False, False]), 20)
    case("sign_bfloat16", "Sign", [bfloat16([-2.5, 0, 3, -INF])],
         bfloat16([-1, 0, 1, -1]), 13)
    case("add_bfloat16", "Add", [bfloat16([1.5, -2, 256]),
                                 bfloat16([0.25, 0.5, 1])],
         bfloat16([1.75, -1.5, 256]), 14)


def clipped(low, high):
    def function(x):
        x = x if low is None or not x < low else low
        return x if high is None or not x > high else high
    return function


def write_clip():
    for name, dtype, low, high in [
            ("uint8", np.uint8, 20, 200), ("int16", np.int16, -500, 900),
            ("int64_no_low", np.int64, None, 7), ("float16", F16, -1, 0.5),
            ("float64_no_high", F64, 0.25, None),
            ("swapped", F32, 1, -1), ("none", np.uint32, None, None)]:
        random = random_of("clip_" + name)
        if np.issubdtype(dtype, np.integer):
            x = integers(random, dtype, (5, 6))
        else:
            x = floats(random, dtype, (5, 6))
        inputs, names = {"x": x}, ["x"]
        for key, bound in (("low", low), ("high", high)):
            names.append("" if bound is None else key)
            if bound is not None:
                inputs[key] = np.array(bound, dtype)
        write_case("clip_" + name, helper.make_node("Clip", names, ["y"]),
                   inputs, {"y": each(clipped(low, high), x)}, 13)
    x = np.array([NAN, 3, -3], F32)
    case("clip_6", "Clip", [x], np.array([NAN, 2, -1], F32), 6, min=-1.0,
         max=2.0)


def sigmoid(x):
    return 1 / (1 + math.exp(-x)) if x > 0 else math.exp(x) / (1 + math.exp(x))


def softplus(x):
    return max(x, 0) + math.log1p(math.exp(-abs(x)))


def gelu_tanh(x):
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)
    return 0.5 * x * (1 + math.tanh(inner))


ACTIVATIONS = [
    ("swish", "Swish", 24, {"alpha": 1.5}, lambda x: x * sigmoid(1.5 * x)),
    ("gelu", "Gelu", 20, {},
     lambda x: 0.5 * x * (1 + math.erf(x / math.sqrt(2)))),
    ("gelu_tanh", "Gelu", 20, {"approximate": "tanh"}, gelu_tanh),
    ("mish", "Mish", 22, {}, lambda x: x * math.tanh(softplus(x))),
    ("hardswish", "HardSwish", 22, {},
     lambda x: x * max(0, min(1, x / 6 + 0.5))),
    ("hardsigmoid", "HardSigmoid", 22, {"alpha": 0.5, "beta": 0.25},
     lambda x: max(0, min(1, 0.5 * x + 0.25))),
    ("elu", "Elu", 22, {"alpha": 1.5},
     lambda x: x if x >= 0 else 1.5 * math.expm1(x)),
    ("selu", "Selu", 22, {"alpha": 2.0, "gamma": 0.5},
     lambda x: 0.5 * (x if x > 0 else 2 * math.expm1(x))),
    ("selu_1", "Selu", 1, {},
     lambda x: 1.0507 * (x if x > 0 else 1.6732 * math.expm1(x))),
    ("celu", "Celu", 12, {"alpha": 2.0},
     lambda x: max(0, x) + min(0, 2 * math.expm1(x / 2))),
    ("softplus", "Softplus", 22, {}, softplus),
    ("softsign", "Softsign", 22, {}, lambda x: x / (1 + abs(x))),
    ("thresholdedrelu", "ThresholdedRelu", 22, {"alpha": 0.5},
     lambda x: x if x > 0.5 else 0),
    ("leakyrelu", "LeakyRelu", 16, {"alpha": 0.25},
     lambda x: x if x >= 0 else 0.25 * x),
    ("shrink", "Shrink", 9, {"lambd": 1.0, "bias": 0.5},
     lambda x: x + 0.5 if x < -1 else x - 0.5 if x > 1 else 0),
    ("round", "Round", 22, {}, round),
    ("ceil", "Ceil", 13, {}, math.ceil),
    ("floor", "Floor", 13, {}, math.floor),
    ("reciprocal", "Reciprocal", 13, {}, lambda x: 1 / x),
    ("erf", "Erf", 13, {}, math.erf),
    ("sinh", "Sinh", 22, {}, math.sinh),
    ("cosh", "Cosh", 22, {}, math.cosh),
    ("asinh", "Asinh", 22, {}, math.asinh),
    ("atan", "Atan", 22, {}, math.atan),
    ("tan", "Tan", 22, {}, math.tan),
]


def write_activations():
    for k, (name, op, opset, attributes, function) in enumerate(ACTIVATIONS):
        dtype = (F32, F64)[k % 2] if name != "celu" else F32
        x = floats(random_of(name), dtype, (3, 7, 3))
        case(f"{name}_{dtype.__name__}", op, [x], each(function, x), opset,
             **attributes)
    halves = np.array([0.5, 1.5, -0.5, -2.5, 2.5, 3.49], F16)
    case("round_float16", "Round", [halves], each(round, halves), 22)
    x = floats(random_of("hardswish_16"), F16, (2, 9))
    wide = x.astype(F32)
    case("hardswish_float16", "HardSwish", [x],
         each(lambda v: v * max(0, min(1, v / 6 + 0.5)), wide).astype(F16), 22)


def write_integer_functions():
    x = integers(random_of("abs_int8"), np.int8, (4, 8))
    x[0, 0] = -128
    case("abs_int8", "Abs", [x], each(abs, x), 13)
    case("neg_int8", "Neg", [x], each(lambda v: -v, x), 13)
    case("relu_int8", "Relu", [x], each(lambda v: max(v, 0), x), 14)
    case("sign_int8", "Sign", [x], each(lambda v: (v > 0) - (v < 0), x), 13)
    u = integers(random_of("sign_uint16"), np.uint16, (4, 8))
    u[1] = 0
    case("sign_uint16", "Sign", [u], each(lambda v: int(v > 0), u), 13)
    case("abs_uint16", "Abs", [u], u, 13)
    small = integers(random_of("shrink_int32"), np.int32, (5, 5), -6, 6)
    # What is not whole is cut off towards 0 when it becomes an integer.
    case("shrink_int32", "Shrink", [small],
         each(lambda v: math.trunc(v + 0.5) if v < -2.5 else
              math.trunc(v - 0.5) if v > 2.5 else 0, small), 9,
         lambd=2.5, bias=0.5)
    case("shrink_uint8", "Shrink", [small.astype(np.uint8)],
         each(lambda v: v - 1 if v > 3 else 0, small.astype(np.uint8)), 9,
         lambd=3.0, bias=1.0)
    slope = np.array([[[2]], [[3]]], np.int32)
    x = integers(random_of("prelu_int32"), np.int32, (2, 2, 3, 2), -50, 50)
    case("prelu_int32", "PRelu", [x, slope],
         each(lambda v, s: v if v >= 0 else v * s, x, slope), 16)


def write_legacy():
    """Before opset 7: the second operand begins at `axis` of the first."""
    random = random_of("legacy")
    a, b = floats(random, F32, (2, 3, 4, 5)), floats(random, F32, (3, 4))
    spread = b.reshape(1, 3, 4, 1)
    functions = {"Add": lambda x, y: x + y, "Sub": lambda x, y: x - y,
                 "Mul": lambda x, y: x * y, "Div": lambda x, y: x / y}
    for op, function in functions.items():
        case(f"{op.lower()}_6_axis", op, [a, b], each(function, a, spread), 6,
             broadcast=1, axis=1)
    case("less_6_axis", "Less", [a, b],
         each(lambda x, y: x < y, a, spread, dtype=np.bool_), 6, broadcast=1,
         axis=1)
    case("pow_6_suffix", "Pow", [abs(a), b[1:2, 0]],
         each(math.pow, abs(a), b[1, 0]), 6, broadcast=1)
    flags = random.integers(0, 2, (2, 3, 4)).astype(np.bool_)
    case("and_6_axis", "And", [flags, flags[:, 0, 0]],
         flags & flags[:, :1, :1], 6, broadcast=1, axis=0)
    slope = np.array([0.5, -1, 2], F32)
    case("prelu_6_channels", "PRelu", [a, slope],
         each(lambda v, s: v if v >= 0 else v * s, a, slope.reshape(3, 1, 1)),
         6)


def write_cases():
    write_integers()
    write_mod()
    write_pow()
    write_variadic()
    write_comparisons()
    write_shifts_and_where()
    write_classification()
    write_clip()
    write_activations()
    write_integer_functions()
    write_legacy()
