# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ReverseSequence and Hardmax, one element after the other."""
import numpy as np
from onnx import helper

from op_cases.case import random_of, write_case


def reverse_case(name, x, lengths, batch, time):
    y = x.copy()
    for at in np.ndindex(x.shape):
        n = lengths[at[batch]]
        if at[time] < n:
            where = list(at)
            where[time] = n - 1 - at[time]
            y[at] = x[tuple(where)]
    node = helper.make_node("ReverseSequence", ["x", "n"], ["y"],
                            batch_axis=batch, time_axis=time)
    write_case(f"reversesequence_{name}", node,
               {"x": x, "n": np.array(lengths, np.int64)}, {"y": y}, 10)


def hardmax_case(name, x, axis, opset=13):
    shape = x.shape
    place = axis % x.ndim
    if opset < 13:
        flat = x.reshape(int(np.prod(shape[:place])), -1)
        place = 1
    else:
        flat = x
    y = np.zeros_like(flat)
    lines = np.moveaxis(flat, place, -1)
    marks = np.moveaxis(y, place, -1)
    for at in np.ndindex(lines.shape[:-1]):
        line = lines[at].tolist()
        marks[at][line.index(max(line))] = 1
    node = helper.make_node("Hardmax", ["x"], ["y"], axis=axis)
    write_case(f"hardmax_{name}", node, {"x": x}, {"y": y.reshape(shape)},
               opset)


def write_cases():
    rng = random_of("selection")
    data = rng.uniform(-1, 1, (4, 3, 2)).astype(np.float32)
    reverse_case("time0", data, [4, 1, 3], 1, 0)
    reverse_case("time1", data, [3, 2, 1, 1], 0, 1)
    reverse_case("time1_int64", rng.integers(-9, 9, (2, 5)), [5, 2], 0, 1)
    ties = rng.integers(0, 2, (2, 3, 4)).astype(np.float32)
    for axis in (0, 1, -1):
        hardmax_case(f"axis{axis}".replace("-", "minus_"), ties, axis)
    hardmax_case("opset11_axis1", ties, 1, 11)
    hardmax_case("float64", ties.astype(np.float64), 1)
