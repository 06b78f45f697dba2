# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Activations and losses: forms that came late, and edges."""
import math

import numpy as np
from onnx import helper

from op_cases.case import random_of, write_case

EDGES = [0.0, -0.0, 0.5, -0.5, 1.5, -1.5, 3.0, -3.0, 20.0, -20.0, 90.0, -90.0]


def case(op, name, body, opset, dtype=np.float32, edges=True, shape=(3, 5),
         **attributes):
    x = 2 * random_of(name).standard_normal(shape)
    if edges:
        x = np.concatenate([x.ravel(), EDGES])
    x = x.astype(dtype)
    y = np.array([body(float(value)) for value in x.ravel()])
    node = helper.make_node(op, ["X"], ["Y"], **attributes)
    write_case(name, node, {"X": x},
               {"Y": y.reshape(x.shape).astype(dtype)}, opset)


def sigmoid(x):
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0


def tanh_gelu(x):
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) *
                                    (x + 0.044715 * x ** 3)))


def exact_gelu(x):
    return 0.5 * x * math.erfc(-x / math.sqrt(2))


def float_forms():
    for dtype, kind in ((np.float32, ""), (np.float16, "_half"),
                        (np.float64, "_double")):
        # Far to the left Gelu is a difference of near numbers.
        near = dict(edges=False, dtype=dtype)
        case("Gelu", f"gelu{kind}", exact_gelu, 20, **near)
        case("Gelu", f"gelu_tanh{kind}", tanh_gelu, 20, approximate="tanh",
             **near)
        case("Swish", f"swish{kind}", lambda x: x * sigmoid(x), 24,
             dtype=dtype)
        case("Mish", f"mish{kind}",
             lambda x: x * math.tanh(math.log1p(math.exp(x))), 18,
             dtype=dtype)
        case("HardSwish", f"hardswish{kind}",
             lambda x: x * max(0.0, min(1.0, x / 6 + 0.5)), 14, dtype=dtype)
    case("Swish", "swish_alpha", lambda x: x * sigmoid(-1.5 * x), 24,
         alpha=-1.5)
    case("Celu", "celu_alpha", lambda x: max(0.0, x) + min(
        0.0, 0.7 * math.expm1(x / 0.7)), 12, alpha=0.7)
    case("Selu", "selu_parameters", lambda x: 3.0 * (
        x if x > 0 else 2.0 * math.expm1(x)), 22, alpha=2.0, gamma=3.0)
    case("ThresholdedRelu", "thresholdedrelu_edge",
         lambda x: x if x > 1.5 else 0.0, 22, alpha=1.5)


def shrink_forms():
    def body(x, lambd, bias):
        if x < -lambd:
            return x + bias
        return x - bias if x > lambd else 0.0
    for dtype in (np.int8, np.uint8, np.int32, np.int64, np.float16):
        for lambd, bias in ((1.5, 1.5), (0.5, 0.0)):
            name = f"shrink_{np.dtype(dtype).name}_{lambd}"
            x = np.arange(0 if dtype == np.uint8 else -6, 7).astype(dtype)
            y = np.array([body(float(v), lambd, bias) for v in x])
            node = helper.make_node("Shrink", ["X"], ["Y"], lambd=lambd,
                                    bias=bias)
            write_case(name.replace(".", "_"), node, {"X": x},
                       {"Y": np.trunc(y).astype(dtype)
                        if dtype != np.float16 else y.astype(dtype)}, 9)


def prelu_forms():
    for name, shape, slope_shape, opset, dtype in (
            ("prelu_scalar", (2, 3), (1,), 16, np.float32),
            ("prelu_channels_old", (2, 3, 4), (3,), 6, np.float32),
            ("prelu_broadcast", (2, 3, 4), (3, 1), 9, np.float32),
            ("prelu_half", (2, 3), (2, 1), 16, np.float16)):
        random = random_of(name)
        x = (4 * random.standard_normal(shape)).astype(dtype)
        slope = (3 * random.standard_normal(slope_shape)).astype(dtype)
        y = np.zeros(shape)
        for at in np.ndindex(*shape):
            if opset < 7:
                factor = slope[at[1]]
            else:
                place = at[len(shape) - len(slope_shape):]
                factor = slope[tuple(0 if size == 1 else i for i, size in
                                     zip(place, slope_shape))]
            value = float(x[at])
            y[at] = value * float(factor) if value < 0 else value
        node = helper.make_node("PRelu", ["X", "slope"], ["Y"])
        write_case(name, node, {"X": x, "slope": slope},
                   {"Y": y.astype(dtype)}, opset)


def log_softmax(row):
    largest = max(row)
    total = math.log(sum(math.exp(value - largest) for value in row))
    return [value - largest - total for value in row]


def loss_case(op, name, shape, weights=False, ignore=None, reduction=None,
              logs=False, dtype=np.float32, labels=np.int64, infinite=False):
    random = random_of(name)
    x = random.standard_normal(shape).astype(dtype)
    classes = shape[1]
    target = random.integers(0, classes, shape[:1] + shape[2:]).astype(labels)
    if ignore is not None:
        target.ravel()[::2] = ignore
    if infinite:
        x[target == ignore] = -np.inf
    inputs = {"x": x, "target": target}
    weight = np.ones(classes)
    if weights:
        inputs["weight"] = random.uniform(0.2, 2, classes).astype(dtype)
        weight = inputs["weight"]
    scores = x.astype(np.float64)
    if op == "SoftmaxCrossEntropyLoss":
        moved = np.moveaxis(scores.copy(), 1, -1)
        for at in np.ndindex(*moved.shape[:-1]):
            moved[at] = log_softmax(moved[at])
        scores = np.moveaxis(moved, -1, 1)
    losses, total = np.zeros(target.shape), 0.0
    for at in np.ndindex(*target.shape):
        label = int(target[at])
        if label == ignore:
            continue
        losses[at] = -float(weight[label]) * scores[(at[0], label) + at[1:]]
        total += float(weight[label])
    y = {"none": losses, "sum": losses.sum(),
         "mean": losses.sum() / total}[reduction or "mean"]
    attributes = {}
    if reduction:
        attributes["reduction"] = reduction
    if ignore is not None:
        attributes["ignore_index"] = ignore
    outputs = {"loss": np.asarray(y).astype(dtype)}
    if logs:
        outputs["log_prob"] = scores.astype(dtype)
    node = helper.make_node(op, list(inputs), list(outputs), **attributes)
    write_case(name, node, inputs, outputs, 13)


def loss_forms():
    nll, sce = "NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"
    for op, short in ((nll, "nll"), (sce, "sce")):
        loss_case(op, f"{short}_double_weights_ignored", (3, 4, 2),
                  weights=True, ignore=-100, dtype=np.float64)
        loss_case(op, f"{short}_int32_none_ignored", (4, 3), ignore=1,
                  reduction="none", labels=np.int32)
        loss_case(op, f"{short}_half_sum", (3, 4, 2, 2), reduction="sum",
                  dtype=np.float16)
        loss_case(op, f"{short}_rank5_mean", (2, 3, 2, 1, 2), weights=True)
    loss_case(nll, "nll_ignored_infinite", (4, 3), ignore=0, infinite=True)
    loss_case(sce, "sce_logs_weights_ignored", (3, 4, 2), weights=True,
              ignore=2, logs=True)


def write_cases():
    float_forms()
    shrink_forms()
    prelu_forms()
    loss_forms()
