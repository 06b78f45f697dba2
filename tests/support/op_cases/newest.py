# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What opsets 26 to 28 and the preview domain added, number by number."""
import math

import numpy as np
from onnx import TensorProto, helper

from op_cases.case import packed, random_of, write_case
from op_cases.normalization import bf16


def round_bf16(values):
    """To the nearest bfloat16, ties to even, as float32."""
    bits = np.asarray(values, np.float32).view(np.uint32)
    odd = (bits >> 16) & 1
    return ((bits + 0x7FFF + odd) & 0xFFFF0000).astype(np.uint32).view(
        np.float32)


# BitCast


def bit_cast_of(name, x, target, expected, shapes=None):
    node = helper.make_node("BitCast", ["X"], ["Y"], to=target)
    write_case(name, node, {"X": x}, {"Y": expected}, 26, shapes=shapes)


def bit_cast_forms():
    random = random_of("bitcast")
    special = [0.0, -0.0, 1.5, -2.75, math.inf, -math.inf, 1e-40]
    floats = np.array(special + [3.25, -1e30], np.float32).reshape(3, 3)
    bit_cast_of("bitcast_float_to_int32", floats, TensorProto.INT32,
                np.frombuffer(floats.tobytes(), "<i4").reshape(3, 3))
    words = random.integers(0, 2**31, (2, 3)).astype(np.uint32)
    bit_cast_of("bitcast_uint32_to_float", words, TensorProto.FLOAT,
                np.frombuffer(words.tobytes(), "<f4").reshape(2, 3),
                {"X": ["n", 3], "Y": ["n", 3]})
    doubles = random.standard_normal((4,))
    bit_cast_of("bitcast_double_to_uint64", doubles, TensorProto.UINT64,
                np.frombuffer(doubles.tobytes(), "<u8"))
    longs = np.array([-1, 0, 2**63 - 1], np.int64)
    bit_cast_of("bitcast_int64_to_uint64", longs, TensorProto.UINT64,
                np.frombuffer(longs.tobytes(), "<u8"))
    halves = random.standard_normal((5,)).astype(np.float16)
    bit_cast_of("bitcast_float16_to_int16", halves, TensorProto.INT16,
                np.frombuffer(halves.tobytes(), "<i2"))
    bit_cast_of("bitcast_uint16_to_bfloat16",
                np.array([0x3FC0, 0xC000, 0x7F80], np.uint16),
                TensorProto.BFLOAT16, bf16([1.5, -2.0, math.inf]))
    bit_cast_of("bitcast_float16_to_bfloat16",
                np.array([1.9375, 0.0], np.float16), TensorProto.BFLOAT16,
                packed(TensorProto.BFLOAT16, [2], b"\xc0\x3f\x00\x00"))
    scalar = np.float32(-3.5)
    bit_cast_of("bitcast_scalar", scalar, TensorProto.UINT32,
                np.array(0xC0600000, np.uint32))


def bit_cast_bytes():
    raw = np.array([0, 1, 127, 128, 255], np.uint8)
    bit_cast_of("bitcast_uint8_to_int8", raw, TensorProto.INT8,
                np.array([0, 1, 127, -128, -1], np.int8))
    bit_cast_of("bitcast_int8_to_uint8",
                np.array([0, 1, 127, -128, -1], np.int8), TensorProto.UINT8,
                raw)
    bits = np.array([0, 1, 1, 0], np.uint8)
    bit_cast_of("bitcast_uint8_to_bool", bits, TensorProto.BOOL, bits != 0)
    bit_cast_of("bitcast_bool_to_int8", bits != 0, TensorProto.INT8,
                bits.astype(np.int8))
    float8 = packed(17, [3], b"\x38\xc0\x01")  # float8e4m3fn
    bit_cast_of("bitcast_float8_to_uint8", float8, TensorProto.UINT8,
                np.array([0x38, 0xC0, 1], np.uint8))
    bit_cast_of("bitcast_uint8_to_float8",
                np.array([0x38, 0xC0, 1], np.uint8), 17, float8)
    # Elements 1, 15, 8, 7, lowest bits first: 15 and 8 are -1 and -8.
    int4, uint4 = packed(22, [4], b"\xf1\x78"), packed(21, [4], b"\xf1\x78")
    bit_cast_of("bitcast_int4_to_uint4", int4, 21, uint4)
    bit_cast_of("bitcast_uint4_to_int4", uint4, 22, int4)
    bit_cast_of("bitcast_uint4_to_float4", uint4, 23,
                packed(23, [4], b"\xf1\x78"))


# Range


