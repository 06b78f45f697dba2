# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that pick, sort or count: references in plain Python."""
import numpy as np
from onnx import helper

from op_cases.case import random_of, write_case


def key_of(array):
    """Compares as the flattened elements do, NaN above all."""
    return tuple((1, 0) if v != v else (0, v) for v in array.ravel().tolist())


def unique_case(name, x, axis=None, is_sorted=1, outputs="yfic", dynamic=None):
    slices = ([x.ravel()[i] for i in range(x.size)] if axis is None else
              [np.take(x, i, axis) for i in range(x.shape[axis])])
    keys = [key_of(np.asarray(s)) for s in slices]
    order = sorted(set(keys)) if is_sorted else list(dict.fromkeys(keys))
    firsts = [keys.index(k) for k in order]
    if axis is None:
        y = np.array([slices[i] for i in firsts], x.dtype)
    else:
        y = np.stack([slices[i] for i in firsts], axis)
    results = {"y": y, "f": np.array(firsts, np.int64),
               "i": np.array([order.index(k) for k in keys], np.int64),
               "c": np.array([keys.count(k) for k in order], np.int64)}
    attributes = {} if axis is None else {"axis": axis}
    node = helper.make_node("Unique", ["x"],
                            [k if k in outputs else "" for k in results],
                            sorted=is_sorted, **attributes)
    write_case(f"unique_{name}", node, {"x": x},
               {k: v for k, v in results.items() if k in outputs}, 11,
               shapes=dynamic)


def unique_cases():
    rng = random_of("unique")
    ints = rng.integers(-3, 4, (4, 5))
    unique_case("int64", ints)
    unique_case("int8_as_they_come", ints.astype(np.int8), is_sorted=0)
    unique_case("uint8_above_127", np.array([200, 3, 200, 255, 3], np.uint8))
    unique_case("bool", np.array([True, False, True]), is_sorted=0)
    unique_case("float_with_nan",
                np.array([2, np.nan, -1, np.inf, np.nan, -0.5, 2], np.float32))
    rows = np.array([[2, 1], [0, 3], [2, 1], [0, 2], [0, 3]], np.float32)
    unique_case("rows", rows, axis=0)
    unique_case("rows_as_they_come", rows, axis=0, is_sorted=0)
    unique_case("columns", rows.T.copy(), axis=-1)
    unique_case("middle_axis", rng.integers(0, 2, (2, 6, 1)).astype(np.float32),
                axis=1)
    unique_case("only_values", ints.astype(np.float64), outputs="y")
    unique_case("only_inverse", ints.astype(np.float32), outputs="yi")
    unique_case("dynamic", ints.astype(np.float32),
                dynamic={"x": ["m", "n"], "y": ["u"]})


def top_case(name, x, k, axis=-1, largest=1, opset=11, run_time=False,
             dynamic=None, **attributes):
    moved = np.moveaxis(x, axis, -1)
    values = np.zeros(moved.shape[:-1] + (k,), x.dtype)
    places = np.zeros(moved.shape[:-1] + (k,), np.int64)
    for at in np.ndindex(moved.shape[:-1]):
        line = moved[at].tolist()
        sign = -1 if largest else 1
        order = sorted(range(len(line)), key=lambda i: (
            sign * (line[i] != line[i]),
            0 if line[i] != line[i] else sign * line[i], i))[:k]
        places[at] = order
        values[at] = moved[at][order]
    if opset >= 11:
        attributes["largest"] = largest
    inputs, fixed, fed = ["x"], {}, {}
    if opset >= 10:
        inputs.append("k")
        (fed if run_time else fixed)["k"] = np.array([k], np.int64)
    else:
        attributes["k"] = k
    node = helper.make_node("TopK", inputs, ["v", "i"], axis=axis, **attributes)
    write_case(f"topk_{name}", node, {"x": x, **fed},
               {"v": np.moveaxis(values, -1, axis),
                "i": np.moveaxis(places, -1, axis)}, opset, initializers=fixed,
               shapes=dynamic)


