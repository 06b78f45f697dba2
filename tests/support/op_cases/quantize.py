# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear."""
import numpy as np
from onnx import TensorProto, helper

from op_cases.case import packed, random_of, write_case

RANGES = {np.uint8: (0, 255), np.int8: (-128, 127), np.uint16: (0, 65535),
          np.int16: (-32768, 32767)}


def brain(values):
    """float32 rounded to the nearest bfloat16, ties to even."""
    bits = np.atleast_1d(np.asarray(values, np.float32)).view(np.uint32)
    bits = bits + 0x7fff + ((bits >> 16) & 1)
    rounded = (bits & np.uint32(0xffff0000)).view(np.float32)
    return rounded.reshape(np.shape(values))


def brain_tensor(values):
    values = brain(values)
    high = np.atleast_1d(values).view(np.uint32) >> 16
    return packed(TensorProto.BFLOAT16, values.shape,
                  high.astype("<u2").tobytes())


def parameter_at(values, index, rank, axis, block):
    """The scale or zero point of the element at `index`."""
    if values is None:
        return 0
    if values.size == 1:
        return values.reshape(-1)[0]
    if not block:
        return values[index[axis]]
    index = list(index)
    index[axis] //= block
    return values[tuple(index)]


def divided(x, scale, rounding):
    if rounding == "exact":
        return float(x) / float(scale)
    if rounding == "bfloat16":
        return float(brain(brain(x) / brain(scale)))
    return float(rounding(rounding(x) / rounding(scale)))


def quantized(x, scale, zero, target, axis=1, block=0, rounding=np.float32):
    low, high = RANGES[target]
    y = np.zeros(x.shape, target)
    for index in np.ndindex(*x.shape):
        ratio = divided(x[index], parameter_at(scale, index, x.ndim, axis,
                                               block), rounding)
        if np.isinf(ratio):
            y[index] = high if ratio > 0 else low
            continue
        whole = round(ratio)  # Python rounds halves to even
        whole += int(parameter_at(zero, index, x.ndim, axis, block))
        y[index] = min(max(whole, low), high)
    return y


def dequantized(x, scale, zero, axis=1, block=0):
    y = np.zeros(x.shape, np.float32)
    for index in np.ndindex(*x.shape):
        shift = int(parameter_at(zero, index, x.ndim, axis, block))
        y[index] = np.float32(int(x[index]) - shift) * np.float32(
            parameter_at(scale, index, x.ndim, axis, block))
    return y


def write_scaled(op, name, opset, reference, x, scale, zero, axis=None,
                 block=None, forms=None, shapes=None, domain="", **more):
    """`reference` is given the axis and the block, 0 for none."""
    attributes = dict(more)
    if axis is not None:
        attributes["axis"] = axis
    if block is not None:
        attributes["block_size"] = block
    place = (1 if axis is None else axis) % max(x.ndim, 1)
    y = reference(place, block or 0)
    inputs = {"x": x, "scale": scale}
    if zero is not None:
        inputs["zero"] = zero
    inputs = {key: forms[key](value) if forms and key in forms else value
              for key, value in inputs.items()}
    node = helper.make_node(op + "Linear", list(inputs), ["y"],
                            domain=domain, **attributes)
    write_case(f"{op.lower()}_{name}", node, inputs, {"y": y}, opset,
               opsets=[(domain, 1)] if domain else (), shapes=shapes)


def write_quantize(name, opset, x, scale, zero, target, axis=None, block=None,
                   rounding=np.float32, **more):
    write_scaled("Quantize", name, opset,
                 lambda place, size: quantized(x, scale, zero, target, place,
                                               size, rounding),
                 x, scale, zero, axis, block, **more)


def write_dequantize(name, opset, x, scale, zero, axis=None, block=None,
                     result=lambda y: y, **more):
    write_scaled("Dequantize", name, opset,
                 lambda place, size: result(dequantized(x, scale, zero, place,
                                                        size)),
                 x, scale, zero, axis, block, **more)


def numbers(name, shape, spread=200.0):
    return random_of(name).normal(0, spread, shape).astype(np.float32)


