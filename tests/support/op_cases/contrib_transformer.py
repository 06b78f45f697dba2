# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of com.microsoft that optimisers write into transformers and
convolutional nets."""
import math

import numpy as np
from onnx import helper

from op_cases.activations import exact_gelu, sigmoid, tanh_gelu
from op_cases.attention import by_heads, merged, softmax
from op_cases.case import random_of, write_case
from op_cases.conv import conv
from op_cases.normalization import layer_norm

DOMAIN = "com.microsoft"


def contrib(name, op, inputs, outputs, shapes=None, slots=None, results=None,
            **attributes):
    node = helper.make_node(op, slots or list(inputs),
                            results or list(outputs), domain=DOMAIN,
                            **attributes)
    write_case(name, node, inputs, outputs, 17, opsets=[(DOMAIN, 1)],
               shapes=shapes)


def mapped(function, x):
    return np.array([function(float(v)) for v in x.ravel()]).reshape(x.shape)


def group_norm_of(x, gamma, beta, groups):
    """Of images with channels last."""
    parts = x.astype(np.float64).reshape(*x.shape[:3], groups, -1)
    means = parts.mean(axis=(1, 2, 4), keepdims=True)
    spread = np.sqrt(parts.var(axis=(1, 2, 4), keepdims=True) + 1e-5)
    return ((parts - means) / spread).reshape(x.shape) * gamma + beta


def group_norm():
    random = random_of("contrib_group_norm")
    x = random.standard_normal((2, 3, 5, 12)).astype(np.float32)
    gamma, beta = random.standard_normal((2, 12)).astype(np.float32)
    given = {"gamma": gamma, "beta": beta}
    for kind, dtype in (("", np.float32), ("_half", np.float16)):
        image = x.astype(dtype)
        normal = group_norm_of(image, gamma, beta, 4)
        contrib(f"contrib_groupnorm{kind}", "GroupNorm", {"X": image, **given},
                {"Y": normal.astype(dtype)}, activation=0, groups=4)
    normal = group_norm_of(x, gamma, beta, 4)
    active = normal * mapped(sigmoid, normal)
    contrib("contrib_groupnorm_silu", "GroupNorm",
            {"X": x.transpose(0, 3, 1, 2).copy(), **given},
            {"Y": active.transpose(0, 3, 1, 2).astype(np.float32)},
            activation=1, groups=4, channels_last=0)


def activations():
    for dtype, kind in ((np.float32, ""), (np.float16, "_half")):
        random = random_of("contrib_activations")
        x = random.standard_normal((2, 3, 4)).astype(dtype)
        bias = random.standard_normal(4).astype(dtype)
        biased = x.astype(np.float64) + bias.astype(np.float64)
        contrib(f"contrib_gelu{kind}", "Gelu", {"X": x},
                {"Y": mapped(exact_gelu, x).astype(dtype)})
        contrib(f"contrib_fastgelu{kind}", "FastGelu", {"X": x},
                {"Y": mapped(tanh_gelu, x).astype(dtype)})
        contrib(f"contrib_fastgelu_bias{kind}", "FastGelu",
                {"X": x, "bias": bias},
                {"Y": mapped(tanh_gelu, biased).astype(dtype)})
        contrib(f"contrib_biasgelu{kind}", "BiasGelu", {"X": x, "bias": bias},
                {"Y": mapped(exact_gelu, biased).astype(dtype)})
        contrib(f"contrib_quickgelu{kind}", "QuickGelu", {"X": x},
                {"Y": mapped(lambda v: v * sigmoid(1.702 * v), x)
                 .astype(dtype)})
    contrib("contrib_quickgelu_alpha", "QuickGelu", {"X": x.astype("f4")},
            {"Y": mapped(lambda v: v * sigmoid(0.5 * v), x).astype("f4")},
            alpha=0.5)
    random = random_of("contrib_bias")
    x, skip = random.standard_normal((2, 2, 3, 6)).astype(np.float32)
    bias = random.standard_normal(6).astype(np.float32)
    contrib("contrib_biasadd", "BiasAdd", {"X": x, "bias": bias, "skip": skip},
            {"Y": x + bias + skip})
    left, right = (x + bias)[..., :3], (x + bias)[..., 3:]
    contrib("contrib_biassplitgelu", "BiasSplitGelu", {"X": x, "bias": bias},
            {"Y": (left * mapped(exact_gelu, right)).astype(np.float32)})


def product(a, b, alpha):
    """Of two stacks of matrices with the same number of dimensions."""
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    y = np.zeros(batch + (a.shape[-2], b.shape[-1]))
    for at in np.ndindex(*y.shape):
        def place(t):
            return tuple(0 if size == 1 else i for i, size in
                         zip(at[:-2], t.shape[:-2]))
        y[at] = alpha * sum(
            float(a[place(a) + (at[-2], k)]) * float(b[place(b) + (k, at[-1])])
            for k in range(a.shape[-1]))
    return y


def products():
    for name, a, b, flags in (
            ("plain", (3, 4), (4, 5), {}),
            ("transb", (2, 3, 4), (2, 5, 4), {"transB": 1}),
            ("transa", (2, 4, 3), (1, 4, 5), {"transA": 1}),
            ("both", (4, 3), (5, 4), {"transA": 1, "transB": 1}),
            ("batch_a", (3, 2, 4), (2, 4, 5), {"transBatchA": 1}),
            ("batch_b", (2, 3, 4), (4, 2, 5), {"transBatchB": 1}),
            ("batch_both", (4, 2, 3), (5, 2, 4),
             {"transBatchA": 1, "transA": 1, "transBatchB": 1, "transB": 1}),
            ("batch_rank4", (3, 2, 2, 4), (2, 2, 4, 5), {"transBatchA": 1})):
        random = random_of("fused" + name)
        x = random.standard_normal(a).astype(np.float32)
        z = random.standard_normal(b).astype(np.float32)
        left, right = x, z
        if "transBatchA" in flags:
            left = np.moveaxis(left, 0, -2)
        if "transBatchB" in flags:
            right = np.moveaxis(right, 0, -2)
        if "transA" in flags:
            left = np.swapaxes(left, -1, -2)
        if "transB" in flags:
            right = np.swapaxes(right, -1, -2)
        contrib(f"contrib_fusedmatmul_{name}", "FusedMatMul", {"A": x, "B": z},
                {"Y": product(left, right, 0.25).astype(np.float32)},
                alpha=0.25, **flags)
    contrib("contrib_transposematmul", "TransposeMatMul", {"A": x, "B": z[0]},
            {"Y": np.array([product(part, z[0], 1) for part in x])
             .astype(np.float32)})


def fused_gemms():
    """With the activations that optimisers put into it."""
    for name, activation, bent in (
            ("none", {}, lambda v: v),
            ("relu", {}, lambda v: np.maximum(v, 0)),
            ("tanh", {}, np.tanh),
            ("sigmoid", {}, lambda v: 1 / (1 + np.exp(-v))),
            ("leakyrelu", {"activation_alpha": 0.3},
             lambda v: np.where(v < 0, 0.3 * v, v)),
            ("hardsigmoid", {"activation_alpha": 0.4, "activation_beta": 0.25},
             lambda v: np.clip(0.4 * v + 0.25, 0, 1))):
        random = random_of("fusedgemm" + name)
        a = random.standard_normal((4, 3)).astype(np.float32)
        b = random.standard_normal((5, 4)).astype(np.float32)
        c = random.standard_normal(5).astype(np.float32)
        if name != "none":
            activation["activation"] = {
                "leakyrelu": "LeakyRelu", "hardsigmoid": "HardSigmoid",
            }.get(name, name.capitalize())
        y = product(a.T, b.T, 0.5) + 0.75 * c.astype(np.float64)
        contrib(f"contrib_fusedgemm_{name}", "FusedGemm",
                {"A": a, "B": b, "C": c}, {"Y": bent(y).astype(np.float32)},
                alpha=0.5, beta=0.75, transA=1, transB=1, **activation)


def fused_convs():
    """With a summand, and with the activations that have parameters."""
    for name, has_sum, activation, bent in (
            ("relu", False, {"activation": "Relu"}, lambda v: np.maximum(v, 0)),
            ("sum", True, {}, lambda v: v),
            ("sum_relu", True, {"activation": "Relu"},
             lambda v: np.maximum(v, 0)),
            ("clip", False, {"activation": "Clip",
                             "activation_params": [-0.5, 1.25]},
             lambda v: np.clip(v, -0.5, 1.25)),
            ("leakyrelu", False, {"activation": "LeakyRelu",
                                  "activation_params": [0.3]},
             lambda v: np.where(v < 0, 0.3 * v, v)),
            ("hardsigmoid", False, {"activation": "HardSigmoid",
                                    "activation_params": [0.4, 0.25]},
             lambda v: np.clip(0.4 * v + 0.25, 0, 1))):
        random = random_of("fusedconv" + name)
        x = random.standard_normal((2, 4, 5, 5)).astype(np.float32)
        w = random.standard_normal((4, 2, 3, 3)).astype(np.float32)
        inputs = {"X": x, "W": w,
                  "B": random.standard_normal(4).astype(np.float32)}
        window = {"group": 2, "pads": [1, 1, 0, 1], "strides": [2, 1]}
        y = conv(x, w, inputs["B"], window).astype(np.float64)
        if has_sum:
            inputs["Z"] = random.standard_normal(y.shape).astype(np.float32)
            y = y + inputs["Z"]
        contrib(f"contrib_fusedconv_{name}", "FusedConv", inputs,
                {"Y": bent(y).astype(np.float32)}, kernel_shape=[3, 3],
                **window, **activation)


def skip_case(name, op, skip_shape=(2, 3, 4), bias=False, beta=True,
              every=False, dtype=np.float32, shapes=None):
    random = random_of(name)
    centred = op == "SkipLayerNormalization"
    x = random.standard_normal((2, 3, 4)).astype(dtype)
    inputs = {"X": x, "skip": random.standard_normal(skip_shape).astype(dtype),
              "gamma": random.standard_normal(4).astype(dtype)}
    slots = ["X", "skip", "gamma"]
    total = x.astype(np.float64) + inputs["skip"]
    if centred and beta:
        inputs["beta"] = random.standard_normal(4).astype(dtype)
    if centred:
        slots.append("beta" if beta else "")
    if bias:
        inputs["bias"] = random.standard_normal(4).astype(dtype)
        slots.append("bias")
        total = total + inputs["bias"]
    y, mean, inverse = layer_norm(total, -1, 1e-5, centred)
    y = y * inputs["gamma"]
    if "beta" in inputs:
        y = y + inputs["beta"]
    outputs, results = {"Y": y.astype(dtype)}, ["Y"]
    if every:
        results = ["Y", "mean" if centred else "", "inverse", "sum"]
        if centred:
            outputs["mean"] = mean.astype(np.float32)
        outputs["inverse"] = inverse.astype(np.float32)
        outputs["sum"] = total.astype(dtype)
    contrib(name, op, inputs, outputs, slots=slots, results=results,
            epsilon=1e-5, shapes=shapes)


def norms():
    for op, short in (("SkipLayerNormalization", "skiplayernorm"),
                      ("SkipSimplifiedLayerNormalization", "skiprmsnorm")):
        skip_case(f"contrib_{short}", op)
        skip_case(f"contrib_{short}_every", op, bias=True, every=True)
        skip_case(f"contrib_{short}_shared_skip", op, skip_shape=(1, 3, 4))
        skip_case(f"contrib_{short}_flat_skip", op, skip_shape=(3, 4),
                  beta=False, bias=True)
        skip_case(f"contrib_{short}_half", op, dtype=np.float16)
        skip_case(f"contrib_{short}_dynamic", op, shapes={
            "X": ["b", "s", 4], "skip": ["b", "s", 4], "Y": ["b", "s", 4]})


def embed_case(name, segments=True, mask=False, positions=None, total=False):
    random = random_of(name)
    ids = random.integers(0, 7, (2, 3)).astype(np.int32)
    inputs = {"ids": ids}
    if segments:
        inputs["segments"] = random.integers(0, 2, (2, 3)).astype(np.int32)
    inputs["words"] = random.standard_normal((7, 4)).astype(np.float32)
    inputs["places"] = random.standard_normal((5, 4)).astype(np.float32)
    if segments:
        inputs["kinds"] = random.standard_normal((2, 4)).astype(np.float32)
    for key in ("gamma", "beta"):
        inputs[key] = random.standard_normal(4).astype(np.float32)
    if mask:
        inputs["mask"] = np.array([[1, 1, 0], [1, 0, 0]], np.int32)
    if positions is not None:
        inputs["positions"] = np.array(positions, np.int32)
    summed = np.zeros((2, 3, 4))
    for b, s in np.ndindex(2, 3):
        place = s
        if positions is not None:
            place = positions[b if len(positions) > 1 else 0][s]
        summed[b, s] = inputs["words"][ids[b, s]] + inputs["places"][place]
        if segments:
            summed[b, s] += inputs["kinds"][inputs["segments"][b, s]]
    y = layer_norm(summed, -1, 1e-12)[0] * inputs["gamma"] + inputs["beta"]
    lengths = np.array([2, 1] if mask else [0, 0], np.int32)
    outputs = {"Y": y.astype(np.float32), "lengths": lengths}
    if total:
        outputs["summed"] = summed.astype(np.float32)
    order = ["ids", "segments", "words", "places", "kinds", "gamma", "beta",
             "mask", "positions"]
    slots = [key if key in inputs else "" for key in order]
    while not slots[-1]:
        slots.pop()
    contrib(name, "EmbedLayerNormalization", inputs, outputs, slots=slots)


def embeddings():
    embed_case("contrib_embedlayernorm")
    embed_case("contrib_embedlayernorm_no_segments", segments=False, total=True)
    embed_case("contrib_embedlayernorm_mask", mask=True)
    embed_case("contrib_embedlayernorm_positions",
               positions=[[4, 0, 2], [1, 1, 3]], mask=True)
    embed_case("contrib_embedlayernorm_shared_positions",
               positions=[[3, 0, 2]], segments=False)


def attend(q, k, v, addend, causal=False, past=0, scale=None):
    """By heads; `addend(b, h, i, j)` joins each score."""
    batch, heads, queries, size = q.shape
    scale = scale or 1 / math.sqrt(size)
    y = np.zeros((batch, heads, queries, v.shape[3]))
    for b, h, i in np.ndindex(batch, heads, queries):
        row = []
        for j in range(k.shape[2]):
            score = scale * float(np.dot(q[b, h, i].astype(np.float64),
                                         k[b, h, j].astype(np.float64)))
            score += addend(b, h, i, j)
            row.append(-math.inf if causal and j > i + past else score)
        for j, p in enumerate(softmax(row)):
            y[b, h, i] += p * v[b, h, j]
    return y


def addends(mask, bias, filter_value=-10000.0):
    """What the masks of com.microsoft add."""
    def addend(b, h, i, j):
        value = 0.0
        if mask is not None:
            if mask.ndim == 1:
                batch = mask.size // 2 or 1
                seen = j < mask[b] and (mask.size < 4 or j >= mask[b + batch])
            else:
                seen = (mask[b, j] if mask.ndim == 2 else mask[b, i, j]) > 0
            value += 0.0 if seen else filter_value
        if bias is not None:
            value += float(bias[b % bias.shape[0], h % bias.shape[1], i, j])
        return value
    return addend


def self_case(name, mask=None, past=0, bias=None, sizes=None, no_bias=False,
              dtype=np.float32, shapes=None, **attributes):
    """com.microsoft.Attention with two heads."""
    random = random_of(name)
    batch, length, hidden, heads = 2, 3, 4, 2
    sizes = sizes or [hidden] * 3
    inputs = {
        "X": random.standard_normal((batch, length, hidden)).astype(dtype),
        "W": random.standard_normal((hidden, sum(sizes))).astype(dtype)}
    slots = ["X", "W", "", "", "", ""]
    all_three = np.einsum("bsi,io->bso", inputs["X"].astype(np.float64),
                          inputs["W"].astype(np.float64))
    if not no_bias:
        inputs["B"] = random.standard_normal(sum(sizes)).astype(dtype)
        slots[2] = "B"
        all_three = all_three + inputs["B"]
    q = by_heads(all_three[..., :sizes[0]], heads)
    k = by_heads(all_three[..., sizes[0]:sizes[0] + sizes[1]], heads)
    v = by_heads(all_three[..., sizes[0] + sizes[1]:], heads)
    if mask is not None:
        inputs["mask"] = np.array(mask, np.int32)
        slots[3] = "mask"
    if past:
        inputs["past"] = random.standard_normal(
            (2, batch, heads, past, k.shape[3])).astype(dtype)
        slots[4] = "past"
        k = np.concatenate([inputs["past"][0], k], axis=2)
        v = np.concatenate([inputs["past"][1], v], axis=2)
    if bias is not None:
        inputs["addend"] = random.standard_normal(bias).astype(dtype)
        slots[5] = "addend"
    y = attend(q, k, v, addends(inputs.get("mask"), inputs.get("addend"),
                                attributes.get("mask_filter_value", -10000.0)),
               bool(attributes.get("unidirectional")), past,
               attributes.get("scale"))
    outputs = {"Y": merged(y).astype(dtype)}
    if past:
        outputs["present"] = np.stack([k, v]).astype(dtype)
    if sizes != [hidden] * 3:
        attributes["qkv_hidden_sizes"] = sizes
    while not slots[-1]:
        slots.pop()
    contrib(name, "Attention", inputs, outputs, slots=slots, num_heads=heads,
            shapes=shapes, **attributes)


def self_attention():
    start = "contrib_attention"
    self_case(start)
    self_case(f"{start}_no_bias", no_bias=True, scale=0.3)
    self_case(f"{start}_causal", unidirectional=1)
    self_case(f"{start}_mask_lengths", mask=[2, 1])
    self_case(f"{start}_mask_ends_starts", mask=[3, 2, 1, 0])
    self_case(f"{start}_mask_keys", mask=[[1, 1, 0], [0, 1, 1]])
    self_case(f"{start}_mask_keys_causal", mask=[[1, 1, 0], [1, 0, 1]],
              unidirectional=1)
    self_case(f"{start}_mask_all_hidden", mask=[[1, 1, 1], [0, 0, 0]],
              mask_filter_value=-100.0)
    self_case(f"{start}_mask_queries", mask=[[[1, 0, 0], [1, 1, 0], [1, 1, 1]],
                                             [[1, 1, 1], [0, 1, 1], [0, 0, 1]]])
    self_case(f"{start}_past_causal", past=2, unidirectional=1)
    self_case(f"{start}_past_mask", past=2,
              mask=[[1, 1, 1, 0, 0], [0, 1, 1, 1, 1]])
    self_case(f"{start}_addend", bias=(2, 2, 3, 3))
    self_case(f"{start}_addend_shared", bias=(1, 1, 3, 3), unidirectional=1)
    self_case(f"{start}_sizes", sizes=[6, 6, 8])
    self_case(f"{start}_half", dtype=np.float16, unidirectional=1)
    self_case(f"{start}_dynamic", past=2, unidirectional=1,
              shapes={"X": ["b", "s", 4], "past": [2, "b", 2, "p", 2],
                      "Y": ["b", "s", 4], "present": [2, "b", 2, "t", 2]})


def multi_case(name, keys=3, form="flat", bias=False, mask=None, addend=None,
               past=0, shapes=None, **attributes):
    """MultiHeadAttention with two heads of three (values of two)."""
    random = random_of(name)
    batch, queries, heads, size = 2, 3, 2, 3
    v_size = size if form in ("packed", "packed_kv") else 2
    q = random.standard_normal((batch, queries, heads, size))
    k = random.standard_normal((batch, keys, heads, size))
    v = random.standard_normal((batch, keys, heads, v_size))
    q, k, v = (t.astype(np.float32) for t in (q, k, v))
    inputs, slots = {}, [""] * 8
    def give(slot, key, value):
        inputs[key] = value
        slots[slot] = key
    flat = {key: t.reshape(batch, t.shape[1], -1)
            for key, t in (("Q", q), ("K", k), ("V", v))}
    if form == "packed":
        give(0, "QKV", np.stack([q, k, v], axis=3))
    else:
        give(0, "Q", flat["Q"])
    if form == "packed_kv":
        give(1, "KV", np.stack([k, v], axis=3))
    if form == "by_heads":
        give(1, "K", k.transpose(0, 2, 1, 3))
        give(2, "V", v.transpose(0, 2, 1, 3))
    if form == "flat":
        give(1, "K", flat["K"])
        give(2, "V", flat["V"])
    q, k, v = (t.transpose(0, 2, 1, 3) for t in (q, k, v))
    if bias:
        parts = [random.standard_normal(t.shape[2]).astype(np.float32)
                 for t in flat.values()]
        give(3, "B", np.concatenate(parts))
        q, k, v = (t + part.reshape(1, heads, 1, -1)
                   for t, part in zip((q, k, v), parts))
    if mask is not None:
        give(4, "mask", np.array(mask, np.int32))
    if addend:
        give(5, "addend", random.standard_normal(addend).astype(np.float32))
    if past:
        for slot, key, t in ((6, "past_key", k), (7, "past_value", v)):
            give(slot, key, random.standard_normal(
                (batch, heads, past, t.shape[3])).astype(np.float32))
        k = np.concatenate([inputs["past_key"], k], axis=2)
        v = np.concatenate([inputs["past_value"], v], axis=2)
    y = attend(q, k, v, addends(inputs.get("mask"), inputs.get("addend")),
               bool(attributes.get("unidirectional")), past,
               attributes.get("scale"))
    outputs = {"Y": merged(y).astype(np.float32)}
    if past:
        outputs.update(present_key=k.astype(np.float32),
                       present_value=v.astype(np.float32))
    while not slots[-1]:
        slots.pop()
    contrib(name, "MultiHeadAttention", inputs, outputs, slots=slots,
            num_heads=heads, shapes=shapes, **attributes)


def multi_head():
    start = "contrib_mha"
    multi_case(start)
    multi_case(f"{start}_cross_bias", keys=5, bias=True)
    multi_case(f"{start}_packed", form="packed")
    multi_case(f"{start}_packed_kv", form="packed_kv", keys=4)
    multi_case(f"{start}_by_heads", form="by_heads", keys=4, scale=0.4)
    multi_case(f"{start}_mask", keys=4, mask=[[1, 1, 0, 1], [1, 0, 0, 1]])
    multi_case(f"{start}_mask_lengths", keys=4, mask=[3, 2])
    multi_case(f"{start}_addend", keys=4, addend=(1, 2, 3, 4))
    multi_case(f"{start}_past", past=2, unidirectional=1, bias=True)
    multi_case(f"{start}_past_dynamic", past=2, unidirectional=1,
               shapes={"Q": ["b", "s", 6], "K": ["b", "s", 6],
                       "V": ["b", "s", 4], "Y": ["b", "s", 4],
                       "past_key": ["b", 2, "p", 3],
                       "past_value": ["b", 2, "p", 2],
                       "present_key": ["b", 2, "t", 3],
                       "present_value": ["b", 2, "t", 2]})


def rotary_case(name, shape, positions, heads=0, width=0, interleaved=0):
    from op_cases.rotary import turned
    random = random_of(name)
    x = random.standard_normal(shape).astype(np.float32)
    four = (x.transpose(0, 2, 1, 3) if len(shape) == 4
            else x.reshape(*shape[:2], heads or 2, -1))
    pairs = (width or four.shape[3]) // 2
    angles = random.uniform(-3, 3, (9, pairs))
    cosines, sines = (f(angles).astype(np.float32) for f in (np.cos, np.sin))
    ids = np.array(positions, np.int64)
    places = ids
    if ids.size == 1:
        places = np.array([[ids[0] + s for s in range(four.shape[1])]
                           for _ in range(shape[0])])
    y = turned(four, cosines, sines, places, 2 * pairs, interleaved)
    y = y.transpose(0, 2, 1, 3) if len(shape) == 4 else y.reshape(shape)
    attributes = {"num_heads": heads} if heads else {}
    if width:
        attributes["rotary_embedding_dim"] = width
    contrib(name, "RotaryEmbedding",
            {"X": x, "ids": ids, "cos": cosines, "sin": sines},
            {"Y": y.astype(np.float32)}, interleaved=interleaved, **attributes)


def rotary():
    ids = [[3, 1, 0], [8, 2, 5]]
    for interleaved in (0, 1):
        kind = "_interleaved" * interleaved
        rotary_case(f"contrib_rotary{kind}", (2, 3, 8), ids,
                    interleaved=interleaved)
        rotary_case(f"contrib_rotary_offset{kind}", (2, 2, 3, 4), [4],
                    interleaved=interleaved)
    rotary_case("contrib_rotary_part", (2, 3, 12), ids, heads=2, width=4)


def write_cases():
    activations()
    group_norm()
    products()
    fused_gemms()
    fused_convs()
    norms()
    embeddings()
    self_attention()
    multi_head()
    rotary()