def top_cases():
    rng = random_of("topk")
    x = rng.normal(size=(3, 7, 2)).astype(np.float32)
    top_case("opset1", x, 3, axis=1, opset=1)
    top_case("opset10", x, 2, axis=0, opset=10)
    top_case("all", rng.normal(size=40).astype(np.float32), 40)
    top_case("smallest", x, 4, axis=1, largest=0)
    top_case("ties", rng.integers(0, 3, (2, 30)), 12)
    top_case("ties_smallest", rng.integers(0, 3, (2, 30)), 30, largest=0)
    top_case("int8", rng.integers(-128, 128, (4, 9)).astype(np.int8), 5,
             opset=24)
    top_case("uint8", rng.integers(0, 256, (4, 9)).astype(np.uint8), 5,
             opset=24)
    top_case("uint64", np.array([1, 2**63 + 5, 7, 2**63], np.uint64), 3)
    top_case("float16", x[0].astype(np.float16), 2, axis=0)
    special = np.array([1, np.nan, -np.inf, np.inf, np.nan, 0, -0.0, 3],
                       np.float32)
    top_case("nan", special, 6)
    top_case("nan_smallest", special, 8, largest=0)
    top_case("zero", x, 0, axis=1)
    top_case("one", x, 1, axis=1)
    top_case("run_time_k", x, 3, axis=1, run_time=True,
             dynamic={"v": [3, "k", 2], "i": [3, "k", 2]})
    top_case("dynamic", x, 2, axis=1, opset=24,
             dynamic={"x": ["a", "b", "c"], "v": ["a", 2, "c"],
                      "i": ["a", 2, "c"]})


def cumulative_case(op, name, x, axis, run_time=False, dynamic=None, **flags):
    y = np.zeros_like(x)
    moved_x, moved_y = np.moveaxis(x, axis, 0), np.moveaxis(y, axis, 0)
    n = len(moved_x)
    times = range(n - 1, -1, -1) if flags.get("reverse") else range(n)
    running = np.zeros_like(moved_x[0]) if op == "CumSum" else \
        np.ones_like(moved_x[0])
    for t in times:
        after = running + moved_x[t] if op == "CumSum" else \
            running * moved_x[t]
        moved_y[t] = running if flags.get("exclusive") else after
        running = after
    node = helper.make_node(op, ["x", "axis"], ["y"], **flags)
    place = {"axis": np.array(axis, np.int32 if run_time else np.int64)}
    write_case(f"{op.lower()}_{name}", node,
               {"x": x, **(place if run_time else {})}, {"y": y},
               26 if op == "CumProd" else 14, shapes=dynamic,
               initializers={} if run_time else place)


def cumulative_cases():
    for op in ("CumSum", "CumProd"):
        rng = random_of(op)
        x = rng.uniform(0.5, 1.5, (2, 3, 4)).astype(np.float32)
        for axis in range(3):
            cumulative_case(op, f"axis{axis}", x, axis)
            cumulative_case(op, f"axis{axis}_exclusive_reverse", x, axis - 3,
                            exclusive=1, reverse=1)
        cumulative_case(op, "run_time_axis", x, 1, run_time=True)
        cumulative_case(op, "run_time_last_axis", x, -1, run_time=True,
                        reverse=1)
        cumulative_case(op, "exclusive_int64", rng.integers(-3, 4, 6), 0,
                        exclusive=1)
        cumulative_case(op, "reverse_float64",
                        x.astype(np.float64), 2, reverse=1)
        cumulative_case(op, "dynamic", x, 1,
                        dynamic={"x": ["a", "b", "c"], "y": ["a", "b", "c"]})
        cumulative_case(op, "uint32", np.arange(1, 7, dtype=np.uint32), 0)


def determinant(m):
    """By cofactors."""
    if len(m) == 0:
        return 1.0
    return sum((-1) ** j * m[0][j] *
               determinant([row[:j] + row[j + 1:] for row in m[1:]])
               for j in range(len(m)))


def det_case(name, x, dynamic=None):
    y = np.zeros(x.shape[:-2])
    for at in np.ndindex(y.shape):
        y[at] = determinant(x[at].astype(np.float64).tolist())
    node = helper.make_node("Det", ["x"], ["y"])
    write_case(f"det_{name}", node, {"x": x}, {"y": y.astype(x.dtype)}, 22,
               shapes=dynamic)


def det_cases():
    rng = random_of("det")
    det_case("1x1", rng.normal(size=(1, 1)).astype(np.float32))
    det_case("5x5", rng.normal(size=(5, 5)).astype(np.float32))
    det_case("batch", rng.normal(size=(2, 3, 4, 4)).astype(np.float32))
    det_case("needs_pivots", np.array([[0, 2, 1], [3, 0, 0], [1, 1, 0]],
                                      np.float64))
    det_case("singular", np.array([[1, 2, 3], [2, 4, 6], [1, 0, 1]],
                                  np.float32))
    det_case("zeros", np.zeros((2, 3, 3), np.float32))
    det_case("float16", rng.integers(-3, 4, (3, 3)).astype(np.float16))
    det_case("dynamic", rng.normal(size=(2, 3, 3)).astype(np.float32),
             dynamic={"x": ["b", "n", "n"], "y": ["b"]})


def write_cases():
    unique_cases()
    top_cases()
    cumulative_cases()
    det_cases()
