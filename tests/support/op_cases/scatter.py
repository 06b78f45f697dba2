# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scatter*, TensorScatter, Gather* and OneHot, element by element."""
import numpy as np
from onnx import helper

from op_cases.case import random_of, write_case

COMBINE = {"none": lambda a, b: b, "add": lambda a, b: a + b,
           "mul": lambda a, b: a * b, "max": max, "min": min}


def elements_case(name, data, indices, updates, axis=0, reduction="none",
                  opset=18, op="ScatterElements", dynamic=None):
    y = data.copy()
    for at in np.ndindex(indices.shape):
        where = list(at)
        where[axis] = int(indices[at]) % data.shape[axis]
        y[tuple(where)] = COMBINE[reduction](y[tuple(where)], updates[at])
    attributes = {"axis": axis}
    if reduction != "none":
        attributes["reduction"] = reduction
    node = helper.make_node(op, ["data", "indices", "updates"], ["y"],
                            **attributes)
    write_case(f"{op.lower()}_{name}", node,
               {"data": data, "indices": indices, "updates": updates},
               {"y": y}, opset, shapes=dynamic)


def nd_case(name, data, indices, updates, reduction="none", opset=18,
            dynamic=None):
    y = data.copy()
    for at in np.ndindex(indices.shape[:-1]):
        where = tuple(int(i) % n for i, n in zip(indices[at], data.shape))
        part, new = y[where], updates[at]
        if np.ndim(part) == 0:
            y[where] = COMBINE[reduction](part, new)
            continue
        for rest in np.ndindex(part.shape):
            part[rest] = COMBINE[reduction](part[rest], new[rest])
    attributes = {} if reduction == "none" else {"reduction": reduction}
    node = helper.make_node("ScatterND", ["data", "indices", "updates"], ["y"],
                            **attributes)
    write_case(f"scatternd_{name}", node,
               {"data": data, "indices": indices, "updates": updates},
               {"y": y}, opset, shapes=dynamic)


def cache_case(name, shape, axis, length, starts, mode="linear", attribute=True,
               dtype=np.float32, dynamic=None):
    rng = random_of(f"tensorscatter_{name}")
    past = rng.uniform(-1, 1, shape).astype(dtype)
    place = axis % len(shape)
    update = rng.uniform(
        -1, 1, shape[:place] + (length,) + shape[place + 1:]).astype(dtype)
    y = past.copy()
    for at in np.ndindex(update.shape):
        where = list(at)
        where[place] += 0 if starts is None else starts[at[0]]
        if mode == "circular":
            where[place] %= shape[place]
        y[tuple(where)] = update[at]
    inputs = {"past": past, "update": update}
    if starts is not None:
        inputs["starts"] = np.array(starts, np.int64)
    attributes = {"axis": axis} if attribute else {}
    node = helper.make_node("TensorScatter", list(inputs), ["y"], mode=mode,
                            **attributes)
    write_case(f"tensorscatter_{name}", node, inputs, {"y": y}, 24,
               shapes=dynamic)


def gather_case(name, data, indices, axis=0, dynamic=None):
    before, after = data.shape[:axis], data.shape[axis + 1:]
    y = np.zeros(before + indices.shape + after, data.dtype)
    for at in np.ndindex(y.shape):
        i = at[axis:axis + indices.ndim]
        y[at] = data[at[:axis] + (int(indices[i]) % data.shape[axis],) +
                     at[axis + indices.ndim:]]
    node = helper.make_node("Gather", ["data", "indices"], ["y"], axis=axis)
    write_case(f"gather_{name}", node, {"data": data, "indices": indices},
               {"y": y}, 13, shapes=dynamic)


def gather_nd_case(name, data, indices, batch=0):
    depth = indices.shape[-1]
    y = np.zeros(indices.shape[:-1] + data.shape[batch + depth:], data.dtype)
    for at in np.ndindex(indices.shape[:-1]):
        where = tuple(int(i) % n for i, n in
                      zip(indices[at], data.shape[batch:]))
        y[at] = data[at[:batch] + where]
    node = helper.make_node("GatherND", ["data", "indices"], ["y"],
                            batch_dims=batch)
    write_case(f"gathernd_{name}", node, {"data": data, "indices": indices},
               {"y": y}, 13)


def one_hot_case(name, indices, depth, axis=-1, values=(0.5, -2.0),
                 fixed=True, dynamic=None):
    values = np.asarray(values)
    shape = list(indices.shape)
    place = axis % (indices.ndim + 1)
    shape.insert(place, int(np.ravel(depth)[0]))
    y = np.full(shape, values[0], values.dtype)
    n = shape[place]
    for at in np.ndindex(indices.shape):
        i = int(indices[at])
        if -n <= i < n:
            where = list(at)
            where.insert(place, i % n)
            y[tuple(where)] = values[1]
    node = helper.make_node("OneHot", ["indices", "depth", "values"], ["y"],
                            axis=axis)
    inputs = {"indices": indices, "values": values}
    write_case(f"onehot_{name}", node,
               inputs if fixed else
               {"indices": indices, "depth": depth, "values": values},
               {"y": y}, 11, initializers={"depth": depth} if fixed else {},
               shapes=dynamic)


