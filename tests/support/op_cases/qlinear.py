# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products, convolutions and com.microsoft's operators on quantised tensors.
The references dequantise, or sum with Python integers, element by element."""
import itertools

import numpy as np
from onnx import helper

from op_cases.case import random_of, write_case
from op_cases.quantize import RANGES, brain, brain_tensor

MICROSOFT = "com.microsoft"


def bytes_of(name, shape, target=np.uint8):
    low, high = RANGES[target]
    return random_of(name).integers(low, high + 1, shape).astype(target)


def scale_of(name, shape=(), low=0.01, high=0.05):
    return np.asarray(random_of(name + "_scale").uniform(low, high, shape),
                      np.float32)


def saturated(ratio, zero, target):
    low, high = RANGES[target]
    whole = np.rint(np.asarray(ratio, np.float64)) + np.asarray(
        zero, np.float64)
    return np.clip(whole, low, high).astype(target)


def real(q, scale, zero):
    return (q.astype(np.float64) - np.float64(zero)) * np.float64(scale)


# Products


def product(a, a_zero, b, b_zero):
    """numpy.matmul's shapes, in Python integers; the zero points broadcast."""
    a = np.broadcast_to(a.astype(object) - a_zero, a.shape)
    b = np.broadcast_to(b.astype(object) - b_zero, b.shape)
    left = a.reshape(1, -1) if a.ndim == 1 else a
    right = b.reshape(-1, 1) if b.ndim == 1 else b
    batch = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    left = np.broadcast_to(left, batch + left.shape[-2:])
    right = np.broadcast_to(right, batch + right.shape[-2:])
    y = np.zeros(batch + (left.shape[-2], right.shape[-1]), np.int64)
    for index in np.ndindex(*y.shape):
        *outer, m, n = index
        y[index] = sum(left[(*outer, m, k)] * right[(*outer, k, n)]
                       for k in range(left.shape[-1]))
    if a.ndim == 1:
        y = y.squeeze(-2)
    return y.squeeze(-1) if b.ndim == 1 else y


def as_integers(values):
    return np.asarray(values).astype(object)


def column(values):
    """One per row: a vector stands upright."""
    if np.size(values) == 1:
        return np.reshape(values, ())
    return values.reshape(-1, 1) if np.ndim(values) == 1 else values


def write_integer(op, name, inputs, zeros, y, shapes, **attributes):
    """A case of `inputs` and those of the zero points `zeros` that there
    are."""
    given = {key: zero for key, zero in zeros.items() if zero is not None}
    names = [*inputs, *(key if key in given else "" for key in zeros)]
    while not names[-1]:
        names.pop()
    write_case(f"{op.lower()}_{name}",
               helper.make_node(op, names, ["y"], **attributes),
               {**inputs, **given}, {"y": y.astype(np.int32)}, 10,
               shapes=shapes)


def write_matmul_integer(name, a, b, a_zero=None, b_zero=None, shapes=None):
    y = product(a, 0 if a_zero is None else as_integers(column(a_zero)), b,
                0 if b_zero is None else as_integers(b_zero))
    write_integer("MatMulInteger", name, {"a": a, "b": b},
                  {"a_zero": a_zero, "b_zero": b_zero}, y, shapes)


