# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""RotaryEmbedding of opset 23, one pair of elements after the other."""
import numpy as np
from onnx import helper

from op_cases.case import random_of, write_case


def turned(x, cosines, sines, positions, width, interleaved):
    """x is (batch, sequence, heads, size); the caches are read by position,
    or by (batch, sequence) when there are none."""
    y = x.astype(np.float64).copy()
    half = width // 2
    for b, s, h in np.ndindex(*x.shape[:3]):
        for pair in range(half):
            first, second = ((2 * pair, 2 * pair + 1) if interleaved
                             else (pair, pair + half))
            at = ((positions[b, s], pair) if positions is not None
                  else (b, s, pair))
            c, d = float(cosines[at]), float(sines[at])
            p, q = float(x[b, s, h, first]), float(x[b, s, h, second])
            y[b, s, h, first] = c * p - d * q
            y[b, s, h, second] = d * p + c * q
    return y


def rotary_case(name, shape, heads=0, width=0, interleaved=0, rows=None,
                dtype=np.float32, shapes=None):
    """`rows`: the length of caches that are read by position."""
    random = random_of(name)
    x = random.standard_normal(shape).astype(dtype)
    by_sequence = (x.transpose(0, 2, 1, 3) if len(shape) == 4
                   else x.reshape(*shape[:2], heads, -1))
    batch, length, _, size = by_sequence.shape
    used = width or size
    angles = random.uniform(-3, 3, (rows, used // 2) if rows else
                            (batch, length, used // 2))
    inputs = {"X": x, "cos": np.cos(angles).astype(dtype),
              "sin": np.sin(angles).astype(dtype)}
    positions = None
    if rows:
        positions = random.integers(0, rows, (batch, length))
        inputs["positions"] = positions.astype(np.int64)
    y = turned(by_sequence, inputs["cos"], inputs["sin"], positions, used,
               interleaved)
    y = (y.transpose(0, 2, 1, 3) if len(shape) == 4 else y.reshape(shape))
    attributes = {}
    if heads:
        attributes["num_heads"] = heads
    if width:
        attributes["rotary_embedding_dim"] = width
    if interleaved:
        attributes["interleaved"] = 1
    node = helper.make_node("RotaryEmbedding", list(inputs), ["Y"],
                            **attributes)
    write_case(name, node, inputs, {"Y": y.astype(dtype)}, 23, shapes=shapes)


def write_cases():
    for interleaved in (0, 1):
        kind = "_interleaved" if interleaved else ""
        for rows, form in ((9, ""), (None, "_no_positions")):
            rotary_case(f"rotary{kind}{form}", (2, 3, 4, 6), rows=rows,
                        interleaved=interleaved)
            rotary_case(f"rotary_part{kind}{form}", (2, 3, 4, 7), rows=rows,
                        interleaved=interleaved, width=4)
            rotary_case(f"rotary_flat{kind}{form}", (2, 4, 24), rows=rows,
                        interleaved=interleaved, heads=3)
            rotary_case(f"rotary_flat_part{kind}{form}", (1, 4, 24), rows=rows,
                        interleaved=interleaved, heads=3, width=6)
    rotary_case("rotary_half", (2, 3, 4, 6), rows=5, dtype=np.float16)
    for interleaved in (0, 1):
        rotary_case("rotary_dynamic" + "_interleaved" * interleaved,
                    (2, 3, 4, 6), rows=9, interleaved=interleaved,
                    shapes={"X": ["b", 3, "s", 6], "Y": ["b", 3, "s", 6],
                            "positions": ["b", "s"]})
    rotary_case("rotary_dynamic_flat", (2, 4, 24), heads=3, width=6,
                shapes={"X": ["b", "s", 24], "Y": ["b", "s", 24],
                        "cos": ["b", "s", 3], "sin": ["b", "s", 3]})
