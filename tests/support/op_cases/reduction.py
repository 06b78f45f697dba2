# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions and arg reductions with loops over each group of elements."""
import math

import numpy as np
from onnx import helper

from op_cases.case import random_of, write_case


def maximum(v):
    return math.nan if any(x != x for x in v) else max(v, default=-math.inf)


def minimum(v):
    return math.nan if any(x != x for x in v) else min(v, default=math.inf)


def log(x):
    return -math.inf if x == 0 else math.log(x)


def log_sum_exp(v):
    top = max(v, default=-math.inf)
    if math.isinf(top):
        return top
    return top + math.log(sum(math.exp(x - top) for x in v))


OF_GROUP = {
    "ReduceSum": sum, "ReduceProd": math.prod, "ReduceMax": maximum,
    "ReduceMin": minimum, "ReduceL1": lambda v: sum(abs(x) for x in v),
    "ReduceL2": lambda v: math.sqrt(sum(x * x for x in v)),
    "ReduceSumSquare": lambda v: sum(x * x for x in v),
    "ReduceLogSum": lambda v: log(sum(v)), "ReduceLogSumExp": log_sum_exp,
    "ReduceMean": lambda v: sum(v) / len(v) if v else math.nan,
}


def reduced(of_group, x, axes, keepdims):
    axes = [a % x.ndim for a in axes]
    kept = [1 if d in axes else n for d, n in enumerate(x.shape)]
    y = np.zeros(kept, object)
    for at in np.ndindex(*kept):
        group = x[tuple(slice(None) if d in axes else slice(i, i + 1)
                        for d, i in enumerate(at))]
        y[at] = of_group(group.ravel().tolist())
    shape = [n for d, n in enumerate(kept) if keepdims or d not in axes]
    return y.reshape(shape)


def case(op, name, x, axes, keepdims=1, opset=18, given="fixed", noop=None,
         dynamic=None):
    """`given`: the axes are "fixed", a "run-time" input, an "attribute", or
    "none"."""
    if axes:
        taken = axes
    else:
        taken = [] if noop else range(x.ndim)
    y = reduced(OF_GROUP[op], x, taken, keepdims).astype(x.dtype)
    attributes = {"keepdims": keepdims}
    if noop is not None:
        attributes["noop_with_empty_axes"] = noop
    if given == "attribute":
        attributes["axes"] = axes
    list_of = {"axes": np.array(axes, np.int64)}
    as_input = given in ("fixed", "run-time")
    node = helper.make_node(op, ["x", "axes"] if as_input else ["x"], ["y"],
                            **attributes)
    write_case(f"{op.lower()}_{name}", node,
               {"x": x, **(list_of if given == "run-time" else {})}, {"y": y},
               opset, initializers=list_of if given == "fixed" else {},
               shapes=dynamic)


def arg_case(op, name, x, axis, keepdims=1, last=0):
    sign = 1 if op == "ArgMax" else -1

    def of_line(line):
        order = range(len(line) - 1, -1, -1) if last else range(len(line))
        return max(order, key=lambda i: (line[i] != line[i],
                                         0 if line[i] != line[i]
                                         else sign * line[i]))
    y = reduced(of_line, x, [axis], keepdims).astype(np.int64)
    node = helper.make_node(op, ["x"], ["y"], axis=axis, keepdims=keepdims,
                            select_last_index=last)
    write_case(f"{op.lower()}_{name}", node, {"x": x}, {"y": y}, 13)


def write_cases():
    rng = random_of("reduction")
    x = rng.uniform(0.2, 2, (2, 3, 4)).astype(np.float32)
    signed = rng.uniform(-2, 2, (2, 3, 4)).astype(np.float32)
    for op in OF_GROUP:
        data = x if op == "ReduceLogSum" else signed
        case(op, "run_time_axes", data, [-1, 0], given="run-time")
        case(op, "run_time_axes_dropped", data, [1], 0, given="run-time",
             dynamic={"y": ["a", "b"]})
        case(op, "empty_axes_noop", data, [], noop=1)
        case(op, "no_axes_noop", data, [], given="none", noop=1)
        case(op, "empty_axes_all", data, [], 0, noop=0)
        case(op, "dynamic", data, [1], 0,
             dynamic={"x": ["a", "b", "c"], "y": ["a", "c"]})
        case(op, "of_nothing", np.zeros((2, 0, 3), np.float32), [1])
        case(op, "float64_attribute", data.astype(np.float64), [0, 2], 0,
             opset=11, given="attribute")
    case("ReduceMax", "int8", (signed * 40).astype(np.int8), [1], opset=12,
         given="attribute")
    case("ReduceMin", "uint8", (x * 100).astype(np.uint8), [2], 0)
    case("ReduceMax", "bool", signed > 1, [1], opset=20)
    case("ReduceMin", "bool", signed > -1, [1], opset=20)
    case("ReduceMax", "nan", np.array([[1, np.nan, 3], [1, 2, 0]], np.float32),
         [1])
    case("ReduceSum", "uint64", np.array([[2**63, 5], [7, 9]], np.uint64), [0])
    case("ReduceMean", "int32", np.array([[-7, 2, 1], [9, 1, 1]], np.int32),
         [1])
    case("ReduceLogSumExp", "infinite",
         np.array([[-np.inf, -np.inf], [np.inf, 0], [-np.inf, 1]], np.float32),
         [1])
    case("ReduceLogSumExp", "large", np.array([[1e4, 1e4 + 1]], np.float64),
         [1])
    case("ReduceL2", "float16", signed.astype(np.float16), [1])
    ties = rng.integers(0, 3, (3, 5)).astype(np.float32)
    special = np.array([[1, np.nan, 7, np.nan], [-np.inf] * 4,
                        [np.inf, 0, np.inf, 1]], np.float32)
    for op in ("ArgMax", "ArgMin"):
        arg_case(op, "ties_first", ties, 1)
        arg_case(op, "ties_last", ties, 1, 0, last=1)
        arg_case(op, "special_first", special, 1, 0)
        arg_case(op, "special_last", special, 1, 0, last=1)
        arg_case(op, "uint8", (ties * 100).astype(np.uint8), 0)
        arg_case(op, "int8_lowest", np.full((2, 3), -128, np.int8), 1)
