# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MaxPool, AveragePool, LpPool and the global pools, window by window."""
import itertools
import math

import numpy as np
from onnx import helper

from op_cases.case import random_of, write_case


def geometry(shape, attributes):
    """Low pads, high pads and window counts per dimension."""
    kernel = attributes["kernel_shape"]
    rank = len(kernel)
    strides = attributes.get("strides", [1] * rank)
    dilations = attributes.get("dilations", [1] * rank)
    pads = attributes.get("pads", [0] * 2 * rank)
    low, high, counts = list(pads[:rank]), list(pads[rank:]), []
    for i, n in enumerate(shape):
        extent = (kernel[i] - 1) * dilations[i] + 1
        auto = attributes.get("auto_pad", "NOTSET")
        if auto.startswith("SAME"):
            count = -(-n // strides[i])
            total = max(0, (count - 1) * strides[i] + extent - n)
            low[i] = total // 2 if auto == "SAME_UPPER" else -(-total // 2)
            high[i] = total - low[i]
        else:
            room = n + low[i] + high[i] - extent
            count = room // strides[i] + 1
            if attributes.get("ceil_mode"):
                count = -(-room // strides[i]) + 1
                while (count - 1) * strides[i] >= n + low[i]:
                    count -= 1
        counts.append(count)
    return low, high, counts, strides, dilations


def windows(x, attributes):
    """(place, [(position or None)...], counted) of every window."""
    shape, kernel = x.shape[2:], attributes["kernel_shape"]
    low, high, counts, strides, dilations = geometry(shape, attributes)
    for place in itertools.product(*map(range, counts)):
        inside, padded = [], 0
        for k in itertools.product(*map(range, kernel)):
            at = [p * s + j * d - l for p, s, j, d, l in
                  zip(place, strides, k, dilations, low)]
            if all(0 <= a < n for a, n in zip(at, shape)):
                inside.append(tuple(at))
            elif all(-l <= a < n + h for a, n, l, h in
                     zip(at, shape, low, high)):
                padded += 1
        yield place, inside, padded


def pool(op, x, attributes):
    counts = geometry(x.shape[2:], attributes)[2]
    y = np.zeros((*x.shape[:2], *counts),
                 np.float64 if x.dtype.kind == "f" else x.dtype)
    positions = np.zeros(y.shape, np.int64)
    for n, c in itertools.product(range(x.shape[0]), range(x.shape[1])):
        for place, inside, padded in windows(x, attributes):
            values = [x[(n, c, *at)] for at in inside]
            to = (n, c, *place)
            if op == "MaxPool":
                y[to] = max(values)
                first = inside[values.index(max(values))]
                spatial = x.shape[2:]
                if attributes.get("storage_order"):
                    flat = np.ravel_multi_index(first, spatial, order="F")
                else:
                    flat = np.ravel_multi_index(first, spatial)
                positions[to] = ((n * x.shape[1] + c) * math.prod(spatial)
                                 + flat)
            elif op == "AveragePool":
                count = len(values) + (
                    padded if attributes.get("count_include_pad") else 0)
                y[to] = math.fsum(map(float, values)) / count
            else:
                p = attributes.get("p", 2)
                y[to] = math.fsum(abs(float(v)) ** p
                                  for v in values) ** (1 / p)
    return y.astype(x.dtype), positions


def data_of(name, shape, dtype):
    x = random_of(name).normal(size=shape) * 40
    if dtype == np.uint8:
        x = np.abs(x)
    return x.astype(dtype)


def write(name, op, shape, opset=22, dtype=np.float32, indices=False,
          dynamic=False, x=None, **attributes):
    x = data_of(name, shape, dtype) if x is None else x
    y, positions = pool(op, x, attributes)
    outputs = {"y": y, **({"i": positions} if indices else {})}
    node = helper.make_node(op, ["x"], list(outputs), **attributes)
    shapes = {}
    if dynamic:
        shapes = {"x": ["n", shape[1], *"hwd"[:len(shape) - 2]]}
        shapes.update({key: ["n", shape[1], *"pqr"[:len(shape) - 2]]
                       for key in outputs})
    write_case(name, node, {"x": x}, outputs, opset, shapes=shapes)


WINDOWS = {
    "1d_ceil_dilated": ((2, 2, 9), {"kernel_shape": [3], "strides": [2],
                                    "dilations": [2], "pads": [1, 2],
                                    "ceil_mode": 1}),
    "2d_uneven": ((1, 2, 6, 7), {"kernel_shape": [3, 2], "strides": [2, 3],
                                 "pads": [1, 0, 2, 1]}),
    "2d_ceil_starts_behind": ((1, 1, 2, 4), {
        "kernel_shape": [3, 3], "strides": [3, 2], "pads": [1, 1, 1, 1],
        "ceil_mode": 1}),
    "2d_ceil_small_input": ((1, 1, 2, 3), {
        "kernel_shape": [3, 2], "strides": [3, 2], "ceil_mode": 1}),
    "2d_same_upper": ((1, 1, 5, 6), {"kernel_shape": [2, 3],
                                     "strides": [2, 2],
                                     "auto_pad": "SAME_UPPER"}),
    "2d_same_lower": ((1, 1, 5, 6), {"kernel_shape": [2, 3],
                                     "strides": [2, 1],
                                     "auto_pad": "SAME_LOWER"}),
    "2d_same_dilated": ((1, 1, 5, 6), {"kernel_shape": [2, 2],
                                       "dilations": [2, 3],
                                       "strides": [2, 1],
                                       "auto_pad": "SAME_UPPER"}),
    "2d_valid": ((1, 1, 5, 6), {"kernel_shape": [2, 4], "strides": [2, 1],
                                "auto_pad": "VALID"}),
    "3d_dilated": ((1, 2, 4, 5, 4), {"kernel_shape": [2, 2, 3],
                                     "dilations": [2, 1, 1],
                                     "pads": [0, 1, 1, 1, 0, 1],
                                     "strides": [1, 2, 2]}),
}


def write_windows():
    for op in ("MaxPool", "AveragePool", "LpPool"):
        for name, (shape, attributes) in WINDOWS.items():
            write(f"{op.lower()}_{name}", op, shape, **attributes)
        write(f"{op.lower()}_dynamic", op, (2, 1, 6, 5), dynamic=True,
              kernel_shape=[3, 2], strides=[2, 2], pads=[1, 1, 0, 1],
              ceil_mode=1)
        write(f"{op.lower()}_same_dynamic", op, (1, 2, 5, 4), dynamic=True,
              kernel_shape=[3, 3], strides=[2, 2], auto_pad="SAME_LOWER")
        for dtype in (np.float64, np.float16):
            write(f"{op.lower()}_{np.dtype(dtype).name}", op, (1, 1, 4, 4),
                  dtype=dtype, kernel_shape=[2, 2], pads=[1, 0, 0, 1])


def write_max_pools():
    for order in (0, 1):
        for name in ("1d_ceil_dilated", "2d_uneven", "3d_dilated"):
            shape, attributes = WINDOWS[name]
            write(f"maxpool_indices_{name}_{order}", "MaxPool", shape,
                  indices=True, storage_order=order, **attributes)
    for dtype in (np.int8, np.uint8):
        for indices in (False, True):
            write(f"maxpool_{np.dtype(dtype).name}{'_indices' * indices}",
                  "MaxPool", (1, 2, 5, 4), 12, dtype, indices,
                  kernel_shape=[2, 3], pads=[1, 1, 1, 1], strides=[2, 1])
    lowest = np.full((1, 1, 3, 3), -128, np.int8)
    write("maxpool_indices_of_lowest", "MaxPool", None, 12, indices=True,
          x=lowest, kernel_shape=[2, 2], pads=[1, 1, 0, 0])
    write("maxpool_indices_dynamic", "MaxPool", (2, 2, 5, 4), indices=True,
          dynamic=True, kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1)


def write_average_pools():
    for name in ("1d_ceil_dilated", "2d_uneven", "2d_ceil_starts_behind",
                 "3d_dilated", "2d_same_lower"):
        shape, attributes = WINDOWS[name]
        write(f"averagepool_counted_{name}", "AveragePool", shape,
              count_include_pad=1, **attributes)


def write_lp_pools():
    for p in (1, 3, 5):
        write(f"lppool_p{p}", "LpPool", (1, 2, 5, 4), 18, p=p,
              kernel_shape=[2, 3], pads=[0, 1, 1, 1], strides=[2, 1])
    for opset, p in ((1, 3.0), (2, 1), (22, 3), (2, None)):
        name = f"globallppool_{opset}_{'default' if p is None else int(p)}"
        x = data_of(name, (2, 3, 4, 2), np.float32)
        power = p or 2
        y = (np.abs(x.astype(np.float64)) ** power).sum((2, 3), keepdims=True)
        y = (y ** (1 / power)).astype(np.float32)
        node = helper.make_node("GlobalLpPool", ["x"], ["y"],
                                **({} if p is None else {"p": p}))
        write_case(name, node, {"x": x}, {"y": y}, opset)


def write_cases():
    write_windows()
    write_max_pools()
    write_average_pools()
    write_lp_pools()
