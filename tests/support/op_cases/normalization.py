# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Normalisations, row by row."""
import math

import numpy as np
from onnx import TensorProto, helper

from op_cases.case import packed, random_of, write_case


def rows_of(x, axis):
    """Views of the parts of x that are normalised together."""
    axis %= x.ndim
    return x.reshape(int(np.prod(x.shape[:axis])), -1), axis


def layer_norm(x, axis, epsilon, centred=True):
    """(normalised, means, inverse deviations) before scale and bias."""
    rows, axis = rows_of(x.astype(np.float64), axis)
    y = np.zeros_like(rows)
    means, inverses = [], []
    for i, row in enumerate(rows):
        mean = sum(row) / len(row) if centred else 0.0
        square = sum((value - mean) ** 2 for value in row) / len(row)
        inverse = 1 / math.sqrt(square + epsilon)
        y[i] = (row - mean) * inverse
        means.append(mean)
        inverses.append(inverse)
    kept = x.shape[:axis] + (1,) * (x.ndim - axis)
    return (y.reshape(x.shape), np.reshape(means, kept),
            np.reshape(inverses, kept))


def norm_case(op, name, shape, axis=-1, scale_shape=None, bias=False,
              epsilon=None, dtype=np.float32, scale_type=None, stash=None,
              opset=17, every=False, shapes=None):
    random = random_of(name)
    x = (2 * random.standard_normal(shape) + 0.5).astype(dtype)
    scale_type = scale_type or dtype
    scale_shape = shape[axis:] if scale_shape is None else scale_shape
    inputs = {"X": x, "scale": random.standard_normal(scale_shape)
              .astype(scale_type)}
    if bias:
        inputs["bias"] = random.standard_normal(scale_shape).astype(scale_type)
    centred = op == "LayerNormalization"
    y, mean, inverse = layer_norm(x, axis, epsilon or 1e-5, centred)
    y = y * inputs["scale"].astype(np.float64)
    if bias:
        y = y + inputs["bias"].astype(np.float64)
    attributes = {"axis": axis}
    if epsilon:
        attributes["epsilon"] = epsilon
    if stash:
        attributes["stash_type"] = stash
    stats = np.float64 if stash == TensorProto.DOUBLE else np.float32
    outputs = {"Y": y.astype(dtype if centred else scale_type)}
    if every and centred:
        outputs["mean"] = mean.astype(stats)
    if every:
        outputs["inverse"] = inverse.astype(stats)
    node = helper.make_node(op, list(inputs), list(outputs), **attributes)
    write_case(name, node, inputs, outputs, opset, shapes=shapes)


def layer_forms():
    op = "LayerNormalization"
    norm_case(op, "layernorm_axis1_bias", (3, 4, 5), axis=1, bias=True,
              every=True)
    norm_case(op, "layernorm_axis0", (3, 4), axis=0)
    norm_case(op, "layernorm_half", (3, 8), dtype=np.float16, bias=True,
              every=True)
    norm_case(op, "layernorm_double", (3, 5), dtype=np.float64, every=True,
              stash=TensorProto.DOUBLE)
    norm_case(op, "layernorm_double_stash_float", (3, 5), dtype=np.float64,
              every=True, bias=True)
    norm_case(op, "layernorm_scalar_scale", (3, 5), scale_shape=(1,))
    norm_case(op, "layernorm_early_opset", (2, 3, 5), opset=11, bias=True)
    norm_case(op, "layernorm_dynamic", (2, 3, 8), bias=True, every=True,
              shapes={"X": ["b", "s", 8], "Y": ["b", "s", 8],
                      "mean": ["b", "s", 1], "inverse": ["b", "s", 1]})
    norm_case(op, "layernorm_dynamic_row", (2, 3, 8), axis=1,
              shapes={"X": ["b", "s", "d"], "Y": ["b", "s", "d"],
                      "scale": ["s", "d"]})
    norm_case("SimplifiedLayerNormalization", "simplified_layernorm",
              (2, 3, 5), opset=14, every=True, epsilon=1e-6)


def rms_forms():
    op = "RMSNormalization"
    norm_case(op, "rmsnorm", (2, 3, 5), opset=23)
    norm_case(op, "rmsnorm_axis1_epsilon", (2, 3, 5), axis=1, epsilon=0.1,
              opset=23)
    norm_case(op, "rmsnorm_axis0", (4, 3), axis=0, opset=24)
    norm_case(op, "rmsnorm_half", (2, 8), dtype=np.float16, opset=23)
    norm_case(op, "rmsnorm_half_wide_scale", (2, 8), dtype=np.float16,
              scale_type=np.float32, opset=23)
    norm_case(op, "rmsnorm_double", (2, 8), dtype=np.float64, opset=23,
              stash=TensorProto.DOUBLE)
    norm_case(op, "rmsnorm_dynamic", (2, 3, 8), opset=23,
              shapes={"X": ["b", "s", 8], "Y": ["b", "s", 8]})


def group_case(name, shape, groups, opset, epsilon=None, dtype=np.float32,
               shapes=None):
    random = random_of(name)
    x = random.standard_normal(shape).astype(dtype)
    count = groups if opset < 21 else shape[1]
    scale, bias = (random.standard_normal(count).astype(dtype)
                   for _ in range(2))
    y = np.zeros(shape)
    size = shape[1] // groups
    for n in range(shape[0]):
        for g in range(groups):
            part = slice(g * size, (g + 1) * size)
            y[n, part] = layer_norm(x[n, part], 0, epsilon or 1e-5)[0]
    for c in range(shape[1]):
        at = c // size if opset < 21 else c
        y[:, c] = y[:, c] * float(scale[at]) + float(bias[at])
    attributes = {"num_groups": groups}
    if epsilon:
        attributes["epsilon"] = epsilon
    node = helper.make_node("GroupNormalization", ["X", "scale", "bias"],
                            ["Y"], **attributes)
    write_case(name, node, {"X": x, "scale": scale, "bias": bias},
               {"Y": y.astype(dtype)}, opset, shapes=shapes)