def write_matmul_integers():
    write_matmul_integer("none", bytes_of("mi1a", (3, 5)),
                         bytes_of("mi1b", (5, 2), np.int8))
    write_matmul_integer("b_only", bytes_of("mi2a", (3, 5), np.int8),
                         bytes_of("mi2b", (5, 2)),
                         b_zero=np.array(130, np.uint8))
    write_matmul_integer("rows_and_columns", bytes_of("mi3a", (4, 3)),
                         bytes_of("mi3b", (3, 6), np.int8),
                         bytes_of("mi3az", (4,)),
                         bytes_of("mi3bz", (6,), np.int8))
    write_matmul_integer("batches", bytes_of("mi4a", (2, 1, 3, 4)),
                         bytes_of("mi4b", (3, 4, 2)),
                         bytes_of("mi4az", (2, 1, 3, 1)),
                         bytes_of("mi4bz", (3, 1, 2)))
    write_matmul_integer("vectors", bytes_of("mi5a", (7,)),
                         bytes_of("mi5b", (7,), np.int8),
                         np.array([3], np.uint8), np.array(-4, np.int8))
    write_matmul_integer("vector_left", bytes_of("mi6a", (3,)),
                         bytes_of("mi6b", (2, 3, 4)), None,
                         bytes_of("mi6bz", (4,)))
    write_matmul_integer("vector_right", bytes_of("mi7a", (2, 3, 4)),
                         bytes_of("mi7b", (4,)), bytes_of("mi7az", (3, 1)))
    write_matmul_integer("symbolic", bytes_of("mi8a", (3, 5)),
                         bytes_of("mi8b", (5, 4)), bytes_of("mi8az", (3,)),
                         bytes_of("mi8bz", (4,)),
                         shapes={"a": ["m", "k"], "b": ["k", "n"],
                                 "a_zero": ["m"], "b_zero": ["n"],
                                 "y": ["m", "n"]})


def write_qlinear_matmul(name, a, a_scale, a_zero, b, b_scale, b_zero, y_scale,
                         y_zero, opset=10, forms=None, shapes=None):
    sums = product(a, as_integers(column(a_zero)), b, as_integers(b_zero))
    left, right = column(np.float64(a_scale)), np.float64(b_scale)
    if a.ndim == 1 and left.ndim:
        left = left[..., 0]
    if b.ndim == 1 and left.ndim:
        left = left[..., 0]
    ratio = sums * left * right / column(np.float64(y_scale))
    y = saturated(ratio, column(y_zero), y_zero.dtype.type)
    inputs = {"a": a, "a_scale": a_scale, "a_zero": a_zero, "b": b,
              "b_scale": b_scale, "b_zero": b_zero, "y_scale": y_scale,
              "y_zero": y_zero}
    inputs = {key: forms[key](value) if forms and key in forms else value
              for key, value in inputs.items()}
    write_case("qlinearmatmul_" + name,
               helper.make_node("QLinearMatMul", list(inputs), ["y"]), inputs,
               {"y": y}, opset, shapes=shapes)


