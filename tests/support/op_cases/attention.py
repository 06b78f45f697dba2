# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention of opsets 23 and 24, one query after the other."""
import math

import numpy as np
from onnx import TensorProto, helper

from op_cases.case import random_of, write_case
from op_cases.normalization import bf16


def by_heads(tensor, heads):
    """(batch, sequence, hidden) as a list of matrices per batch and head."""
    batch, length, hidden = tensor.shape
    size = hidden // heads
    result = np.zeros((batch, heads, length, size), tensor.dtype)
    for b in range(batch):
        for h in range(heads):
            result[b, h] = tensor[b, :, h * size:(h + 1) * size]
    return result


def softmax(scores):
    """Of one row; nothing to attend to gives zeros."""
    largest = max(scores)
    if largest == -math.inf:
        return [0.0] * len(scores)
    powers = [math.exp(score - largest) for score in scores]
    return [power / sum(powers) for power in powers]


def mask_at(mask, position, total, pads):
    """The mask's element for (batch, head, query, key), as an addend. From
    opset 24 on a short mask `pads`."""
    if pads and position[-1] >= mask.shape[-1]:
        return -math.inf
    place = position[4 - mask.ndim:]
    place = tuple(0 if size == 1 and total != 1 else at
                  for at, size in zip(place, mask.shape))
    value = mask[place]
    if mask.dtype == np.bool_:
        return 0.0 if value else -math.inf
    return float(value)


def attend(q, k, v, mask=None, causal=False, past=0, lengths=None, scale=None,
           softcap=0.0, pads=True, window=(-1, -1)):
    """q, k, v by heads (past included); returns the output and the four
    stages of the scores."""
    batch, heads, queries, size = q.shape
    total, groups = k.shape[2], heads // k.shape[1]
    scale = 1 / math.sqrt(size) if scale is None else scale
    y = np.zeros((batch, heads, queries, v.shape[3]))
    stages = np.zeros((4, batch, heads, queries, total))
    for b, h, i in np.ndindex(batch, heads, queries):
        shared = h // groups
        rows = [[], [], [], None]
        offset = past
        if lengths is not None and not past:
            offset = int(lengths[b]) - queries
        for j in range(total):
            score = scale * sum(float(q[b, h, i, d]) * float(k[b, shared, j, d])
                                for d in range(size))
            rows[0].append(score)
            if softcap:
                score = softcap * math.tanh(score / softcap)
            rows[1].append(score)
            if mask is not None:
                score += mask_at(mask, (b, h, i, j), total, pads)
            if causal and j > i + offset:
                score = -math.inf
            if window[0] >= 0 and j < i + offset - window[0]:
                score = -math.inf
            if window[1] >= 0 and j > i + offset + window[1]:
                score = -math.inf
            if lengths is not None and j >= lengths[b]:
                score = -math.inf
            rows[2].append(score)
        rows[3] = softmax(rows[2])
        stages[:, b, h, i] = rows
        for d in range(v.shape[3]):
            y[b, h, i, d] = sum(p * float(v[b, shared, j, d])
                                for j, p in enumerate(rows[3]))
    return y, stages


def merged(y):
    """By heads to (batch, sequence, hidden)."""
    batch, heads, length, size = y.shape
    result = np.zeros((batch, length, heads * size))
    for h in range(heads):
        result[:, :, h * size:(h + 1) * size] = y[:, h]
    return result


def attention_case(name, q, k, v, opset=23, heads=None, mask=None, past=None,
                   lengths=None, mode=None, presents=False, dtype=np.float32,
                   shapes=None, **attributes):
    """q, k, v are shapes; `heads` are (query heads, key heads) of rank 3."""
    random = random_of(name)
    q, k, v = (random.standard_normal(shape).astype(dtype)
               for shape in (q, k, v))
    inputs = {"Q": q, "K": k, "V": v}
    names = ["Q", "K", "V", "", "", "", ""]
    if mask is not None:
        inputs["mask"] = mask
        names[3] = "mask"
    wide = q, k, v
    if heads:
        attributes.update(q_num_heads=heads[0], kv_num_heads=heads[1])
        wide = (by_heads(q, heads[0]), by_heads(k, heads[1]),
                by_heads(v, heads[1]))
    past_length = 0
    if past is not None:
        past_length = past
        batch, count, _, size = wide[1].shape
        for at, (key, now) in enumerate((("past_key", wide[1]),
                                         ("past_value", wide[2]))):
            inputs[key] = random.standard_normal(
                (batch, count, past, now.shape[3])).astype(dtype)
            names[4 + at] = key
        wide = (wide[0],
                np.concatenate([inputs["past_key"], wide[1]], axis=2),
                np.concatenate([inputs["past_value"], wide[2]], axis=2))
    if lengths is not None:
        inputs["lengths"] = np.array(lengths, np.int64)
        names[6] = "lengths"
    while not names[-1]:
        names.pop()
    y, stages = attend(*wide, mask=mask, past=past_length, lengths=lengths,
                       causal=bool(attributes.get("is_causal", 0)),
                       scale=attributes.get("scale"), pads=opset >= 24,
                       softcap=attributes.get("softcap", 0.0),
                       window=(attributes.get("left_window_size", -1),
                               attributes.get("right_window_size", -1)))
    outputs = {"Y": (merged(y) if heads else y).astype(dtype)}
    if past is not None or presents:
        outputs["present_key"], outputs["present_value"] = wide[1], wide[2]
    results = list(outputs)
    if mode is not None:
        if mode:
            attributes["qk_matmul_output_mode"] = mode
        outputs["scores"] = stages[mode].astype(dtype)
        results = list(outputs)
        if len(results) == 2:
            results[1:1] = ["", ""]
    node = helper.make_node("Attention", names, results, **attributes)
    write_case(name, node, inputs, outputs, opset, shapes=shapes)