def group_forms():
    for opset in (18, 21):
        group_case(f"groupnorm{opset}", (2, 6, 3, 2), 3, opset)
        group_case(f"groupnorm{opset}_one_group", (2, 4, 5), 1, opset,
                   epsilon=0.05)
        group_case(f"groupnorm{opset}_each_channel", (1, 3, 2, 2, 2), 3, opset)
        group_case(f"groupnorm{opset}_half", (2, 4, 4), 2, opset,
                   dtype=np.float16)
        group_case(f"groupnorm{opset}_no_space", (2, 6), 2, opset)
        group_case(f"groupnorm{opset}_dynamic", (2, 4, 3, 5), 2, opset,
                   shapes={"X": ["n", 4, "h", "w"], "Y": ["n", 4, "h", "w"]})


def batch_case(name, shape, opset, dtype=np.float32, other=None, **attributes):
    """Inference; `other` is the type of the vectors."""
    random = random_of(name)
    spatial = attributes.get("spatial", 1)
    size = shape[1:2] if spatial else shape[1:]
    x = random.standard_normal(shape).astype(dtype)
    values = [random.standard_normal(size), random.standard_normal(size),
              random.standard_normal(size), random.uniform(0.5, 2, size)]
    values = [value.astype(other or dtype) for value in values]
    y = np.zeros(shape)
    for at in np.ndindex(*shape):
        where = at[1:2] if spatial else at[1:]
        scale, bias, mean, variance = (float(v[where]) for v in values)
        y[at] = ((float(x[at]) - mean) /
                 math.sqrt(variance + attributes.get("epsilon", 1e-5)) *
                 scale + bias)
    inputs = dict(zip(("X", "scale", "B", "mean", "var"), [x, *values]))
    node = helper.make_node("BatchNormalization", list(inputs), ["Y"],
                            **attributes)
    write_case(name, node, inputs, {"Y": y.astype(dtype)}, opset)


def batch_forms():
    batch_case("batchnorm1", (2, 3, 4), 1, is_test=1,
               consumed_inputs=[0, 0, 0, 1, 1])
    batch_case("batchnorm6", (2, 3, 2, 2), 6, is_test=1, epsilon=0.01)
    batch_case("batchnorm7_per_activation", (2, 3, 2, 4), 7, spatial=0)
    batch_case("batchnorm8_per_activation_flat", (4, 3), 8, spatial=0)
    batch_case("batchnorm9_rank2", (4, 3), 9)
    batch_case("batchnorm15_mixed", (2, 3, 4), 15, dtype=np.float16,
               other=np.float32)
    batch_case("batchnorm15_half_statistics", (2, 3, 4), 15, dtype=np.float32,
               other=np.float16)
    batch_case("batchnorm15_double", (2, 3, 4), 15, dtype=np.float64)
    batch_case("batchnorm15_double_mixed", (2, 3, 4), 15, dtype=np.float64,
               other=np.float32)


def lp_case(name, x, axis, p, opset=22):
    y = np.zeros_like(x)
    moved, result = np.moveaxis(x, axis, -1), np.moveaxis(y, axis, -1)
    for at in np.ndindex(*moved.shape[:-1]):
        row = [abs(float(value)) ** p for value in moved[at]]
        norm = sum(row) ** (1 / p)
        for i, value in enumerate(moved[at]):
            result[at + (i,)] = float(value) / norm if norm else 0.0
    node = helper.make_node("LpNormalization", ["X"], ["Y"], axis=axis, p=p)
    write_case(name, node, {"X": x}, {"Y": y}, opset)


def other_forms():
    x = random_of("lp").standard_normal((3, 4, 2)).astype(np.float32)
    x[1, :, 1] = 0
    for p in (1, 2):
        lp_case(f"lpnorm{p}_zero_row", x, 1, p)
        lp_case(f"lpnorm{p}_first_axis", x, 0, p)
    lp_case("lpnorm2_early_opset", x, -1, 2, opset=1)
    lp_case("lpnorm2_half", x.astype(np.float16), -2, 2)


def bf16(values):
    """bfloat16 tensors, by truncation of exactly representable values."""
    values = np.asarray(values, np.float32)
    raw = (values.view(np.uint32) >> 16).astype(np.uint16)
    return packed(TensorProto.BFLOAT16, values.shape, raw.tobytes())


def bfloat_forms():
    """+-1 has mean 0 and deviation 1: every step is exact."""
    x = np.array([[1, -1, 1, -1], [-1, -1, 1, 1]], np.float32)
    scale = np.array([0.5, 2, -4, 8], np.float32)
    for op, opset in (("LayerNormalization", 17), ("RMSNormalization", 23)):
        node = helper.make_node(op, ["X", "scale"], ["Y"], epsilon=1e-12)
        write_case(f"{op[:3].lower()}norm_bfloat16", node,
                   {"X": bf16(x), "scale": bf16(scale)},
                   {"Y": bf16(x * scale)}, opset)


def write_cases():
    layer_forms()
    rms_forms()
    group_forms()
    batch_forms()
    other_forms()
    bfloat_forms()
