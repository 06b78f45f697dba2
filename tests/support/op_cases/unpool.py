# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MaxUnpool, Col2Im and CenterCropPad, element by element."""
import itertools

import numpy as np
from onnx import helper

from op_cases.case import random_of, write_case


def write_unpool(name, shape, kernel, strides=None, pads=None, wanted=None,
                 dtype=np.float32, opset=11):
    rank = len(kernel)
    steps, cut = strides or [1] * rank, pads or [0] * 2 * rank
    spatial = [(n - 1) * s + k - cut[i] - cut[rank + i] for i, (n, s, k) in
               enumerate(zip(shape[2:], steps, kernel))]
    full = list(shape[:2]) + spatial
    random = random_of(name)
    x = random.normal(size=shape).astype(dtype)
    count = int(np.prod(shape))
    indices = random.choice(int(np.prod(full)), count, replace=False)
    indices = indices.reshape(shape).astype(np.int64)
    flat = np.zeros(int(np.prod(full)), dtype)
    for i in range(count):
        flat[indices.flat[i]] = x.flat[i]
    y = flat.reshape(full)
    inputs, names = {"x": x, "i": indices}, ["x", "i"]
    if wanted is not None:
        larger = np.zeros(wanted, dtype)
        larger[tuple(slice(0, n) for n in full)] = y
        y = larger
        inputs["shape"] = np.array(wanted, np.int64)
        names.append("shape")
    attributes = {"kernel_shape": kernel}
    if strides:
        attributes["strides"] = strides
    if pads:
        attributes["pads"] = pads
    write_case(name, helper.make_node("MaxUnpool", names, ["y"],
                                      **attributes), inputs, {"y": y}, opset)


def write_unpools():
    write_unpool("maxunpool_2d_strides", (1, 2, 3, 2), [2, 3], [2, 2])
    write_unpool("maxunpool_2d_pads", (2, 1, 3, 3), [3, 2], [2, 1],
                 [1, 0, 0, 0], dtype=np.float64, opset=9)
    write_unpool("maxunpool_1d_shape", (1, 2, 4), [2], [2], None, [1, 2, 11])
    write_unpool("maxunpool_3d", (1, 1, 2, 2, 3), [2, 2, 2], [2, 1, 2],
                 opset=22)


def col2im(x, image, block, dilations, pads, strides):
    """Adds every column's block to a padded image."""
    rank = len(image)
    area = int(np.prod(block))
    channels = x.shape[1] // area
    padded = [n + pads[i] + pads[rank + i] for i, n in enumerate(image)]
    counts = [(p - d * (k - 1) - 1) // s + 1
              for p, d, k, s in zip(padded, dilations, block, strides)]
    result = np.zeros((x.shape[0], channels, *padded), np.float64)
    for column, start in enumerate(itertools.product(*map(range, counts))):
        for row, inside in enumerate(itertools.product(*map(range, block))):
            place = tuple(c * s + k * d for c, s, k, d in
                          zip(start, strides, inside, dilations))
            result[(slice(None), slice(None), *place)] += (
                x[:, row::area, column])
    inner = tuple(slice(pads[i], pads[i] + n) for i, n in enumerate(image))
    return result[(slice(None), slice(None), *inner)].astype(x.dtype)


def write_col2im(name, image, block, channels, dilations=None, pads=None,
                 strides=None, dtype=np.float32, fed=False, batch=1):
    rank = len(image)
    d, p, s = (dilations or [1] * rank, pads or [0] * 2 * rank,
               strides or [1] * rank)
    columns = int(np.prod([
        (n + p[i] + p[rank + i] - d[i] * (block[i] - 1) - 1) // s[i] + 1
        for i, n in enumerate(image)]))
    x = random_of(name).normal(size=(batch, channels * int(np.prod(block)),
                                     columns)) * 9
    x = x.astype(dtype)
    y = col2im(x, image, block, d, p, s)
    attributes = {key: value for key, value in
                  (("dilations", dilations), ("pads", pads),
                   ("strides", strides)) if value}
    operands = {"image": np.array(image, np.int64),
                "block": np.array(block, np.int64)}
    shapes = {}
    if fed:
        shapes["y"] = ["n", "c", *"hwdt"[:rank]]
    write_case(name, helper.make_node("Col2Im", ["x", "image", "block"],
                                      ["y"], **attributes),
               {"x": x, **(operands if fed else {})}, {"y": y}, 18,
               {} if fed else operands, shapes=shapes)


def write_col2ims():
    write_col2im("col2im_2d_overlap", [4, 5], [2, 3], 2, fed=True)
    write_col2im("col2im_2d_all", [5, 6], [2, 2], 3, [2, 1], [1, 0, 2, 1],
                 [2, 3], batch=2)
    write_col2im("col2im_1d", [7], [3], 2, [2], [1, 1], [2],
                 dtype=np.float64)
    write_col2im("col2im_3d_fed", [3, 4, 3], [2, 1, 2], 1, None,
                 [0, 1, 0, 1, 0, 1], [1, 2, 1], fed=True)
    write_col2im("col2im_int32", [3, 3], [2, 2], 1, dtype=np.int32)


def crop_pad(x, shape, axes):
    for axis, size in zip(axes, shape):
        own = x.shape[axis]
        if size < own:
            start = (own - size) // 2
            x = np.take(x, range(start, start + size), axis)
        elif size > own:
            low = (size - own) // 2
            widths = [(0, 0)] * x.ndim
            widths[axis] = (low, size - own - low)
            x = np.pad(x, widths)
    return x


def write_crop_pads():
    for name, own, shape, axes, dtype, fed in (
            ("crop", (7, 8, 4), (4, 5, 4), None, np.float32, False),
            ("pad", (3, 4), (6, 9), None, np.int64, True),
            ("both_axes", (5, 4, 6), (8, 3), [-1, 1], np.float64, True),
            ("both_known", (5, 4, 6), (8, 3), [-1, 1], np.uint8, False),
            ("bool", (4, 5), (7, 2), [0, 1], bool, True)):
        name = f"centercroppad_{name}"
        x = (random_of(name).normal(size=own) * 20)
        x = (x > 0) if dtype is bool else np.abs(x).astype(dtype)
        y = crop_pad(x, shape, axes or range(len(own)))
        attributes = {} if axes is None else {"axes": axes}
        operand = {"shape": np.array(shape, np.int64)}
        shapes = {"y": list("abc"[:len(own)])} if fed else {}
        write_case(name, helper.make_node("CenterCropPad", ["x", "shape"],
                                          ["y"], **attributes),
                   {"x": x, **(operand if fed else {})}, {"y": y}, 18,
                   {} if fed else operand, shapes=shapes)


def write_cases():
    write_unpools()
    write_col2ims()
    write_crop_pads()
