# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conv, ConvTranspose and DeformConv from their definitions."""
import itertools
import math

import numpy as np
from onnx import helper

from op_cases.case import random_of, write_case


def lists(attributes, rank):
    return (attributes.get("strides", [1] * rank),
            attributes.get("dilations", [1] * rank),
            attributes.get("pads", [0] * 2 * rank),
            attributes.get("group", 1))


def same_pads(total, is_upper):
    small = total // 2
    return (small, total - small) if is_upper else (total - small, small)


def conv(x, w, b, attributes):
    rank = x.ndim - 2
    strides, dilations, pads, groups = lists(attributes, rank)
    pads, auto = list(pads), attributes.get("auto_pad", "NOTSET")
    sizes = []
    for i in range(rank):
        extent = (w.shape[2 + i] - 1) * dilations[i] + 1
        if auto.startswith("SAME"):
            count = -(-x.shape[2 + i] // strides[i])
            total = max(0, (count - 1) * strides[i] + extent - x.shape[2 + i])
            pads[i], pads[rank + i] = same_pads(total, auto == "SAME_UPPER")
        sizes.append((x.shape[2 + i] + pads[i] + pads[rank + i] - extent)
                     // strides[i] + 1)
    y = np.zeros((x.shape[0], w.shape[0], *sizes))
    each, depth = w.shape[0] // groups, w.shape[1]
    for n, f, *place in itertools.product(*map(range, y.shape)):
        for c, *k in itertools.product(*map(range, w.shape[1:])):
            at = [p * s + j * d - pads[i] for i, (p, s, j, d) in
                  enumerate(zip(place, strides, k, dilations))]
            if all(0 <= a < size for a, size in zip(at, x.shape[2:])):
                y[(n, f, *place)] += (
                    float(x[(n, f // each * depth + c, *at)])
                    * float(w[(f, c, *k)]))
        y[(n, f, *place)] += 0.0 if b is None else float(b[f])
    return y.astype(x.dtype)


def conv_transpose(x, w, b, attributes):
    """Spreads every input element over the full result, which is cut."""
    rank = x.ndim - 2
    strides, dilations, pads, groups = lists(attributes, rank)
    extra = attributes.get("output_padding", [0] * rank)
    auto = attributes.get("auto_pad", "NOTSET")
    wanted = attributes.get("output_shape")
    full, start, sizes = [], [], []
    for i in range(rank):
        extent = (w.shape[2 + i] - 1) * dilations[i] + 1
        span = strides[i] * (x.shape[2 + i] - 1) + extent
        low, high = pads[i], pads[rank + i]
        target = wanted[i] if wanted else (
            x.shape[2 + i] * strides[i] if auto.startswith("SAME") else None)
        if target is not None:
            total = max(0, span + extra[i] - target)
            low, high = same_pads(total, auto == "SAME_UPPER")
        else:
            target = span + extra[i] - low - high
        full.append(max(span + extra[i], low + target))
        start.append(low)
        sizes.append(target)
    per = w.shape[1]
    y = np.zeros((x.shape[0], per * groups, *full))
    depth = x.shape[1] // groups
    for n, c, *place in itertools.product(*map(range, x.shape)):
        for f, *k in itertools.product(*map(range, w.shape[1:])):
            at = [p * s + j * d for p, s, j, d in
                  zip(place, strides, k, dilations)]
            y[(n, c // depth * per + f, *at)] += (
                float(x[(n, c, *place)]) * float(w[(c, f, *k)]))
    y = y[(slice(None), slice(None),
           *(slice(a, a + size) for a, size in zip(start, sizes)))]
    if b is not None:
        y = y + b.reshape(1, -1, *[1] * rank)
    return y.astype(x.dtype)


def write(name, op, shape, weights, bias=True, opset=22, dtype=np.float32,
          dynamic=False, **attributes):
    random = random_of(name)
    x = random.normal(size=shape).astype(dtype)
    w = random.normal(size=weights).astype(dtype)
    groups = attributes.get("group", 1)
    filters = weights[0] if op == "Conv" else weights[1] * groups
    b = random.normal(size=filters).astype(dtype) if bias else None
    reference = conv if op == "Conv" else conv_transpose
    y = reference(x, w, b, attributes)
    kept = {"w": w, **({"b": b} if bias else {})}
    shapes = {}
    if dynamic:
        rank = len(shape) - 2
        shapes = {"x": ["n", "c", *"hwd"[:rank]],
                  "y": ["n", "f", *"pqr"[:rank]]}
    node = helper.make_node(op, ["x", *kept], ["y"], **attributes)
    write_case(name, node, {"x": x}, {"y": y}, opset, kept, shapes=shapes)


def write_convs():
    for auto in ("SAME_UPPER", "SAME_LOWER"):
        end = auto.lower()
        write(f"conv_1d_{end}", "Conv", (1, 2, 8), (3, 2, 4), auto_pad=auto,
              strides=[3])
        write(f"conv_2d_{end}_dilated", "Conv", (1, 2, 6, 7), (3, 2, 2, 3),
              auto_pad=auto, strides=[2, 1], dilations=[2, 2])
        write(f"conv_2d_{end}_dynamic", "Conv", (2, 2, 6, 5), (3, 2, 3, 2),
              auto_pad=auto, strides=[2, 2], dynamic=True)
    write("conv_1d_groups_dilated", "Conv", (2, 4, 9), (6, 2, 3), group=2,
          dilations=[2], pads=[2, 1], strides=[2])
    write("conv_2d_valid", "Conv", (1, 1, 5, 6), (2, 1, 2, 3),
          auto_pad="VALID", strides=[2, 2])
    write("conv_2d_groups_dynamic", "Conv", (1, 4, 5, 4), (4, 2, 2, 2),
          group=2, pads=[1, 0, 0, 1], dynamic=True)
    write("conv_2d_depthwise_multiplied", "Conv", (1, 3, 4, 5), (6, 1, 3, 2),
          group=3, pads=[1, 1, 1, 0], dilations=[1, 2])
    write("conv_2d_pointwise_dynamic", "Conv", (2, 3, 4, 3), (2, 3, 1, 1),
          dynamic=True)
    write("conv_3d_groups", "Conv", (1, 4, 3, 4, 3), (4, 2, 2, 2, 2), group=2,
          strides=[1, 2, 1], pads=[1, 0, 0, 0, 1, 1])
    write("conv_3d_dynamic", "Conv", (1, 2, 3, 4, 3), (2, 2, 2, 2, 2),
          dilations=[1, 2, 1], pads=[0, 1, 0, 1, 0, 1], dynamic=True)
    for dtype in (np.float16, np.float64):
        write(f"conv_2d_{np.dtype(dtype).name}", "Conv", (1, 2, 4, 4),
              (2, 2, 3, 3), dtype=dtype, pads=[1, 1, 1, 1], bias=False)


def write_transposed():
    op = "ConvTranspose"
    write("convtranspose_1d_groups", op, (2, 4, 5), (4, 3, 3), group=2,
          strides=[2], dilations=[2], pads=[1, 2])
    write("convtranspose_2d_output_padding", op, (1, 2, 3, 4), (2, 3, 3, 2),
          strides=[3, 2], output_padding=[2, 1], pads=[1, 0, 0, 1])
    write("convtranspose_2d_groups_dilated", op, (1, 4, 3, 3), (4, 1, 2, 3),
          group=4, dilations=[2, 1], strides=[1, 2])
    for auto in ("NOTSET", "SAME_UPPER", "SAME_LOWER"):
        end = auto.lower()
        write(f"convtranspose_shape_{end}", op, (1, 2, 3, 3), (2, 2, 4, 3),
              strides=[3, 2], output_shape=[9, 6], auto_pad=auto)
        write(f"convtranspose_shape_padded_{end}", op, (1, 1, 3, 3),
              (1, 2, 3, 3), strides=[3, 2], output_shape=[10, 8],
              output_padding=[1, 1], auto_pad=auto)
    write("convtranspose_same_dynamic", op, (1, 2, 4, 3), (2, 1, 3, 4),
          strides=[2, 2], auto_pad="SAME_UPPER", dynamic=True)
    write("convtranspose_3d_shape", op, (1, 2, 2, 3, 2), (2, 2, 2, 2, 3),
          strides=[2, 1, 2], output_shape=[4, 3, 5])
    write("convtranspose_float16", op, (1, 2, 3, 3), (2, 2, 2, 2),
          dtype=np.float16, strides=[2, 2])


def deform_conv(x, w, offset, b, mask, attributes):
    strides, dilations, pads, groups = lists(attributes, 2)
    fields = attributes.get("offset_group", 1)
    (n, channels, high, wide), (filters, depth, kh, kw) = x.shape, w.shape
    y = np.zeros((n, filters, *offset.shape[2:]))
    offset = offset.reshape(n, fields, kh, kw, 2, *offset.shape[2:])

    def bilinear(image, at_y, at_x):
        total = 0.0
        for i in (math.floor(at_y), math.floor(at_y) + 1):
            for j in (math.floor(at_x), math.floor(at_x) + 1):
                if 0 <= i < high and 0 <= j < wide:
                    total += (float(image[i, j]) * (1 - abs(at_y - i))
                              * (1 - abs(at_x - j)))
        return total

    if mask is not None:
        mask = mask.reshape(n, fields, kh, kw, *mask.shape[2:])
    for s, f, p, q in itertools.product(*map(range, y.shape)):
        for c, i, j in itertools.product(range(depth), range(kh), range(kw)):
            channel = f // (filters // groups) * depth + c
            g = channel // (channels // fields)
            move = offset[s, g, i, j, :, p, q].astype(float)
            value = bilinear(
                x[s, channel],
                p * strides[0] - pads[0] + i * dilations[0] + move[0],
                q * strides[1] - pads[1] + j * dilations[1] + move[1])
            if mask is not None:
                value *= float(mask[s, g, i, j, p, q])
            y[s, f, p, q] += value * float(w[f, c, i, j])
        y[s, f, p, q] += 0.0 if b is None else float(b[f])
    return y.astype(x.dtype)


def write_deformed(name, shape, weights, bias=True, masked=True, opset=19,
                   dtype=np.float32, **attributes):
    random = random_of(name)
    strides, dilations, pads, _ = lists(attributes, 2)
    sizes = [(shape[2 + i] + pads[i] + pads[2 + i]
              - (weights[2 + i] - 1) * dilations[i] - 1) // strides[i] + 1
             for i in range(2)]
    fields = attributes.get("offset_group", 1) * weights[2] * weights[3]
    x = random.normal(size=shape).astype(dtype)
    w = random.normal(size=weights).astype(dtype)
    offset = random.normal(size=(shape[0], 2 * fields, *sizes)) * 1.5
    offset = offset.astype(dtype)
    b = random.normal(size=weights[0]).astype(dtype) if bias else None
    mask = (random.uniform(size=(shape[0], fields, *sizes)).astype(dtype)
            if masked else None)
    y = deform_conv(x, w, offset, b, mask, attributes)
    inputs = {"x": x, "w": w, "offset": offset}
    names = ["x", "w", "offset", "b" if bias else "", "mask"]
    if bias:
        inputs["b"] = b
    if masked:
        inputs["mask"] = mask
    else:
        names = names[:4] if bias else names[:3]
    node = helper.make_node("DeformConv", names, ["y"], **attributes)
    write_case(name, node, inputs, {"y": y}, opset)


def write_cases():
    write_convs()
    write_transposed()
    write_deformed("deformconv_plain", (1, 1, 4, 4), (1, 1, 2, 2), False,
                   False)
    write_deformed("deformconv_groups", (2, 4, 5, 4), (2, 2, 2, 3), group=2,
                   offset_group=2, pads=[1, 0, 1, 1], strides=[2, 1])
    write_deformed("deformconv_dilated", (1, 2, 6, 5), (3, 2, 2, 2), False,
                   dilations=[2, 1], opset=22, dtype=np.float64)
    write_deformed("deformconv_no_mask", (1, 2, 4, 4), (2, 2, 3, 3), True,
                   False, pads=[1, 1, 1, 1])