def write_qlinear_matmuls():
    one = np.array(0.9, np.float32)
    for name, left, right, result in (
            ("u8_u8_u8", np.uint8, np.uint8, np.uint8),
            ("u8_s8_u8", np.uint8, np.int8, np.uint8),
            ("s8_s8_s8", np.int8, np.int8, np.int8),
            ("s8_u8_s8", np.int8, np.uint8, np.int8)):
        write_qlinear_matmul(
            name, bytes_of(name + "a", (3, 5), left), scale_of(name + "a"),
            bytes_of(name + "az", (), left), bytes_of(name + "b", (5, 4),
                                                      right),
            scale_of(name + "b"), bytes_of(name + "bz", (), right), one,
            bytes_of(name + "yz", (), result))
    write_qlinear_matmul(
        "rows_columns", bytes_of("qm1a", (4, 3)), scale_of("qm1a", (4,)),
        bytes_of("qm1az", (4,)), bytes_of("qm1b", (3, 5), np.int8),
        scale_of("qm1b", (5,)), bytes_of("qm1bz", (5,), np.int8), one,
        np.array(100, np.uint8))
    write_qlinear_matmul(
        "batches", bytes_of("qm2a", (2, 3, 4)), scale_of("qm2a", (2, 3, 1)),
        bytes_of("qm2az", (2, 3, 1)), bytes_of("qm2b", (2, 4, 2)),
        scale_of("qm2b", (2, 1, 2)), bytes_of("qm2bz", (2, 1, 2)),
        np.array([0.8], np.float32), np.array([120], np.uint8))
    write_qlinear_matmul(
        "result_rows", bytes_of("qm3a", (3, 4)), scale_of("qm3a"),
        bytes_of("qm3az", ()), bytes_of("qm3b", (4, 2)), scale_of("qm3b"),
        bytes_of("qm3bz", ()), scale_of("qm3y", (3,), 0.5, 1.5),
        bytes_of("qm3yz", (3,)))
    write_qlinear_matmul(
        "vector", bytes_of("qm4a", (5,)), scale_of("qm4a"),
        bytes_of("qm4az", ()), bytes_of("qm4b", (5, 3), np.int8),
        scale_of("qm4b", (3,)), bytes_of("qm4bz", (3,), np.int8), one,
        np.array(-3, np.int8))
    write_qlinear_matmul(
        "symbolic", bytes_of("qm5a", (3, 5)), scale_of("qm5a", (3,)),
        bytes_of("qm5az", (3,)), bytes_of("qm5b", (5, 4)),
        scale_of("qm5b", (4,)), bytes_of("qm5bz", (4,)), one,
        np.array(128, np.uint8),
        shapes={"a": ["m", "k"], "b": ["k", "n"], "y": ["m", "n"],
                "a_scale": ["m"], "a_zero": ["m"]})
    half = {key: lambda v: v.astype(np.float16)
            for key in ("a_scale", "b_scale", "y_scale")}
    write_qlinear_matmul(
        "float16", bytes_of("qm6a", (2, 4)), np.float32(np.float16(0.03)),
        bytes_of("qm6az", ()), bytes_of("qm6b", (4, 3)),
        np.float32(np.float16(0.02)), bytes_of("qm6bz", ()),
        np.float32(np.float16(0.7)), np.array(128, np.uint8), 21, half)
    brains = {key: brain_tensor for key in ("a_scale", "b_scale", "y_scale")}
    write_qlinear_matmul(
        "bfloat16", bytes_of("qm7a", (2, 4), np.int8), brain(0.03),
        bytes_of("qm7az", (), np.int8), bytes_of("qm7b", (4, 3), np.int8),
        brain(0.02), bytes_of("qm7bz", (), np.int8), brain(0.7),
        np.array(1, np.int8), 21, brains)


# Convolutions


def convolved(x, x_zero, w, w_zero, bias=None, group=1, strides=None,
              dilations=None, pads=None):
    rank = x.ndim - 2
    strides, dilations = strides or [1] * rank, dilations or [1] * rank
    pads = pads or [0] * 2 * rank
    filters, depth, *kernel = w.shape
    sizes = [(x.shape[2 + i] + pads[i] + pads[rank + i] -
              (kernel[i] - 1) * dilations[i] - 1) // strides[i] + 1
             for i in range(rank)]
    y = np.zeros((x.shape[0], filters, *sizes), np.int64)
    w_zero = np.broadcast_to(w_zero, (filters,))
    for index in np.ndindex(*y.shape):
        n, f, *position = index
        first = f // (filters // group) * depth
        total = 0 if bias is None else int(bias[f])
        for c, *inside in itertools.product(range(depth),
                                            *map(range, kernel)):
            at = [p * s + k * d - low for p, s, k, d, low in
                  zip(position, strides, inside, dilations, pads)]
            if all(0 <= a < size for a, size in zip(at, x.shape[2:])):
                total += (int(x[(n, first + c, *at)]) - int(x_zero)) * (
                    int(w[(f, c, *inside)]) - int(w_zero[f]))
        y[index] = total
    return y


CONVOLUTIONS = (
    ("1d", (2, 2, 7), (3, 2, 3), dict(strides=[2], pads=[1, 2])),
    ("2d_padded", (1, 2, 5, 4), (3, 2, 3, 3), dict(pads=[1, 1, 1, 1])),
    ("2d_strided", (2, 2, 6, 5), (2, 2, 3, 2),
     dict(strides=[2, 1], pads=[0, 1, 2, 0], dilations=[1, 2])),
    ("2d_groups", (1, 4, 4, 5), (6, 2, 2, 2), dict(group=2,
                                                   pads=[1, 0, 0, 1])),
    ("2d_depthwise", (1, 3, 5, 5), (3, 1, 3, 3),
     dict(group=3, pads=[1, 1, 1, 1], strides=[2, 2])),
    ("2d_pointwise", (2, 3, 4, 3), (5, 3, 1, 1), {}),
    ("3d", (1, 2, 3, 4, 3), (2, 2, 2, 2, 2), dict(pads=[1, 0, 0, 0, 1, 0])),
    ("3d_groups", (1, 2, 3, 3, 3), (4, 1, 2, 2, 1), dict(group=2)),
)