def range_forms():
    node = helper.make_node("Range", ["start", "limit", "delta"], ["Y"])
    half = [np.array(v, np.float16) for v in (1.0, -5.0, -0.75)]
    steps = [1.0 - 0.75 * i for i in range(8)]
    names = ("start", "limit", "delta")
    write_case("range_float16", node, dict(zip(names, half)),
               {"Y": np.array(steps, np.float16)}, 27)
    # 2049 is no float16: the position must not be rounded to one.
    long = [np.array(v, np.float16) for v in (0.0, 257.0, 0.125)]
    write_case("range_float16_long", node, dict(zip(names, long)),
               {"Y": np.array([0.125 * i for i in range(2056)], np.float16)},
               27)
    write_case("range_bfloat16", helper.make_node(
        "Range", list(names), ["Y"], stash_type=TensorProto.DOUBLE),
               dict(zip(names, (bf16(0.5), bf16(3.0), bf16(0.25)))),
               {"Y": bf16([0.5 + 0.25 * i for i in range(10)])}, 27)
    whole = [np.array(v, np.int32) for v in (7, -2, -3)]
    write_case("range_int32_27", node, dict(zip(names, whole)),
               {"Y": np.array([7, 4, 1], np.int32)}, 27)


def write_newest(name, node, inputs, outputs, shapes):
    """Of opset 27, or of com.microsoft, which had the operators before."""
    opsets = [(node.domain, 1)] if node.domain else []
    write_case(name, node, inputs, outputs, 21 if node.domain else 27,
               opsets=opsets, shapes=shapes)


# CausalConvWithState


def silu(x):
    return x / (1 + math.exp(-x))


def causal_conv(x, w, bias, past, bends, rounded):
    """`rounded` is what the result's type makes of a number."""
    batch, channels, length = x.shape
    taps = w.shape[2]
    y = np.zeros(x.shape)
    state = np.zeros((batch, channels, taps - 1))
    for b, c in np.ndindex(batch, channels):
        before = [0.0] * (taps - 1) if past is None else list(past[b, c])
        line = [float(value) for value in before] + [float(v) for v in x[b, c]]
        for t in range(length):
            total = 0.0 if bias is None else float(bias[c])
            for j in range(taps):
                total += float(w[c, 0, j]) * line[t + j]
            total = float(rounded(total))
            y[b, c, t] = silu(total) if bends else total
        state[b, c] = line[length:]
    return y, state


def causal_case(name, shape, taps, bias=True, past=True, activation=None,
                dtype=np.float32, as_bf16=False, shapes=None, state=True,
                domain=""):
    random = random_of(name)
    batch, channels, _ = shape
    make = round_bf16 if as_bf16 else dtype

    def draw(*sizes):
        return make(random.standard_normal(sizes).astype(dtype))

    inputs = {"X": draw(*shape), "W": draw(channels, 1, taps)}
    if bias:
        inputs["B"] = draw(channels)
    if past:
        inputs["past"] = draw(batch, channels, taps - 1)
    y, present = causal_conv(inputs["X"], inputs["W"], inputs.get("B"),
                             inputs.get("past"),
                             activation in ("silu", "swish"), make)
    outputs = {"Y": make(y)}
    if state:
        outputs["present"] = make(present)
    if as_bf16:
        inputs = {key: bf16(value) for key, value in inputs.items()}
        outputs = {key: bf16(value) for key, value in outputs.items()}
    given = ["X", "W", "B" if bias else "", "past" if past else ""]
    attributes = {"activation": activation} if activation else {}
    node = helper.make_node("CausalConvWithState", given, list(outputs),
                            domain=domain or None, **attributes)
    write_newest(name, node, inputs, outputs, shapes)


def causal_forms():
    causal_case("causalconv_plain", (2, 3, 7), 4, bias=False, past=False)
    causal_case("causalconv_silu", (1, 5, 6), 3, activation="silu")
    causal_case("causalconv_swish", (2, 1, 5), 2, past=False,
                activation="swish")
    causal_case("causalconv_decode", (2, 4, 1), 4)
    causal_case("causalconv_short", (1, 3, 2), 5, activation="none")
    causal_case("causalconv_one_tap", (2, 3, 4), 1, past=False)
    causal_case("causalconv_no_state", (2, 3, 4), 3, bias=False, state=False)
    causal_case("causalconv_float16", (2, 3, 5), 3, dtype=np.float16,
                activation="silu")
    causal_case("causalconv_bfloat16", (1, 4, 5), 3, as_bf16=True,
                activation="silu")
    causal_case("causalconv_no_batches", (0, 3, 4), 4)
    causal_case("causalconv_no_tokens", (2, 3, 0), 4)
    causal_case("causalconv_contrib", (2, 3, 4), 4, activation="silu",
                domain="com.microsoft")
    causal_case("causalconv_dynamic", (2, 3, 6), 4, activation="silu",
                shapes={"X": ["b", 3, "t"], "past": ["b", 3, "k"],
                        "Y": ["b", 3, "t"], "present": ["b", 3, "k"]})