def scales(name, shape):
    return random_of(name + "_scale").uniform(0.5, 4, shape).astype(np.float32)


def zeros(name, shape, target):
    low, high = RANGES[target]
    return random_of(name + "_zero").integers(low, high + 1, shape).astype(
        target)


def write_per_tensor():
    edges = np.array([[0, 1, 3, -1, -3, 5, 2.5, -2.5], [
        1e30, -1e30, np.inf, -np.inf, 254.9, 255.1, 1e-30, -0.0]], np.float32)
    two = np.array(2, np.float32)
    write_quantize("edges_uint8", 10, edges, two, np.array(3, np.uint8),
                   np.uint8)
    write_quantize("edges_int8", 13, edges, two, np.array(-5, np.int8),
                   np.int8)
    write_quantize("edges_int16", 21, edges * np.float32(255), two,
                   np.array(-5, np.int16), np.int16)
    write_quantize("edges_uint16", 21, edges * np.float32(515), two,
                   np.array(7, np.uint16), np.uint16)
    write_quantize("no_zero", 13, edges, np.array(0.7, np.float32), None,
                   np.uint8)
    write_quantize("scalar", 13, np.array(-7.2, np.float32),
                   np.array(0.7, np.float32), np.array(100, np.uint8),
                   np.uint8)
    write_quantize("vector_of_one", 13, numbers("v1", (5,)),
                   np.array([0.7], np.float32), np.array([100], np.uint8),
                   np.uint8)
    write_quantize("output_type", 21, numbers("ot", (3, 4), 1e4), two, None,
                   np.int16, output_dtype=TensorProto.INT16)
    write_quantize("both_types", 21, numbers("bt", (3, 4)), two,
                   np.array(4, np.int8), np.int8,
                   output_dtype=TensorProto.INT8)
    write_quantize("microsoft", 13, numbers("ms", (3, 4), 1e4), two,
                   np.array(1000, np.uint16), np.uint16,
                   domain="com.microsoft")


def write_per_axis():
    for name, opset, shape, axis, target in (
            ("axis_default", 13, (2, 3, 4), None, np.int8),
            ("axis_first", 13, (3, 5), 0, np.uint8),
            ("axis_last", 19, (2, 3, 4), -1, np.uint8),
            ("axis_vector", 13, (6,), 0, np.int8),
            ("axis_int16", 21, (2, 3, 2, 2), 1, np.int16),
            ("axis_microsoft", 13, (2, 3, 4), 2, np.int8)):
        length = shape[1 if axis is None else axis]
        write_quantize(
            name, opset, numbers(name, shape), scales(name, length),
            zeros(name, length, target), target, axis,
            domain="com.microsoft" if "microsoft" in name else "")
        low, high = RANGES[target]
        x = random_of(name + "_q").integers(low, high + 1, shape)
        write_dequantize(
            name, opset, x.astype(target), scales(name, length),
            zeros(name, length, target), axis,
            domain="com.microsoft" if "microsoft" in name else "")
    write_quantize("axis_symbolic", 13, numbers("sym", (2, 3, 4)),
                   scales("sym", 3), zeros("sym", 3, np.uint8), np.uint8,
                   shapes={"x": ["n", "c", None], "y": ["n", "c", None]})