def write_conv_integer(name, x, w, x_zero, w_zero, attributes, shapes=None):
    y = convolved(x, 0 if x_zero is None else x_zero, w,
                  0 if w_zero is None else w_zero, **attributes)
    write_integer("ConvInteger", name, {"x": x, "w": w},
                  {"x_zero": x_zero, "w_zero": w_zero}, y, shapes,
                  **attributes)


def write_conv_integers():
    for i, (name, x, w, attributes) in enumerate(CONVOLUTIONS):
        kind = (np.uint8, np.int8)[i % 2]
        w_kind = (np.uint8, np.int8)[i // 2 % 2]
        write_conv_integer(
            name, bytes_of(name + "ix", x, kind),
            bytes_of(name + "iw", w, w_kind), bytes_of(name + "ixz", (), kind),
            bytes_of(name + "iwz", (w[0],) if i % 3 else (), w_kind),
            attributes)
    write_conv_integer("w_zero_only", bytes_of("cw", (1, 1, 4, 4)),
                       bytes_of("cww", (2, 1, 2, 2)), None,
                       bytes_of("cwz", (2,)), dict(pads=[1, 1, 0, 0]))


def write_qlinear_conv(name, kinds, x, w, attributes, opset=10,
                       per_filter=True, with_bias=True, shapes=None,
                       domain=""):
    x_kind, w_kind, y_kind = kinds
    filters = (w[0],) if per_filter else ()
    inputs = {
        "x": bytes_of(name + "qx", x, x_kind), "x_scale": scale_of(name + "x"),
        "x_zero": bytes_of(name + "xz", (), x_kind),
        "w": bytes_of(name + "qw", w, w_kind),
        "w_scale": scale_of(name + "w", filters),
        "w_zero": bytes_of(name + "wz", filters, w_kind),
        "y_scale": np.array(1.1, np.float32),
        "y_zero": bytes_of(name + "yz", (), y_kind)}
    if with_bias:
        inputs["bias"] = random_of(name + "bias").integers(
            -50000, 50000, w[0]).astype(np.int32)
    sums = convolved(inputs["x"], inputs["x_zero"], inputs["w"],
                     inputs["w_zero"], inputs.get("bias"), **attributes)
    per = np.float64(inputs["w_scale"]).reshape(filters + (1,) * (len(x) - 2))
    ratio = sums * np.float64(inputs["x_scale"]) * per / np.float64(
        inputs["y_scale"])
    y = saturated(ratio, inputs["y_zero"], y_kind)
    if domain:
        inputs["x"] = np.moveaxis(inputs["x"], 1, -1).copy()
        y = np.moveaxis(y, 1, -1).copy()
        attributes = dict(attributes, channels_last=1)
    node = helper.make_node("QLinearConv", list(inputs), ["y"], domain=domain,
                            **attributes)
    write_case("qlinearconv_" + name, node, inputs, {"y": y}, opset,
               opsets=[(domain, 1)] if domain else (), shapes=shapes)


def write_qlinear_convs():
    mixes = ((np.uint8, np.uint8, np.uint8), (np.uint8, np.int8, np.uint8),
             (np.int8, np.int8, np.int8), (np.uint8, np.int8, np.int8))
    for i, (name, x, w, attributes) in enumerate(CONVOLUTIONS):
        write_qlinear_conv(name, mixes[i % 4], x, w, attributes,
                           per_filter=i % 3 != 0, with_bias=i % 2 == 0)
    write_qlinear_conv(
        "symbolic", mixes[1], (2, 2, 5, 4), (3, 2, 3, 3),
        dict(pads=[1, 1, 1, 1]),
        shapes={"x": ["n", 2, "h", "w"], "y": ["n", 3, "p", "q"]})
    write_qlinear_conv("channels_last", mixes[2], (1, 2, 4, 5), (3, 2, 2, 2),
                       dict(pads=[1, 0, 0, 0]), domain=MICROSOFT)
    # SAME_UPPER at stride 2 of 5 and 4: 3 and 2 positions, 1 + 1 and 0 + 1.
    name, (x, w) = "same_upper", ((1, 2, 5, 4), (2, 2, 3, 3))
    write_qlinear_conv_same(name, x, w)


def write_qlinear_conv_same(name, x, w):
    inputs = {
        "x": bytes_of(name + "qx", x), "x_scale": scale_of(name + "x"),
        "x_zero": np.array(77, np.uint8), "w": bytes_of(name + "qw", w),
        "w_scale": scale_of(name + "w"), "w_zero": np.array(99, np.uint8),
        "y_scale": np.array(1.3, np.float32),
        "y_zero": np.array(128, np.uint8)}
    sums = convolved(inputs["x"], 77, inputs["w"], 99, strides=[2, 2],
                     pads=[1, 0, 1, 1])
    ratio = sums * np.float64(inputs["x_scale"]) * np.float64(
        inputs["w_scale"]) / np.float64(inputs["y_scale"])
    node = helper.make_node("QLinearConv", list(inputs), ["y"], strides=[2, 2],
                            auto_pad="SAME_UPPER", kernel_shape=[3, 3])
    write_case("qlinearconv_" + name, node, inputs,
               {"y": saturated(ratio, 128, np.uint8)}, 10)


# com.microsoft


def write_microsoft(name, op, inputs, y, names=None, shapes=None,
                    **attributes):
    node = helper.make_node(op, names or list(inputs), ["result"],
                            domain=MICROSOFT, **attributes)
    write_case(f"{op.lower()}_{name}", node, inputs,
               {"result": y}, 13, opsets=[(MICROSOFT, 1)], shapes=shapes)


def write_binary(op, combine):
    for name, kind, left, right, symbols in (
            ("uint8", np.uint8, (2, 3, 4), (2, 3, 4), None),
            ("int8_broadcast", np.int8, (2, 3, 4), (3, 1), None),
            ("scalar", np.uint8, (2, 3), (), None),
            ("symbolic", np.int8, (2, 3), (2, 3),
             {"a": ["n", "m"], "b": ["n", "m"], "result": ["n", "m"]})):
        key = op + name
        inputs = {
            "a": bytes_of(key + "a", left, kind),
            "a_scale": scale_of(key + "a"), "a_zero": bytes_of(key + "az", (),
                                                               kind),
            "b": bytes_of(key + "b", right, kind),
            "b_scale": scale_of(key + "b"), "b_zero": bytes_of(key + "bz", (),
                                                               kind),
            "y_scale": np.array(0.06, np.float32),
            "y_zero": bytes_of(key + "yz", (), kind)}
        y = combine(real(inputs["a"], inputs["a_scale"], inputs["a_zero"]),
                    real(inputs["b"], inputs["b_scale"], inputs["b_zero"]))
        write_microsoft(name, op, inputs,
                        saturated(y / np.float64(inputs["y_scale"]),
                                  inputs["y_zero"], kind), shapes=symbols)
    inputs = {"a": bytes_of(op + "za", (3, 2)), "a_scale": scale_of(op + "za"),
              "b": bytes_of(op + "zb", (3, 2)), "b_scale": scale_of(op + "zb"),
              "y_scale": np.array(0.06, np.float32)}
    y = combine(real(inputs["a"], inputs["a_scale"], 0),
                real(inputs["b"], inputs["b_scale"], 0))
    write_microsoft("no_zeros", op, inputs,
                    saturated(y / np.float64(inputs["y_scale"]), 0, np.uint8),
                    ["a", "a_scale", "", "b", "b_scale", "", "y_scale"])


def write_unary(op, name, kind, shape, function, y_scale, **attributes):
    key = op + name
    inputs = {"x": bytes_of(key, shape, kind), "x_scale": scale_of(key),
              "x_zero": bytes_of(key + "z", (), kind),
              "y_scale": np.array(y_scale, np.float32),
              "y_zero": bytes_of(key + "yz", (), kind)}
    y = function(real(inputs["x"], inputs["x_scale"], inputs["x_zero"]))
    write_microsoft(name, op, inputs,
                    saturated(y / np.float64(inputs["y_scale"]),
                              inputs["y_zero"], kind), **attributes)


def softmax(x, axis):
    powers = np.exp(x - x.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)


def averaged(x, kernel, strides, pads, counts_pads=False):
    rows = (x.shape[2] + pads[0] + pads[2] - kernel[0]) // strides[0] + 1
    columns = (x.shape[3] + pads[1] + pads[3] - kernel[1]) // strides[1] + 1
    y = np.zeros(x.shape[:2] + (rows, columns))
    for n, c, i, j in np.ndindex(*y.shape):
        found = []
        for k, l in np.ndindex(*kernel):
            row = i * strides[0] + k - pads[0]
            place = j * strides[1] + l - pads[1]
            if 0 <= row < x.shape[2] and 0 <= place < x.shape[3]:
                found.append(x[n, c, row, place])
        count = kernel[0] * kernel[1] if counts_pads else len(found)
        y[n, c, i, j] = sum(found) / count
    return y


def write_unaries():
    for name, kind in (("uint8", np.uint8), ("int8", np.int8)):
        write_unary("QLinearLeakyRelu", name, kind, (3, 4, 2),
                    lambda x: np.where(x < 0, x * np.float64(
                        np.float32(0.2)), x), 0.03, alpha=0.2)
        write_unary("QLinearSigmoid", name, kind, (3, 7),
                    lambda x: 1 / (1 + np.exp(-x)), 1 / 256)
        write_unary("QLinearGlobalAveragePool", name, kind, (2, 3, 4, 5),
                    lambda x: x.mean((2, 3), keepdims=True), 0.004)
        write_unary("QLinearSoftmax", name, kind, (2, 3, 5),
                    lambda x: softmax(x, -1), 1 / 256, opset=13)
    write_unary("QLinearLeakyRelu", "default", np.uint8, (9,),
                lambda x: np.where(x < 0, x * np.float64(np.float32(0.01)), x),
                0.03)
    write_unary("QLinearGlobalAveragePool", "channels_last", np.uint8,
                (2, 4, 3, 5), lambda x: x.mean((1, 2), keepdims=True), 0.004,
                channels_last=1)
    write_unary("QLinearReduceMean", "axes", np.int8, (3, 4, 5),
                lambda x: x.mean((0, 2)), 0.005, axes=[0, -1], keepdims=0)
    write_unary("QLinearReduceMean", "keepdims", np.uint8, (3, 4, 5),
                lambda x: x.mean(1, keepdims=True), 0.01, axes=[1], keepdims=1)
    write_unary("QLinearSoftmax", "axis", np.uint8, (2, 4, 3),
                lambda x: softmax(x, 1), 1 / 256, opset=13, axis=1)
    write_unary("QLinearSoftmax", "flattened", np.uint8, (2, 4, 3),
                lambda x: softmax(x.reshape(2, 12), 1).reshape(2, 4, 3),
                1 / 256, opset=12)
    write_unary("QLinearAveragePool", "plain", np.uint8, (2, 2, 4, 5),
                lambda x: averaged(x, (2, 3), (2, 1), (0, 0, 0, 0)), 0.02,
                kernel_shape=[2, 3], strides=[2, 1])
    write_unary("QLinearAveragePool", "padded", np.int8, (1, 2, 5, 5),
                lambda x: averaged(x, (3, 3), (2, 2), (1, 1, 1, 1)), 0.02,
                kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    write_unary("QLinearAveragePool", "counted", np.uint8, (1, 2, 5, 5),
                lambda x: averaged(x, (3, 3), (2, 2), (1, 1, 1, 1), True),
                0.02, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1],
                count_include_pad=1)
    write_unary("QLinearAveragePool", "channels_last", np.uint8, (1, 4, 5, 2),
                lambda x: np.moveaxis(averaged(np.moveaxis(x, -1, 1), (2, 2),
                                               (1, 1), (0, 0, 0, 0)), 1, -1),
                0.02, kernel_shape=[2, 2], channels_last=1)


def write_concats():
    for name, kind, axis, shapes in (
            ("uint8", np.uint8, 1, ((2, 3, 2), (2, 1, 2), (2, 4, 2))),
            ("int8", np.int8, -1, ((2, 3), (2, 2)))):
        key = "QLinearConcat" + name
        inputs = {"y_scale": np.array(0.03, np.float32),
                  "y_zero": bytes_of(key + "yz", (), kind)}
        parts = []
        for i, shape in enumerate(shapes):
            x = bytes_of(f"{key}{i}", shape, kind)
            zero = bytes_of(f"{key}{i}z", (), kind)
            scale = scale_of(f"{key}{i}")
            inputs.update({f"x{i}": x, f"scale{i}": scale, f"zero{i}": zero})
            parts.append(real(x, scale, zero))
        y = np.concatenate(parts, axis) / np.float64(inputs["y_scale"])
        write_microsoft(name, "QLinearConcat", inputs,
                        saturated(y, inputs["y_zero"], kind), axis=axis)


def write_wheres():
    for name, kind, shapes in (
            ("uint8", np.uint8, ((2, 3), (2, 3), (2, 3))),
            ("int8_broadcast", np.int8, ((3, 1), (2, 3, 4), (4,)))):
        key = "QLinearWhere" + name
        condition = random_of(key).integers(0, 2, shapes[0]).astype(bool)
        inputs = {"condition": condition}
        reals = []
        for at, shape in zip("xy", shapes[1:]):
            inputs[at] = bytes_of(key + at, shape, kind)
            inputs[at + "_scale"] = scale_of(key + at)
            inputs[at + "_zero"] = bytes_of(key + at + "z", (), kind)
            reals.append(real(inputs[at], inputs[at + "_scale"],
                              inputs[at + "_zero"]))
        inputs["z_scale"] = np.array(0.03, np.float32)
        inputs["z_zero"] = bytes_of(key + "zz", (), kind)
        z = np.where(condition, *reals) / np.float64(inputs["z_scale"])
        write_microsoft(name, "QLinearWhere", inputs,
                        saturated(z, inputs["z_zero"], kind))


def write_qgemm(name, kinds, alpha=None, transposes=(0, 0), c=None,
                per_column=False, quantised=True):
    key = "QGemm" + name
    m, k, n = 3, 5, 4
    columns = (n,) if per_column else ()
    a, b = bytes_of(key + "a", (m, k), kinds[0]), bytes_of(
        key + "b", (k, n), kinds[1])
    inputs = {"a": a.T.copy() if transposes[0] else a,
              "a_scale": scale_of(key + "a"),
              "a_zero": bytes_of(key + "az", (), kinds[0]),
              "b": b.T.copy() if transposes[1] else b,
              "b_scale": scale_of(key + "b", columns),
              "b_zero": bytes_of(key + "bz", columns, kinds[1])}
    names = list(inputs)
    sums = product(a, as_integers(inputs["a_zero"]), b,
                   as_integers(inputs["b_zero"]))
    names.append("c" if c is not None else "")
    if c is not None:
        inputs["c"] = random_of(key + "c").integers(-9999, 9999, c).astype(
            np.int32)
        sums = sums + inputs["c"]
    attributes = {} if alpha is None else {"alpha": alpha}
    y = sums * np.float64(np.float32(1 if alpha is None else alpha)) * (
        np.float64(inputs["a_scale"]) * np.float64(inputs["b_scale"]))
    if quantised:
        inputs["y_scale"] = np.array(0.9, np.float32)
        inputs["y_zero"] = bytes_of(key + "yz", (), kinds[0])
        names += ["y_scale", "y_zero"]
        y = saturated(y / np.float64(inputs["y_scale"]), inputs["y_zero"],
                      kinds[0])
    else:
        y = y.astype(np.float32)
    write_microsoft(name, "QGemm", inputs, y, names, transA=transposes[0],
                    transB=transposes[1], **attributes)


def write_products():
    write_qgemm("uint8", (np.uint8, np.uint8))
    write_qgemm("mixed_bias", (np.uint8, np.int8), c=(4,), per_column=True)
    write_qgemm("transposed", (np.int8, np.int8), 0.5, (1, 1), (3, 1), True)
    write_qgemm("transposed_b", (np.uint8, np.int8), 2.0, (0, 1), (3, 4), True)
    write_qgemm("float", (np.int8, np.int8), 0.5, c=(1, 4), quantised=False)
    for name, per_column, with_zeros, with_bias in (
            ("plain", False, False, False), ("columns", True, True, True),
            ("batches", False, True, False)):
        key = "MatMulIntegerToFloat" + name
        columns = (4,) if per_column else ()
        outer = (2,) if name == "batches" else ()
        inputs = {"a": bytes_of(key + "a", outer + (3, 5)),
                  "b": bytes_of(key + "b", outer + (5, 4), np.int8),
                  "a_scale": scale_of(key + "a"),
                  "b_scale": scale_of(key + "b", columns)}
        a_zero, b_zero = 0, 0
        if with_zeros:
            a_zero = inputs["a_zero"] = bytes_of(key + "az", ())
            b_zero = inputs["b_zero"] = bytes_of(key + "bz", columns, np.int8)
        y = product(inputs["a"], as_integers(a_zero), inputs["b"],
                    as_integers(b_zero)) * np.float64(
                        inputs["a_scale"]) * np.float64(inputs["b_scale"])
        if with_bias:
            inputs["bias"] = random_of(key).normal(0, 3, 4).astype(np.float32)
            y = y + inputs["bias"]
        write_microsoft(name, "MatMulIntegerToFloat", inputs,
                        y.astype(np.float32))
    write_dynamic_products()


def write_dynamic_products():
    for name, per_column, with_bias in (("plain", False, False),
                                        ("columns", True, True)):
        key = "DynamicQuantizeMatMul" + name
        columns = (4,) if per_column else ()
        a = random_of(key).normal(0, 2, (3, 5)).astype(np.float32)
        inputs = {"a": a, "b": bytes_of(key + "b", (5, 4), np.int8),
                  "b_scale": scale_of(key + "b", columns)}
        names = list(inputs)
        b_zero = 0
        names.append("b_zero" if per_column else "")
        if per_column:
            b_zero = inputs["b_zero"] = bytes_of(key + "bz", columns, np.int8)
        scale = np.float32(max(a.max(), 0) - min(a.min(), 0)) / np.float32(255)
        zero = int(np.rint(-min(a.min(), 0) / scale))
        q = saturated(a / scale, zero, np.uint8)
        y = product(q, zero, inputs["b"], as_integers(b_zero)) * np.float64(
            scale) * np.float64(inputs["b_scale"])
        if with_bias:
            inputs["bias"] = random_of(key + "b").normal(0, 3, 4).astype(
                np.float32)
            y = y + inputs["bias"]
            names.append("bias")
        while not names[-1]:
            names.pop()
        write_microsoft(name, "DynamicQuantizeMatMul", inputs,
                        y.astype(np.float32), names)


def write_cases():
    write_matmul_integers()
    write_qlinear_matmuls()
    write_conv_integers()
    write_qlinear_convs()
    write_binary("QLinearAdd", lambda a, b: a + b)
    write_binary("QLinearMul", lambda a, b: a * b)
    write_unaries()
    write_concats()
    write_wheres()
    write_products()
