# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A decoder layer with a cache of any length, prompt and continuation."""
import numpy as np
from onnx import helper

from op_cases.activations import sigmoid
from op_cases.attention import attend, by_heads, merged
from op_cases.case import random_of, write_case
from op_cases.normalization import layer_norm
from op_cases.rotary import turned

HIDDEN, HEADS, SHARED, SIZE, WIDE, ROWS = 12, 4, 2, 4, 10, 16


def weights():
    random = random_of("decoder weights")
    shapes = {"norm1": (HIDDEN,), "wq": (HIDDEN, HEADS * SIZE),
              "wk": (HIDDEN, SHARED * SIZE), "wv": (HIDDEN, SHARED * SIZE),
              "wo": (HEADS * SIZE, HIDDEN), "norm2": (HIDDEN,),
              "gate": (HIDDEN, WIDE), "up": (HIDDEN, WIDE),
              "down": (WIDE, HIDDEN)}
    result = {key: (random.standard_normal(shape) / 3).astype(np.float32)
              for key, shape in shapes.items()}
    angles = random.uniform(-3, 3, (ROWS, SIZE // 2))
    result["cos"] = np.cos(angles).astype(np.float32)
    result["sin"] = np.sin(angles).astype(np.float32)
    return result


def nodes():
    make = helper.make_node
    def rotated(name, heads):
        return make("RotaryEmbedding", [name, "cos", "sin", "positions"],
                    [name + "r"], num_heads=heads)
    return [
        make("RMSNormalization", ["x", "norm1"], ["n1"]),
        *(make("MatMul", ["n1", "w" + key], [key]) for key in "qkv"),
        rotated("q", HEADS), rotated("k", SHARED),
        make("Attention", ["qr", "kr", "v", "", "past_key", "past_value"],
             ["a", "present_key", "present_value"], is_causal=1,
             q_num_heads=HEADS, kv_num_heads=SHARED),
        make("MatMul", ["a", "wo"], ["o"]),
        make("Add", ["x", "o"], ["h"]),
        make("RMSNormalization", ["h", "norm2"], ["n2"]),
        make("MatMul", ["n2", "gate"], ["g"]),
        make("MatMul", ["n2", "up"], ["u"]),
        make("Swish", ["g"], ["s"]),
        make("Mul", ["s", "u"], ["m"]),
        make("MatMul", ["m", "down"], ["d"]),
        make("Add", ["h", "d"], ["y"])]


def reference(w, x, positions, past_key, past_value):
    def heads_of(t, heads):
        return t.reshape(*t.shape[:2], heads, SIZE)
    n1 = layer_norm(x, -1, 1e-5, centred=False)[0] * w["norm1"]
    q = turned(heads_of(n1 @ w["wq"], HEADS), w["cos"], w["sin"], positions,
               SIZE, False)
    k = turned(heads_of(n1 @ w["wk"], SHARED), w["cos"], w["sin"], positions,
               SIZE, False)
    keys = np.concatenate([past_key, k.transpose(0, 2, 1, 3)], axis=2)
    values = np.concatenate([past_value, by_heads(n1 @ w["wv"], SHARED)],
                            axis=2)
    a, _ = attend(q.transpose(0, 2, 1, 3), keys, values, causal=True,
                  past=past_key.shape[2])
    h = x + merged(a) @ w["wo"]
    n2 = layer_norm(h, -1, 1e-5, centred=False)[0] * w["norm2"]
    g = n2 @ w["gate"]
    swish = np.array([v * sigmoid(v) for v in g.ravel()]).reshape(g.shape)
    return h + (swish * (n2 @ w["up"])) @ w["down"], keys, values


def decoder_case(name, batch, length, past):
    random, w = random_of(name), weights()
    inputs = {"x": random.standard_normal((batch, length, HIDDEN)),
              "past_key": random.standard_normal((batch, SHARED, past, SIZE)),
              "past_value": random.standard_normal((batch, SHARED, past,
                                                    SIZE))}
    inputs = {key: value.astype(np.float32) for key, value in inputs.items()}
    positions = np.tile(np.arange(past, past + length), (batch, 1))
    y, keys, values = reference(w, inputs["x"].astype(np.float64), positions,
                                inputs["past_key"], inputs["past_value"])
    inputs["positions"] = positions.astype(np.int64)
    cache = ["b", SHARED, "p", SIZE]
    present = ["b", SHARED, "t", SIZE]
    write_case(name, nodes(), inputs,
               {"y": y.astype(np.float32),
                "present_key": keys.astype(np.float32),
                "present_value": values.astype(np.float32)}, 24,
               initializers=w,
               shapes={"x": ["b", "s", HIDDEN], "past_key": cache,
                       "past_value": cache, "positions": ["b", "s"],
                       "y": ["b", "s", HIDDEN], "present_key": present,
                       "present_value": present})


def write_cases():
    decoder_case("decoder_prompt", 2, 4, 0)
    decoder_case("decoder_continued", 2, 3, 5)
    decoder_case("decoder_step", 1, 1, 7)
