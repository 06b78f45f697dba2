# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""QuantizeLinear and DequantizeLinear with elements of eight bits and fewer
that numpy lacks. Floats are found in a list of all that a format has."""
import numpy as np
from onnx import helper

from op_cases.case import packed, random_of, write_case
from op_cases.quantize import parameter_at

# name: TensorProto number, exponent bits, mantissa bits, bias, largest code of
# a positive number, whether an infinity exists, code of NaN
FLOATS = {"e4m3fn": (17, 4, 3, 7, 0x7e, False, 0x7f),
          "e4m3fnuz": (18, 4, 3, 8, 0x7f, False, 0x80),
          "e5m2": (19, 5, 2, 15, 0x7b, True, 0x7f),
          "e5m2fnuz": (20, 5, 2, 16, 0x7f, False, 0x80),
          "e2m1": (23, 2, 1, 1, 0x7, False, None)}
# name: TensorProto number, bits, lowest, highest
INTEGERS = {"uint4": (21, 4, 0, 15), "int4": (22, 4, -8, 7),
            "uint2": (25, 2, 0, 3), "int2": (26, 2, -2, 1)}
E8M0 = 24


def positive_values(kind):
    _, _, mantissa, bias, last, _, _ = FLOATS[kind]
    values = []
    for code in range(last + 1):
        exponent, fraction = code >> mantissa, code & ((1 << mantissa) - 1)
        if exponent == 0:
            values.append(fraction * 2.0**(1 - bias - mantissa))
        else:
            values.append((1 + fraction / 2**mantissa) *
                          2.0**(exponent - bias))
    return values


def encoded_float(kind, value, saturate=True):
    _, exponent, mantissa, _, last, has_infinity, nan = FLOATS[kind]
    values = positive_values(kind)
    sign_bit = 1 << (exponent + mantissa)
    size = abs(value)
    step = values[-1] - values[-2]
    if size >= values[-1] + step / 2 and not saturate:
        code = last + 1 if has_infinity else nan
        return code | (sign_bit if value < 0 and has_infinity else 0)
    code = min(range(last + 1),
               key=lambda c: (abs(values[c] - size), c & 1))
    is_negative = value < 0 and (code or not kind.endswith("uz"))
    return code | (sign_bit if is_negative else 0)


def decoded_float(kind, code):
    _, exponent, mantissa, _, _, _, _ = FLOATS[kind]
    sign_bit = 1 << (exponent + mantissa)
    value = positive_values(kind)[code & (sign_bit - 1)]
    return -value if code & sign_bit else value


def bits_of(kind):
    if kind in INTEGERS:
        return INTEGERS[kind][1]
    return 1 + FLOATS[kind][1] + FLOATS[kind][2]


def number_of(kind):
    return (INTEGERS if kind in INTEGERS else FLOATS)[kind][0]


def tensor_of(kind, codes):
    """Codes (integers as they are, floats as their bits) as a TensorProto."""
    bits = bits_of(kind)
    flat = [int(code) & ((1 << bits) - 1) for code in codes.reshape(-1)]
    per_byte = 8 // bits
    raw = [sum(code << (bits * i)
               for i, code in enumerate(flat[at:at + per_byte]))
           for at in range(0, len(flat), per_byte)]
    return packed(number_of(kind), codes.shape, raw)


def value_of(kind, code):
    return int(code) if kind in INTEGERS else decoded_float(kind, int(code))


def quantized(kind, ratio, zero, saturate):
    if kind in FLOATS:
        return encoded_float(kind, np.float32(ratio) + np.float32(zero),
                             saturate)
    _, _, low, high = INTEGERS[kind]
    return min(max(round(float(ratio)) + int(zero), low), high)


def codes_of(name, kind, shape):
    if kind in INTEGERS:
        _, _, low, high = INTEGERS[kind]
        return random_of(name).integers(low, high + 1, shape)
    last, bits = FLOATS[kind][4], bits_of(kind)
    codes = random_of(name).integers(0, last + 1, shape)
    signs = random_of(name + "s").integers(0, 2, shape) * (codes > 0)
    return codes | (signs << (bits - 1))


def write_both(name, kind, opset, shape, scale, zero=None, axis=1, block=0,
               saturate=True, dtype=np.float32, spread=3.0, shapes=None):
    """`zero`: codes, or None to name the type by output_dtype."""
    x = random_of(name + "x").normal(0, spread, shape).astype(dtype)
    place = axis % max(len(shape), 1)
    y = np.zeros(shape, np.int64)
    for index in np.ndindex(*shape):
        by = parameter_at(scale, index, x.ndim, place, block)
        start = 0 if zero is None else value_of(
            kind, parameter_at(zero, index, x.ndim, place, block))
        y[index] = quantized(kind, dtype(x[index] / dtype(by)), start,
                             saturate)
    inputs = {"x": x, "scale": scale}
    attributes = {"axis": axis}
    if block:
        attributes["block_size"] = block
    if zero is not None:
        inputs["zero"] = tensor_of(kind, zero)
    else:
        attributes["output_dtype"] = number_of(kind)
    more = {} if saturate else {"saturate": 0}
    write_case(f"quantize_{kind}_{name}",
               helper.make_node("QuantizeLinear", list(inputs), ["y"],
                                **attributes, **more),
               inputs, {"y": tensor_of(kind, y)}, opset, shapes=shapes)
    if saturate:
        attributes.pop("output_dtype", None)
        write_dequantize(name, kind, opset, shape, scale, zero, place, block,
                         attributes, shapes)


def write_dequantize(name, kind, opset, shape, scale, zero, place, block,
                     attributes, shapes):
    codes = codes_of(name + kind, kind, shape)
    y = np.zeros(shape, scale.dtype)
    for index in np.ndindex(*shape):
        by = parameter_at(scale, index, len(shape), place, block)
        start = 0 if zero is None else value_of(
            kind, parameter_at(zero, index, len(shape), place, block))
        y[index] = (np.float32(value_of(kind, codes[index])) -
                    np.float32(start)) * np.float32(by)
    inputs = {"x": tensor_of(kind, codes), "scale": scale}
    if zero is not None:
        inputs["zero"] = tensor_of(kind, zero)
    write_case(f"dequantize_{kind}_{name}",
               helper.make_node("DequantizeLinear", list(inputs), ["y"],
                                **attributes), inputs, {"y": y}, opset,
               shapes=shapes)


def scales(name, shape, dtype=np.float32):
    return random_of(name + "scale").uniform(0.2, 2, shape).astype(dtype)


def write_eights():
    none = np.zeros((), np.int64)
    for kind in ("e4m3fn", "e4m3fnuz", "e5m2", "e5m2fnuz"):
        write_both("tensor", kind, 19, (3, 7), scales(kind, ()), none,
                   spread=200)
        write_both("axis", kind, 19, (2, 3, 4), scales(kind, 3),
                   np.zeros(3, np.int64), 1, spread=0.05)
        write_both("clipped", kind, 19, (3, 5), np.array(1, np.float32), none,
                   spread=300000)
        write_both("unclipped", kind, 19, (3, 5), np.array(1, np.float32),
                   none, spread=300000, saturate=False)
    write_both("half", "e4m3fn", 19, (3, 5), scales("half", 5, np.float16),
               np.zeros(5, np.int64), 1, dtype=np.float16)
    write_both("block", "e5m2", 21, (2, 6), scales("fb", (2, 3)), None, 1, 2,
               spread=40)
    # A zero point that is not 0 is added like any other.
    write_both("shifted", "e4m3fn", 19, (2, 5), scales("fs", ()),
               np.array(encoded_float("e4m3fn", 1.5)))


def write_fours_and_twos():
    for kind in ("uint4", "int4", "uint2", "int2", "e2m1"):
        opset = {"u": 21, "i": 21, "e": 23}[kind[0]]
        opset = 25 if kind.endswith("2") else opset
        zero = codes_of(kind + "z", kind, ())
        write_both("tensor", kind, opset, (3, 5), scales(kind, ()), zero)
        write_both("axis", kind, opset, (3, 4), scales(kind, 3),
                   codes_of(kind + "za", kind, 3), 0)
        write_both("type_only", kind, opset, (7,), scales(kind + "t", ()))
        write_both("block", kind, opset, (2, 6, 3), scales(kind, (2, 2, 3)),
                   codes_of(kind + "zb", kind, (2, 2, 3)), 1, 3)
        write_both("ragged", kind, opset, (2, 7), scales(kind, (2, 3)),
                   codes_of(kind + "zr", kind, (2, 3)), -1, 3)
    write_both("symbolic", "int4", 21, (4, 6), scales("i4s", (2, 6)),
               codes_of("i4sz", "int4", (2, 6)), 0, 2,
               shapes={"x": ["n", "m"], "y": ["n", "m"],
                       "scale": ["k", "m"], "zero": ["k", "m"]})


def write_power_scales():
    """float8e8m0: nothing but powers of two."""
    powers = random_of("e8m0").integers(-3, 4, (2, 2))
    scale = packed(E8M0, (2, 2), [127 + int(p) for p in powers.reshape(-1)])
    codes = codes_of("e8m0x", "e2m1", (2, 6))
    y = np.zeros((2, 6), np.float16)
    for row, column in np.ndindex(2, 6):
        y[row, column] = decoded_float("e2m1", int(codes[row, column])) * (
            2.0**int(powers[row, column // 3]))
    write_case("dequantize_e8m0_scale",
               helper.make_node("DequantizeLinear", ["x", "scale"], ["y"],
                                axis=1, block_size=3, output_dtype=10),
               {"x": tensor_of("e2m1", codes), "scale": scale}, {"y": y}, 24)
    x = random_of("e8m0q").normal(0, 4, (2, 6)).astype(np.float32)
    result = np.zeros((2, 6), np.int64)
    for row, column in np.ndindex(2, 6):
        ratio = x[row, column] / 2.0**int(powers[row, column // 3])
        result[row, column] = encoded_float("e2m1", ratio)
    write_case("quantize_e8m0_scale",
               helper.make_node("QuantizeLinear", ["x", "scale"], ["y"],
                                axis=1, block_size=3, precision=1,
                                output_dtype=23),
               {"x": x, "scale": scale}, {"y": tensor_of("e2m1", result)}, 24)


def write_products():
    """QLinearMatMul of floats: sums of few numbers, exact in float32."""
    for kind in ("e4m3fn", "e5m2fnuz"):
        a = codes_of(kind + "ma", kind, (2, 3)) & ~0x40
        b = codes_of(kind + "mb", kind, (3, 4)) & ~0x40
        zero = np.array(encoded_float(kind, 0.5))
        none = np.array(0)
        scale = [np.array(v, np.float32) for v in (0.5, 0.75, 0.3)]
        y = np.zeros((2, 4), np.int64)
        for row, column in np.ndindex(2, 4):
            total = sum((decoded_float(kind, int(a[row, k])) - 0.5) *
                        decoded_float(kind, int(b[k, column]))
                        for k in range(3))
            y[row, column] = encoded_float(
                kind, total * float(scale[0]) * float(scale[1]) / float(
                    scale[2]))
        inputs = {"a": tensor_of(kind, a), "a_scale": scale[0],
                  "a_zero": tensor_of(kind, zero), "b": tensor_of(kind, b),
                  "b_scale": scale[1], "b_zero": tensor_of(kind, none),
                  "y_scale": scale[2], "y_zero": tensor_of(kind, none)}
        write_case("qlinearmatmul_" + kind,
                   helper.make_node("QLinearMatMul", list(inputs), ["y"]),
                   inputs, {"y": tensor_of(kind, y)}, 21)


def write_cases():
    write_products()
    write_eights()
    write_fours_and_twos()
    write_power_scales()