def write_blocked():
    for name, shape, axis, block, target in (
            ("block_even", (2, 6, 3), 1, 2, np.int8),
            ("block_first", (6, 5), 0, 3, np.uint8),
            ("block_last", (2, 3, 8), -1, 4, np.int16),
            ("block_ragged", (2, 7, 2), 1, 3, np.uint8),
            ("block_ragged_last", (3, 10), -1, 4, np.int8),
            ("block_whole", (2, 4), 1, 4, np.uint8),
            ("block_single", (2, 4), 0, 1, np.int8)):
        outer = list(shape)
        outer[axis] = -(-shape[axis] // block)
        symbols = {"x": ["n", *shape[1:]], "y": ["n", *shape[1:]],
                   "scale": ["n", *outer[1:]], "zero": ["n", *outer[1:]]}
        shapes = symbols if axis % len(shape) else None
        write_quantize(name, 21, numbers(name, shape), scales(name, outer),
                       zeros(name, outer, target), target, axis, block,
                       shapes=shapes)
        low, high = RANGES[target]
        x = random_of(name + "_q").integers(low, high + 1, shape)
        write_dequantize(name, 21, x.astype(target), scales(name, outer),
                         zeros(name, outer, target), axis, block,
                         shapes=shapes)


def write_types():
    x = numbers("types", (3, 5))
    half = x.astype(np.float16)
    write_quantize("float16", 19, half, np.array(1.7, np.float16),
                   np.array(9, np.int8), np.int8, rounding=np.float16)
    write_quantize("bfloat16", 21, brain(x), brain(scales("bf", 5)),
                   zeros("bf", 5, np.int16), np.int16, 1,
                   rounding="bfloat16",
                   forms={"x": brain_tensor, "scale": brain_tensor})
    write_quantize("half_scale", 23, x, np.array(0.83, np.float16),
                   np.array(1, np.uint8), np.uint8, rounding=np.float16)
    write_quantize("float_scale", 23, half, np.array(0.83, np.float32),
                   np.array(1, np.uint8), np.uint8)
    write_quantize("precision", 23, half, np.array(0.013, np.float16),
                   np.array(1, np.int16), np.int16,
                   precision=TensorProto.FLOAT)
    whole = random_of("int32").integers(-2**31, 2**31, (4, 6)).astype(np.int32)
    write_quantize("int32", 13, whole // 2**20, np.array(8, np.float32),
                   np.array(3, np.int8), np.int8)
    write_quantize("int32_scale", 19, whole // 2**20, np.array(8, np.int32),
                   np.array(3, np.int8), np.int8, rounding="exact")

    q = random_of("dq").integers(-128, 128, (3, 5)).astype(np.int8)
    zero = np.array(-7, np.int8)
    write_dequantize("no_zero", 10, q, np.array(0.3, np.float32), None)
    write_dequantize("uint16", 21, (q.astype(np.int32) + 999).astype(
        np.uint16), np.array(0.3, np.float32), np.array(1000, np.uint16))
    write_dequantize("int32", 13, whole, np.array(0.25, np.float32), None)
    write_dequantize("int32_axis", 13, whole, scales("i32", 6), None, 1)
    write_dequantize("float16", 19, q, np.array(0.3, np.float16), zero,
                     result=lambda y: y.astype(np.float16))
    write_dequantize("bfloat16", 19, q, brain(np.float32(0.3)), zero,
                     result=brain_tensor, forms={"scale": brain_tensor})
    write_dequantize("half_to_float", 23, q, np.array(0.3, np.float16), zero,
                     output_dtype=TensorProto.FLOAT)
    write_dequantize("float_to_half", 23, q, np.array(0.3, np.float32), zero,
                     result=lambda y: y.astype(np.float16),
                     output_dtype=TensorProto.FLOAT16)


def write_dynamic():
    for name, x in (("both_signs", numbers("dyn", (3, 4))),
                    ("positive", np.abs(numbers("dynp", (2, 3, 2)))),
                    ("negative", -np.abs(numbers("dynn", (7,)))),
                    ("flat", np.zeros((2, 3), np.float32))):
        low, high = min(x.min(), 0), max(x.max(), 0)
        scale = np.float32((np.float32(high) - np.float32(low)) /
                           np.float32(255))
        divisor = scale if scale else np.float32(1)
        zero = round(float(min(max(-low / divisor, 0), 255)))
        y = quantized(x, np.array(divisor), np.array(zero), np.uint8)
        node = helper.make_node("DynamicQuantizeLinear", ["x"],
                                ["y", "scale", "zero"])
        write_case("dynamicquantize_" + name, node, {"x": x},
                   {"y": y, "scale": np.array(scale, np.float32),
                    "zero": np.array(zero, np.uint8)}, 11)


def write_cases():
    write_per_tensor()
    write_per_axis()
    write_blocked()
    write_types()
    write_dynamic()