def write_cases():
    rng = random_of("scatter")
    data = rng.uniform(-2, 2, (3, 4)).astype(np.float32)
    indices = np.array([[2, -3, 1], [2, 0, 1]])
    updates = rng.uniform(-2, 2, (2, 3)).astype(np.float32)
    for reduction in COMBINE:
        repeats = indices if reduction != "none" else np.array(
            [[2, -3, 1], [1, 0, 0]])
        elements_case(reduction, data, repeats, updates, 0, reduction)
        elements_case(f"{reduction}_int32", (data * 9).astype(np.int32),
                      repeats.astype(np.int32), (updates * 9).astype(np.int32),
                      0, reduction)
    elements_case("last_axis", data, np.array([[3, 0], [-1, 1]]),
                  updates[:, :2].copy(), 1)
    elements_case("max_with_nan", np.array([1, np.nan, 3], np.float32),
                  np.array([0, 1, 2]), np.array([2, 5, 2], np.float32), 0,
                  "none", 16)
    elements_case("opset9", data, np.array([[1, 2]]), updates[:1, :2].copy(),
                  0, opset=9, op="Scatter")
    elements_case("add_dynamic", data, indices, updates, 0, "add", 16,
                  dynamic={"data": ["m", "n"], "indices": ["i", "j"],
                           "updates": ["i", "j"], "y": ["m", "n"]})
    elements_case("bool", data > 0, np.array([[0, 2, 1]]),
                  updates[:1] > 0, 0)
    cube = rng.uniform(-2, 2, (3, 2, 4)).astype(np.float32)
    for reduction in COMBINE:
        where = np.array([[2], [0], [2]] if reduction != "none"
                         else [[2], [0], [-2]])
        nd_case(f"slices_{reduction}", cube, where,
                rng.uniform(-2, 2, (3, 2, 4)).astype(np.float32), reduction)
    nd_case("elements", cube, np.array([[[0, 1, -1]], [[2, 0, 3]]]),
            np.array([[5.0], [6.0]], np.float32), opset=11)
    nd_case("whole", cube[0], np.zeros((1, 0), np.int64),
            cube[1:2].copy(), opset=16)
    nd_case("min_float16", cube[0].astype(np.float16), np.array([[1], [1]]),
            cube[1, :2].astype(np.float16), "min")
    cache_case("start", (2, 3, 6, 2), -2, 2, None)
    cache_case("linear", (2, 3, 6, 2), -2, 2, [3, 1])
    cache_case("circular", (2, 3, 6, 2), -2, 4, [5, 2], "circular")
    cache_case("default_axis", (3, 5, 2), -2, 2, [0, 3, 1], attribute=False)
    cache_case("axis1", (3, 5), 1, 2, [0, 3, 1])
    cache_case("float16", (2, 4, 2), 1, 1, [3, 0], dtype=np.float16)
    cache_case("dynamic", (2, 4, 2), 1, 2, [3, 1], "circular",
               dynamic={"past": ["b", "m", 2], "update": ["b", "s", 2],
                        "starts": ["b"], "y": ["b", "m", 2]})
    gather_case("negative_axis1", cube, np.array([[1, -2], [0, -1]]), 1)
    gather_case("scalar_index", cube, np.array(-1), 2)
    gather_case("no_indices", cube, np.zeros((0,), np.int64), 0)
    gather_case("bool_int32", cube > 0, np.array([2, -3, 1], np.int32), 0)
    gather_case("dynamic", cube, np.array([1, -1]), 0,
                dynamic={"data": ["a", "b", "c"], "indices": ["n"],
                         "y": ["n", "b", "c"]})
    gather_nd_case("negative", cube, np.array([[0, -1], [-3, 0]]))
    gather_nd_case("batch_dims", cube, np.array([[1], [0], [-1]]), 1)
    gather_nd_case("batch_dims2", cube,
                   np.array([[[1], [0]], [[-1], [2]], [[3], [3]]]), 2)
    gather_nd_case("whole", cube[0], np.zeros((2, 0), np.int64))
    spots = np.array([[1, -1, 7], [-5, -4, 3]])
    one_hot_case("out_of_range", spots, np.array(4, np.int64))
    one_hot_case("axis0_depth_vector", spots, np.array([5], np.int32), 0,
                 np.array([0, 3], np.int32))
    one_hot_case("float_indices", spots.astype(np.float32),
                 np.array(4.0, np.float32), 1)
    one_hot_case("run_time_depth", spots, np.array(3, np.int64), fixed=False,
                 dynamic={"y": [2, 3, "depth"]})
    one_hot_case("bool_values", spots, np.array(4, np.int64),
                 values=np.array([True, False]))
