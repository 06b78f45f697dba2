# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""com.microsoft.GroupQueryAttention: buffers of keys and values."""
import math

import numpy as np
from onnx import helper

from op_cases.attention import merged, softmax
from op_cases.case import random_of, write_case
from op_cases.rotary import turned


def gqa_case(name, queries, total, lengths, room=0, packed=False, rotary=False,
             interleaved=0, window=None, softcap=0.0, addend=False,
             positions=None, half_rotated=False, shapes=None, scale=None):
    """Four query heads share two key heads. `lengths` are what each batch
    holds after the step, `room` is the length of the buffers before it."""
    random = random_of(name)
    batch, heads, shared, size = len(lengths), 4, 2, 4
    q = random.standard_normal((batch, queries, heads, size)).astype("f4")
    k = random.standard_normal((batch, queries, shared, size)).astype("f4")
    v = random.standard_normal((batch, queries, shared, size)).astype("f4")
    inputs, slots = {}, [""] * 11
    def give(slot, key, value):
        inputs[key] = value
        slots[slot] = key
    flat = [t.reshape(batch, queries, -1) for t in (q, k, v)]
    if packed:
        give(0, "QKV", np.concatenate(flat, axis=2))
    else:
        for slot, key in enumerate("QKV"):
            give(slot, key, flat[slot])
    old = {}
    for slot, key in ((3, "past_key"), (4, "past_value")):
        old[key] = random.standard_normal((batch, shared, room, size))
        old[key] = old[key].astype("f4")
        if room:
            give(slot, key, old[key])
    give(5, "seqlens", np.array(lengths, np.int32) - 1)
    give(6, "total", np.array(total, np.int32))
    past = [0 if queries == total else length - queries for length in lengths]
    attributes = {}
    if rotary:
        pairs = size // (4 if half_rotated else 2)
        angles = random.uniform(-3, 3, (16, pairs))
        give(7, "cos", np.cos(angles).astype("f4"))
        give(8, "sin", np.sin(angles).astype("f4"))
        places = np.array([[past[b] + s for s in range(queries)]
                           for b in range(batch)])
        if positions is not None:
            places = np.array(positions)
            give(9, "ids", places.astype(np.int64))
        q, k = (turned(t, inputs["cos"], inputs["sin"], places, 2 * pairs,
                       interleaved) for t in (q, k))
        attributes.update(do_rotary=1, rotary_interleaved=interleaved)
    buffer = max(room, total)
    keys, values = np.zeros((2, batch, shared, buffer, size))
    for b in range(batch):
        for old_t, t, new in ((old["past_key"], keys, k),
                              (old["past_value"], values, v)):
            t[b, :, :past[b]] = old_t[b, :, :past[b]]
            for s in range(queries):
                t[b, :, past[b] + s] = new[b, s]
    if addend:
        give(10, "addend", random.standard_normal(
            (1, heads, queries, buffer)).astype("f4"))
    y = np.zeros((batch, heads, queries, size))
    for b, h, i in np.ndindex(batch, heads, queries):
        row, at = [], past[b] + i
        for j in range(buffer):
            score = float(np.dot(q[b, i, h].astype(float),
                                 keys[b, h // 2, j])) * (scale or 0.5)
            if softcap:
                score = softcap * math.tanh(score / softcap)
            if addend:
                score += float(inputs["addend"][0, h, i, j])
            hidden = j > at or (window and j <= at - window)
            row.append(-math.inf if hidden else score)
        for j, p in enumerate(softmax(row)):
            y[b, h, i] += p * values[b, h // 2, j]
    outputs = {"Y": merged(y).astype("f4"), "present_key": keys.astype("f4"),
               "present_value": values.astype("f4")}
    if window:
        attributes["local_window_size"] = window
    if softcap:
        attributes["softcap"] = softcap
    if scale:
        attributes["scale"] = scale
    while not slots[-1]:
        slots.pop()
    node = helper.make_node("GroupQueryAttention", slots, list(outputs),
                            domain="com.microsoft", num_heads=heads,
                            kv_num_heads=shared, **attributes)
    write_case(name, node, inputs, outputs, 17,
               opsets=[("com.microsoft", 1)], shapes=shapes)


def write_cases():
    start = "contrib_gqa"
    gqa_case(f"{start}_prompt", 3, 3, [3, 3])
    gqa_case(f"{start}_prompt_rotary", 3, 3, [3, 3], rotary=True)
    gqa_case(f"{start}_prompt_packed", 3, 3, [3, 3], packed=True, rotary=True,
             interleaved=1)
    gqa_case(f"{start}_prompt_in_buffer", 3, 3, [3, 3], room=6)
    gqa_case(f"{start}_decode", 1, 5, [5, 5], room=4)
    gqa_case(f"{start}_decode_uneven", 1, 5, [5, 3], room=4, rotary=True)
    gqa_case(f"{start}_decode_in_buffer", 1, 5, [5, 4], room=8, rotary=True,
             packed=True)
    gqa_case(f"{start}_continued", 2, 6, [6, 5], room=4, rotary=True,
             half_rotated=True)
    gqa_case(f"{start}_positions", 2, 6, [6, 6], room=4, rotary=True,
             positions=[[4, 5], [7, 8]])
    gqa_case(f"{start}_window", 3, 7, [7, 6], room=4, window=2)
    gqa_case(f"{start}_softcap_addend", 2, 5, [5, 5], room=3, softcap=1.5,
             addend=True, scale=0.7)
    cache = ["b", 2, "p", 4]
    gqa_case(f"{start}_dynamic", 1, 5, [5, 4], room=4, rotary=True,
             shapes={"Q": ["b", "s", 16], "K": ["b", "s", 8],
                     "V": ["b", "s", 8], "past_key": cache,
                     "past_value": cache, "seqlens": ["b"],
                     "Y": ["b", "s", 16], "present_key": ["b", 2, "t", 4],
                     "present_value": ["b", 2, "t", 4]})