def flat_forms():
    attention_case("attention_flat", (2, 4, 12), (2, 5, 12), (2, 5, 12),
                   heads=(3, 3))
    attention_case("attention_flat_gqa", (2, 4, 24), (2, 5, 8), (2, 5, 12),
                   heads=(6, 2))
    attention_case("attention_flat_mqa_causal", (2, 4, 24), (2, 4, 6),
                   (2, 4, 5), heads=(4, 1), is_causal=1)
    attention_case("attention_flat_gqa_past", (2, 3, 16), (2, 3, 8), (2, 3, 8),
                   heads=(4, 2), past=4, is_causal=1)
    attention_case("attention_flat_scaled", (1, 3, 8), (1, 4, 8), (1, 4, 8),
                   heads=(2, 2), scale=0.3)


def masks():
    shapes = (2, 3, 4, 5), (2, 3, 6, 5), (2, 3, 6, 7)
    for name, shape in (("2d", (4, 6)), ("3d", (3, 4, 6)),
                        ("4d", (2, 3, 4, 6)), ("4d_batch", (2, 1, 1, 6)),
                        ("4d_heads", (1, 3, 4, 6)), ("row", (1, 6)),
                        ("column", (4, 1))):
        random = random_of("mask" + name)
        attention_case(f"attention_mask_{name}", *shapes,
                       mask=random.standard_normal(shape).astype(np.float32))
        if name == "column":
            continue
        attention_case(f"attention_mask_bool_{name}", *shapes,
                       mask=random.random(shape) < 0.6, opset=24)
    none = np.ones((4, 6), bool)
    none[1] = False
    attention_case("attention_mask_bool_empty_row", *shapes, mask=none)
    for mode in (2, 3):
        attention_case(f"attention_mask_bool_empty_row_mode{mode}", *shapes,
                       mask=none, mode=mode)
    infinite = np.zeros((4, 6), np.float32)
    infinite[2] = -np.inf
    infinite[0, 3:] = -np.inf
    attention_case("attention_mask_infinite", *shapes, mask=infinite)
    attention_case("attention_mask_bool_causal", *shapes, is_causal=1,
                   mask=random_of("causal").random((4, 6)) < 0.5)
    for kind in ("float", "bool"):
        mask = random_of("short").standard_normal((2, 1, 4, 4))
        attention_case(f"attention_mask_{kind}_short", *shapes, opset=24,
                       mask=mask < 0.5 if kind == "bool"
                       else mask.astype(np.float32))
    attention_case("attention_mask_one_short", *shapes, opset=24,
                   mask=np.full((4, 1), 0.5, np.float32))


def caches():
    attention_case("attention_past", (2, 3, 4, 5), (2, 3, 2, 5), (2, 3, 2, 6),
                   past=3)
    attention_case("attention_past_causal", (2, 3, 4, 5), (2, 3, 4, 5),
                   (2, 3, 4, 6), past=3, is_causal=1)
    attention_case("attention_past_decode", (2, 6, 1, 4), (2, 2, 1, 4),
                   (2, 2, 1, 4), past=7, is_causal=1, opset=24)
    attention_case("attention_past_mask_short", (2, 2, 3, 4), (2, 2, 3, 4),
                   (2, 2, 3, 4), past=4, opset=24,
                   mask=random_of("past").standard_normal((3, 5))
                   .astype(np.float32))
    attention_case("attention_present_alone", (2, 2, 3, 4), (2, 2, 3, 4),
                   (2, 2, 3, 4), presents=True)
    attention_case("attention_past_empty", (1, 2, 3, 4), (1, 2, 3, 4),
                   (1, 2, 3, 4), past=0, is_causal=1)
    shapes = (3, 2, 3, 4), (3, 2, 7, 4), (3, 2, 7, 5)
    attention_case("attention_lengths", *shapes, opset=24, lengths=[5, 7, 1])
    attention_case("attention_lengths_causal", *shapes, opset=24,
                   lengths=[5, 7, 3], is_causal=1)
    attention_case("attention_lengths_causal_empty_rows", *shapes, opset=24,
                   lengths=[2, 0, 1], is_causal=1)
    attention_case("attention_lengths_gqa_mask", (3, 4, 3, 4), *shapes[1:],
                   opset=24, lengths=[5, 6, 2],
                   mask=random_of("lengths").random((3, 7)) < 0.7)