# LinearAttention


def linear_attention(q, k, v, past, decay, beta, heads, groups, scale):
    """Follows the four rules' text: decay, correction, writing, reading."""
    batch, steps, hidden = q.shape
    d, m = hidden // heads, v.shape[2] // groups
    scale = 1 / math.sqrt(d) if not scale else scale
    y = np.zeros((batch, steps, heads * m))
    states = np.zeros((batch, groups, d, m)) if past is None else np.array(
        past, np.float64)
    for b, t in np.ndindex(batch, steps):
        for g in range(groups):
            state = states[b, g]
            key = [float(x) for x in k[b, t, g * d:(g + 1) * d]]
            value = [float(x) for x in v[b, t, g * m:(g + 1) * m]]
            if decay is not None:
                each = decay.shape[2] // groups
                for i in range(d):
                    state[i] *= math.exp(decay[b, t, g * each + i % each])
            if beta is not None:
                strength = float(beta[b, t, g % beta.shape[2]])
                for j in range(m):
                    held = sum(state[i, j] * key[i] for i in range(d))
                    value[j] = strength * (value[j] - held)
            for i, j in np.ndindex(d, m):
                state[i, j] += key[i] * value[j]
        for h in range(heads):
            state = states[b, h // (heads // groups)]
            for j in range(m):
                y[b, t, h * m + j] = scale * sum(
                    float(q[b, t, h * d + i]) * state[i, j] for i in range(d))
    return y, states


def attention_case(name, rule, batch=2, steps=4, heads=4, groups=4, d=5, m=3,
                   past=False, per_head=False, shared_beta=False, scale=None,
                   dtype=np.float32, state_type=None, as_bf16=False,
                   shapes=None, state=True, domain=""):
    random = random_of(name)
    make = round_bf16 if as_bf16 else dtype

    def draw(*sizes):
        return make(0.7 * random.standard_normal(sizes).astype(dtype))

    inputs = {"Q": draw(batch, steps, heads * d),
              "K": make(draw(batch, steps, groups * d) / make(math.sqrt(d))),
              "V": draw(batch, steps, groups * m)}
    if past:
        inputs["past"] = draw(batch, groups, d, m).astype(state_type or dtype)
    if "gated" in rule:
        inputs["decay"] = -abs(draw(batch, steps,
                                    groups * (1 if per_head else d)))
    if "delta" in rule:
        inputs["beta"] = make(random.random(
            (batch, steps, 1 if shared_beta else groups)).astype(dtype))
    y, present = linear_attention(
        *(inputs.get(key) for key in ("Q", "K", "V", "past", "decay", "beta")),
        heads, groups, scale)
    outputs = {"Y": make(y)}
    if state:
        outputs["present"] = (round_bf16(present) if as_bf16 else
                              present.astype(state_type or dtype))
    if as_bf16:
        inputs = {key: bf16(value) for key, value in inputs.items()}
        outputs = {key: bf16(value) for key, value in outputs.items()}
    given = [key if key in inputs else ""
             for key in ("Q", "K", "V", "past", "decay", "beta")]
    while not given[-1]:
        given.pop()
    attributes = {} if rule == "gated_delta" else {"update_rule": rule}
    if scale is not None:
        attributes["scale"] = scale
    node = helper.make_node("LinearAttention", given, list(outputs),
                            q_num_heads=heads, kv_num_heads=groups,
                            domain=domain or None, **attributes)
    write_newest(name, node, inputs, outputs, shapes)


def attention_forms():
    for rule in ("linear", "gated", "delta", "gated_delta"):
        attention_case(f"linearattention_{rule}", rule)
    attention_case("linearattention_per_head", "gated", per_head=True,
                   groups=2, past=True)
    # Whole vectors: the body's products read a state whose rows were split.
    attention_case("linearattention_per_head_eight", "gated", d=8, m=8,
                   per_head=True)
    attention_case("linearattention_grouped", "gated_delta", heads=6, groups=2,
                   shared_beta=True, batch=1)
    attention_case("linearattention_one_group", "delta", groups=1, past=True)
    attention_case("linearattention_decode", "gated_delta", steps=1, past=True,
                   per_head=True)
    attention_case("linearattention_scale", "linear", scale=0.3, past=True,
                   state=False)
    attention_case("linearattention_thin", "gated_delta", d=1, m=1, heads=3,
                   groups=3, past=True)
    attention_case("linearattention_float16", "gated_delta", groups=2,
                   past=True, dtype=np.float16)
    attention_case("linearattention_float16_wide_state", "gated_delta",
                   past=True, dtype=np.float16, state_type=np.float32)
    attention_case("linearattention_bfloat16", "gated", as_bf16=True, past=True)
    attention_case("linearattention_no_batches", "gated_delta", batch=0,
                   past=True)
    attention_case("linearattention_no_tokens", "gated_delta", steps=0,
                   past=True)
    attention_case("linearattention_contrib", "gated_delta", groups=2,
                   past=True, per_head=True, domain="com.microsoft")
    attention_case("linearattention_dynamic", "gated_delta", groups=2,
                   past=True, shapes={
                       "Q": ["b", "t", 20], "K": ["b", "t", 10],
                       "V": ["b", "t", 6], "past": ["b", 2, 5, 3],
                       "decay": ["b", "t", 10], "beta": ["b", "t", 2],
                       "Y": ["b", "t", 12], "present": ["b", 2, 5, 3]})


# Opset 28


def gated_forms():
    """SwiGLU by its definition, and Celu in the types that it takes now."""
    def swish(a, alpha):
        return a / (1 + math.exp(-alpha * a))

    for name, dtype, alpha in (("swiglu", np.float32, 1.0),
                               ("swiglu_alpha", np.float32, 1.7),
                               ("swiglu_half", np.float16, 1.0),
                               ("swiglu_double", np.float64, -0.5)):
        random = random_of(name)
        a, b = (random.standard_normal((3, 7)).astype(dtype) for _ in "ab")
        y = np.vectorize(swish)(a.astype(np.float64), alpha) * b
        node = helper.make_node("SwiGLU", ["A", "B"], ["Y"],
                                **({} if alpha == 1.0 else {"alpha": alpha}))
        write_case(name, node, {"A": a, "B": b}, {"Y": y.astype(dtype)}, 28)
    for name, dtype in (("celu_half", np.float16), ("celu_double", np.float64)):
        x = random_of(name).standard_normal((4, 5)).astype(dtype)
        y = [max(0.0, v) + min(0.0, 0.7 * math.expm1(v / 0.7))
             for v in x.astype(np.float64).flat]
        node = helper.make_node("Celu", ["X"], ["Y"], alpha=0.7)
        write_case(name, node, {"X": x},
                   {"Y": np.array(y).reshape(x.shape).astype(dtype)}, 28)


def flex_attention(name, heads=2, shared=2, score=None, prob=None, scale=None,
                   dtype=np.float32):
    """`score` and `prob`: a graph's nodes, and the same in numpy. A graph takes
    and gives what is rounded to the model's type."""
    def rounded(values):
        return values.astype(dtype).astype(np.float64)

    name = f"flexattention_{name}"
    random = random_of(name)
    q, k, v = (random.standard_normal(shape).astype(dtype) for shape in
               ((2, heads, 3, 4), (2, shared, 5, 4), (2, shared, 5, 6)))

    def body(nodes):
        kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype)) if hasattr(
            helper, "np_dtype_to_tensor_dtype") else (
                TensorProto.FLOAT16 if dtype == np.float16
                else TensorProto.FLOAT)
        shape = [2, heads, 3, 5]
        return helper.make_graph(
            nodes, "body", [helper.make_tensor_value_info("s", kind, shape)],
            [helper.make_tensor_value_info("t", kind, shape)])
    attributes = {} if scale is None else {"scale": scale}
    wide = [a.astype(np.float64) for a in (q, k, v)]
    wide[1:] = [np.repeat(a, heads // shared, 1) for a in wide[1:]]
    scores = wide[0] @ wide[1].transpose(0, 1, 3, 2) * (scale or 0.5)
    if score:
        attributes["score_mod"] = body(score[0])
        scores = rounded(score[1](rounded(scores)))
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    probabilities = powers / powers.sum(-1, keepdims=True)
    if prob:
        attributes["prob_mod"] = body(prob[0])
        probabilities = rounded(prob[1](rounded(probabilities)))
    node = helper.make_node("FlexAttention", ["Q", "K", "V"], ["Y"],
                            domain="ai.onnx.preview", **attributes)
    write_case(name, node, {"Q": q, "K": k, "V": v},
               {"Y": (probabilities @ wide[2]).astype(dtype)}, 26,
               opsets=(("ai.onnx.preview", 1),))


def flex_forms():
    capped = ([helper.make_node("Tanh", ["s"], ["t"])], np.tanh)
    squared = ([helper.make_node("Mul", ["s", "s"], ["t"])], np.square)
    flex_attention("plain")
    flex_attention("shared", heads=6, shared=2, scale=0.3)
    flex_attention("score", score=capped)
    flex_attention("both", heads=4, score=capped, prob=squared)
    flex_attention("half", score=capped, prob=squared, dtype=np.float16)


def write_cases():
    gated_forms()
    flex_forms()
    bit_cast_forms()
    bit_cast_bytes()
    range_forms()
    causal_forms()
    attention_forms()