def windows():
    shapes = (2, 2, 5, 4), (2, 2, 5, 4), (2, 2, 5, 3)
    attention_case("attention_window_left", *shapes, opset=25,
                   left_window_size=1)
    attention_case("attention_window_both", *shapes, opset=25,
                   left_window_size=2, right_window_size=0)
    attention_case("attention_window_right_past", *shapes, opset=25, past=3,
                   right_window_size=1)
    attention_case("attention_window_causal", *shapes, opset=25, is_causal=1,
                   left_window_size=0, right_window_size=2)
    attention_case("attention_window_lengths", *shapes, opset=25,
                   lengths=[4, 5], left_window_size=1, right_window_size=1)


def stages():
    shapes = (2, 2, 3, 4), (2, 2, 5, 4), (2, 2, 5, 6)
    mask = random_of("stages").standard_normal((3, 5)).astype(np.float32)
    for mode in range(4):
        attention_case(f"attention_mode{mode}", *shapes, mask=mask, mode=mode,
                       softcap=1.5)
        attention_case(f"attention_mode{mode}_uncapped", *shapes, mask=mask,
                       mode=mode, opset=24)
    attention_case("attention_softcap_bool_mask", *shapes, softcap=0.7,
                   mask=random_of("softcap").random((3, 5)) < 0.5)
    attention_case("attention_flat_mode3_gqa", (2, 3, 8), (2, 5, 4), (2, 5, 6),
                   heads=(4, 2), mode=3, opset=24)


def types():
    shapes = (1, 2, 3, 4), (1, 2, 5, 4), (1, 2, 5, 4)
    attention_case("attention_double", *shapes, dtype=np.float64)
    attention_case("attention_half", *shapes, dtype=np.float16)
    attention_case("attention_half_past", *shapes, dtype=np.float16, past=2,
                   is_causal=1)
    for name in ("FLOAT", "DOUBLE"):
        attention_case(f"attention_half_softmax_{name.lower()}", *shapes,
                       dtype=np.float16,
                       softmax_precision=getattr(TensorProto, name))
    attention_case("attention_softmax_double", *shapes,
                   softmax_precision=TensorProto.DOUBLE)
    # One key takes all: the result is its value.
    single = np.array([1.5, -2, 0.25, 96], np.float32).reshape(1, 1, 1, 4)
    node = helper.make_node("Attention", ["Q", "K", "V"], ["Y"])
    write_case("attention_bfloat16_one_key", node,
               {"Q": bf16(np.tile(single, (1, 2, 3, 1))), "K": bf16(single),
                "V": bf16(single)},
               {"Y": bf16(np.tile(single, (1, 2, 3, 1)))}, 24)


def dynamic_forms():
    """Declared with symbols; the run binds them."""
    grown = {"Q": ["b", 4, "s", 6], "K": ["b", 2, "s", 6],
             "V": ["b", 2, "s", 6], "past_key": ["b", 2, "p", 6],
             "past_value": ["b", 2, "p", 6], "Y": ["b", 4, "s", 6],
             "present_key": ["b", 2, "t", 6],
             "present_value": ["b", 2, "t", 6], "mask": ["s", "m"]}
    attention_case("attention_dynamic_gqa_past", (2, 4, 3, 6), (2, 2, 3, 6),
                   (2, 2, 3, 6), past=5, is_causal=1, shapes=grown)
    attention_case("attention_dynamic_mask_short", (2, 4, 3, 6), (2, 2, 3, 6),
                   (2, 2, 3, 6), past=5, opset=24, shapes=grown,
                   mask=random_of("grown").standard_normal((3, 6))
                   .astype(np.float32))
    attention_case("attention_dynamic_flat", (2, 3, 12), (2, 5, 12),
                   (2, 5, 12), heads=(3, 3), is_causal=1,
                   shapes={"Q": ["b", "s", 12], "K": ["b", "t", 12],
                           "V": ["b", "t", 12], "Y": ["b", "s", 12]})
    attention_case("attention_dynamic_all", (2, 3, 4, 5), (2, 3, 6, 5),
                   (2, 3, 6, 5),
                   shapes={"Q": ["b", "h", "s", "d"], "K": ["b", "h", "t", "d"],
                           "V": ["b", "h", "t", "d"],
                           "Y": ["b", "h", "s", "d"]})


def write_cases():
    flat_forms()
    masks()
    caches()
    windows()
    stages()
    types()
    dynamic_forms()
