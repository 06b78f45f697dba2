# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that move, repeat or count elements; the references are loops over
positions or numpy's own reshaping."""
import numpy as np
from onnx import TensorProto, helper

from op_cases.case import random_of, write_case

F16, F32, I64 = np.float16, np.float32, np.int64


def case(name, op, inputs, outputs, opset, kept=(), **attributes):
    """`kept`: the names of inputs that become initialisers."""
    outputs = outputs if isinstance(outputs, list) else [outputs]
    results = [f"y{i}" for i in range(len(outputs))]
    node = helper.make_node(op, list(inputs), results, **attributes)
    inputs = {key: value for key, value in inputs.items() if key}
    fixed = {key: inputs.pop(key) for key in list(inputs) if key in kept}
    write_case(name, node, inputs, dict(zip(results, outputs)), opset,
               initializers=fixed)


def data(name, *shape, dtype=F32):
    random = random_of(name)
    if dtype == np.bool_:
        return random.integers(0, 2, shape).astype(dtype)
    if np.issubdtype(dtype, np.integer):
        return random.integers(0, 100, shape).astype(dtype)
    return random.standard_normal(shape).astype(dtype)


def vector(*values):
    return np.array(values, I64)


def write_reshapes():
    x = data("reshape", 2, 3, 4)
    for name, shape, wanted, opset, attributes in [
            ("copy_and_infer", (2, 12), (0, -1), 14, {}),
            ("more_dimensions", (2, 1, 3, 2, 2, 1), (0, 1, 3, 2, -1, 1), 21,
             {}),
            ("flat", (24,), (-1,), 25, {}),
            ("allowzero", (4, 3, 2), (4, 3, 2), 14, {"allowzero": 1})]:
        for kept in ((), ("shape",)):
            kind = "_constant" if kept else ""
            case(f"reshape_{name}{kind}", "Reshape",
                 {"x": x, "shape": vector(*wanted)}, x.reshape(shape), opset,
                 kept, **attributes)
    empty = np.zeros((0, 3), F32)
    case("reshape_empty_allowzero", "Reshape",
         {"x": empty, "shape": vector(3, 0)}, empty.reshape(3, 0), 14,
         ("shape",), allowzero=1)
    case("reshape_empty_copies_zero", "Reshape",
         {"x": empty, "shape": vector(0, 3, 1)}, empty.reshape(0, 3, 1), 14,
         ("shape",))
    scalar = np.array(7.5, F32)
    case("reshape_scalar", "Reshape", {"x": scalar, "shape": vector(1, 1)},
         scalar.reshape(1, 1), 14, ("shape",))
    case("reshape_to_scalar", "Reshape",
         {"x": scalar.reshape(1, 1), "shape": np.zeros(0, I64)}, scalar, 14,
         ("shape",))
    case("reshape_1", "Reshape", {"x": x}, x.reshape(2, 12), 1, shape=[0, -1])
    for axis, shape in [(-1, (6, 4)), (-3, (1, 24)), (3, (24, 1)), (2, (6, 4))]:
        name = f"flatten_{axis}".replace("-", "minus")
        case(name, "Flatten", {"x": x}, x.reshape(shape), 13, axis=axis)


def write_axes():
    x = data("axes", 2, 1, 3, 1)
    for opset in (13, 21):
        for kept in ((), ("axes",)):
            kind = f"{opset}" + ("_constant" if kept else "")
            case(f"squeeze_{kind}", "Squeeze", {"x": x, "axes": vector(-1)},
                 x[..., 0], opset, kept)
            case(f"unsqueeze_{kind}", "Unsqueeze",
                 {"x": x, "axes": vector(-1, 0, 2)}, x.reshape(1, 2, 1, 1, 3, 1,
                                                               1),
                 opset, kept)
    case("squeeze_all", "Squeeze", {"x": x}, x.reshape(2, 3), 13)
    case("squeeze_1", "Squeeze", {"x": x}, x.reshape(2, 3, 1), 1, axes=[1])
    case("unsqueeze_11", "Unsqueeze", {"x": x}, x.reshape(2, 1, 3, 1, 1), 11,
         axes=[-1])
    for start, end in [(None, None), (1, None), (-2, None), (None, -1),
                       (-9, 9), (2, 1), (1, -1)]:
        attributes = {key: value for key, value in
                      (("start", start), ("end", end)) if value is not None}
        name = f"shape_{start}_{end}".replace("-", "minus")
        case(name.lower(), "Shape", {"x": x},
             np.array(x.shape[start:end], I64), 15, **attributes)
    case("size_21", "Size", {"x": x}, np.array(6, I64), 21)
    y = data("transposed", 2, 3, 4, dtype=np.bool_)
    case("transpose_bool", "Transpose", {"x": y}, y.transpose(1, 2, 0), 21,
         perm=[1, 2, 0])
    z = data("transposed16", 3, 5, dtype=np.uint16)
    case("transpose_uint16", "Transpose", {"x": z}, z.T, 13)


def write_expansions():
    x = data("expand", 3, 1)
    for kept in ((), ("shape",)):
        kind = "_constant" if kept else ""
        case(f"expand_more{kind}", "Expand", {"x": x, "shape": vector(2, 1, 4)},
             x * np.ones((2, 3, 4), F32), 13, kept)
        case(f"expand_fewer{kind}", "Expand", {"x": x, "shape": vector(5)},
             x * np.ones((3, 5), F32), 13, kept)
        case(f"tile{kind}", "Tile",
             {"x": x, "repeats": vector(2, 3)}, np.tile(x, (2, 3)), 13,
             () if not kept else ("repeats",))
        case(f"tile_nothing{kind}", "Tile",
             {"x": x, "repeats": vector(0, 3)}, np.tile(x, (0, 3)), 13,
             () if not kept else ("repeats",))
    flags = data("tile_bool", 2, 1, 3, dtype=np.bool_)
    case("tile_bool", "Tile", {"x": flags, "repeats": vector(1, 4, 2)},
         np.tile(flags, (1, 4, 2)), 13, ("repeats",))
    case("tile_1", "Tile", {"x": x, "tiles": np.array([2], F32),
                            "axis": np.array([0], F32)},
         np.tile(x, (2, 1)), 1, ("tiles", "axis"))
    wide = data("chain", 3, 1)
    write_case("expand_torch_chain", [
        helper.make_node("ConstantOfShape", ["length"], ["ones"],
                         value=helper.make_tensor("v", TensorProto.INT64, [1],
                                                  [1])),
        helper.make_node("Mul", ["ones", "minus"], ["negative"]),
        helper.make_node("Equal", ["wanted", "negative"], ["isOpen"]),
        helper.make_node("Where", ["isOpen", "ones", "wanted"], ["shape"]),
        helper.make_node("Expand", ["x", "shape"], ["y"])],
        {"x": wide}, {"y": wide * np.ones((2, 3, 4), F32)}, 17,
        initializers={"length": vector(3), "minus": np.array(-1, I64),
                      "wanted": vector(2, -1, 4)})


def write_splits():
    x = data("split", 7, 6)
    for name, outputs, opset, attributes in [
            ("18_uneven", [x[:2], x[2:4], x[4:6], x[6:]], 18,
             {"num_outputs": 4}),
            ("18_axis", [x[:, :3], x[:, 3:]], 18, {"num_outputs": 2,
                                                   "axis": -1}),
            ("13_equal", [x[:, :2], x[:, 2:4], x[:, 4:]], 13, {"axis": 1}),
            ("2_sizes", [x[:3], x[3:]], 2, {"split": [3, 4]})]:
        case("split_" + name, "Split", {"x": x}, outputs, opset, **attributes)
    for kept in ((), ("split",)):
        kind = "_constant" if kept else ""
        case(f"split_18_sizes{kind}", "Split", {"x": x, "split": vector(1, 0,
                                                                        5)},
             [x[:, :1], x[:, 1:1], x[:, 1:]], 18, kept, axis=1)


def sliced(x, starts, ends, axes, steps):
    index = [slice(None)] * x.ndim
    for start, end, axis, step in zip(starts, ends, axes, steps):
        # Python's None is what a number below the first element means.
        low = end < -x.shape[axis] and step < 0
        index[axis] = slice(start, None if low else end, step)
    return x[tuple(index)]


def write_slices():
    x = data("slice", 7, 5, 4)
    big = 2 ** 63 - 1
    for name, arguments in [
            ("backwards", ([-1, 4], [-big, 0], [0, 1], [-1, -2])),
            ("far_ends", ([-100, 1], [100, big], [2, 0], [1, 3])),
            ("huge_steps", ([1, -1], [big, -big], [0, 1], [big, -big])),
            ("empty", ([5, 3], [2, 3], [0, 1], [1, 1])),
            ("negative_axes", ([1, 0], [-1, 2], [-1, -2], [1, 1]))]:
        starts, ends, axes, steps = arguments
        inputs = {"x": x, "starts": vector(*starts), "ends": vector(*ends),
                  "axes": vector(*axes), "steps": vector(*steps)}
        for kept in ((), ("starts", "ends", "axes", "steps")):
            kind = "_constant" if kept else ""
            case(f"slice_{name}{kind}", "Slice", inputs,
                 sliced(x, *arguments), 13, kept)
    flags = data("slice_bool", 4, 6, dtype=np.bool_)
    small = {key: np.array(value, np.int32) for key, value in
             (("starts", [1, 0]), ("ends", [4, 5]))}
    case("slice_bool_int32", "Slice", {"x": flags, **small}, flags[1:4, :5], 13)
    case("slice_1", "Slice", {"x": x}, x[1:-1, :, -2:], 1, starts=[1, -2],
         ends=[-1, 100], axes=[0, 2])


def padded(x, low, high, mode, value):
    """Every position by itself; negative amounts cut off."""
    shape = [n + a + b for n, a, b in zip(x.shape, low, high)]
    out = np.empty(shape, x.dtype)
    for at in np.ndindex(*shape):
        source = []
        for i, n, a in zip(at, x.shape, low):
            i -= a
            if mode == "edge":
                i = min(max(i, 0), n - 1)
            elif mode == "wrap":
                i %= n
            elif mode == "reflect":
                while n > 1 and not 0 <= i < n:
                    i = -i if i < 0 else 2 * (n - 1) - i
                i = i if n > 1 else 0
            source.append(i)
        inside = all(0 <= i < n for i, n in zip(source, x.shape))
        out[at] = x[tuple(source)] if inside else value
    return out


def write_pads():
    x = data("pad", 3, 4, 5)
    pads = {"constant": ([1, 0, 2], [0, 3, 1]), "edge": ([2, 0, 1], [0, 1, 3]),
            "reflect": ([2, 1, 0], [1, 3, 4]), "wrap": ([4, 1, 0], [1, 0, 7])}
    for mode, (low, high) in pads.items():
        for kept in ((), ("pads",)):
            kind = "_constant" if kept else ""
            case(f"pad_{mode}{kind}", "Pad",
                 {"x": x, "pads": vector(*low, *high)},
                 padded(x, low, high, mode, 0), 19, kept, mode=mode)
    for kept in ((), ("axes",)):
        kind = "_constant" if kept else ""
        case(f"pad_axes{kind}", "Pad",
             {"x": x, "pads": vector(1, 2, 3, 0),
              "value": np.array(2.5, F32), "axes": vector(-1, 0)},
             padded(x, [2, 0, 1], [0, 0, 3], "constant", 2.5), 21, kept)
        case(f"pad_negative{kind}", "Pad",
             {"x": x, "pads": vector(-1, 2, 0, 1, -1, -2),
              "value": np.array(-1, F32)},
             padded(x, [-1, 2, 0], [1, -1, -2], "constant", -1), 18,
             () if not kept else ("pads",))
    case("pad_reflect_far", "Pad", {"x": x, "pads": vector(7, 0, 0, 6, 0, 9)},
         padded(x, [7, 0, 0], [6, 0, 9], "reflect", 0), 18, ("pads",),
         mode="reflect")
    whole = data("pad_int", 2, 3, dtype=np.int32)
    case("pad_int32", "Pad", {"x": whole, "pads": vector(0, 1, 2, 0),
                              "value": np.array(-7, np.int32)},
         padded(whole, [0, 1], [2, 0], "constant", -7), 13, ("pads",))
    flags = data("pad_bool", 2, 3, dtype=np.bool_)
    case("pad_bool", "Pad", {"x": flags, "pads": vector(1, 0, 0, 1),
                             "value": np.array(True)},
         padded(flags, [1, 0], [0, 1], "constant", True), 13)
    case("pad_1", "Pad", {"x": x}, padded(x, [0, 1, 2], [1, 0, 0], "edge", 0),
         1, paddings=[0, 1, 2, 1, 0, 0], mode="edge")
    case("pad_2", "Pad", {"x": x}, padded(x, [0, 1, -2], [1, 0, 0], "constant",
                                          0.5),
         2, pads=[0, 1, -2, 1, 0, 0], value=0.5)


def write_joins():
    parts = [data(f"concat{n}", 2, n, 3, dtype=np.int16) for n in (1, 0, 4)]
    case("concat_int16", "Concat", dict(zip("abc", parts)),
         np.concatenate(parts, 1), 13, axis=-2)
    flags = [data(f"concat_bool{n}", n, dtype=np.bool_) for n in (2, 3)]
    case("concat_bool", "Concat", dict(zip("ab", flags)),
         np.concatenate(flags), 13, axis=0)
    one = data("concat_one", 2, 2)
    case("concat_one", "Concat", {"a": one}, one, 13, axis=1)
    case("concat_1", "Concat", {"a": one, "b": 2 * one},
         np.concatenate([one, 2 * one], 1), 1)


def write_positions():
    x = data("nonzero", 3, 4, 2) * data("mask", 3, 4, 2, dtype=np.int32) % 2
    case("nonzero_float", "NonZero", {"x": x.astype(F32)},
         np.array(np.nonzero(x.astype(F32)), I64), 13)
    flags = data("nonzero_bool", 9, dtype=np.bool_)
    case("nonzero_bool", "NonZero", {"x": flags},
         np.array(np.nonzero(flags), I64), 13)
    case("nonzero_none", "NonZero", {"x": np.zeros((2, 3), np.int8)},
         np.zeros((2, 0), I64), 13)
    case("nonzero_scalar", "NonZero", {"x": np.array(3, F32)},
         np.zeros((0, 1), I64), 13)
    y = data("compress", 3, 5)
    keep = np.array([True, False, True, True])
    case("compress_axis", "Compress", {"x": y, "condition": keep},
         np.compress(keep, y, 1), 11, axis=-1)
    case("compress_flat", "Compress", {"x": y, "condition": keep},
         np.compress(keep, y), 11)


def write_fillers():
    for dtype in (np.uint8, np.int32, np.bool_, F16, np.float64):
        fill = np.array([1], dtype)
        name = f"constantofshape_{np.dtype(dtype).name}"
        case(name, "ConstantOfShape", {"shape": vector(2, 3)},
             np.full((2, 3), 1, dtype), 20,
             value=helper.make_tensor(
                 "v", helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
                 if hasattr(helper, "np_dtype_to_tensor_dtype") else
                 {np.uint8: 2, np.int32: 6, np.bool_: 9, F16: 10,
                  np.float64: 11}[dtype], [1], fill.tobytes(), raw=True))
    case("constantofshape_scalar", "ConstantOfShape",
         {"shape": np.zeros(0, I64)}, np.array(0, F32), 9, ("shape",))
    case("constantofshape_empty", "ConstantOfShape", {"shape": vector(2, 0)},
         np.zeros((2, 0), F32), 21)
    x = np.zeros((3, 5), np.int32)
    case("eyelike_bool", "EyeLike", {"x": x}, np.eye(3, 5, -1) > 0, 22, k=-1,
         dtype=int(TensorProto.BOOL))
    case("eyelike_int32", "EyeLike", {"x": x}, np.eye(3, 5, 2, np.int32), 9,
         k=2)
    for name, dtype in (("int16", np.int16), ("bool", np.bool_),
                        ("double", np.float64)):
        y = data("trilu_" + name, 2, 4, 5, dtype=dtype)
        for upper, function in ((0, np.tril), (1, np.triu)):
            for k in (-1, 2, 2 ** 62):
                if (k > 2) != (name == "bool"):
                    continue
                kept = () if upper else ("k",)
                suffix = f"{k}".replace("-", "minus") if k < 3 else "far"
                case(f"trilu_{name}_{upper}_{suffix}", "Trilu",
                     {"x": y, "k": np.array(k, I64)},
                     function(y, min(k, 99)), 14, kept, upper=upper)
    for name, limits in [("int16", np.array([10, -3, -4], np.int16)),
                         ("float", np.array([0.5, 3, 0.5], F32)),
                         ("double_back", np.array([2, -1, -0.75], np.float64)),
                         ("int64_none", np.array([3, 1, 1], I64))]:
        for kept in ((), ("start", "limit", "delta")):
            kind = "_constant" if kept else ""
            case(f"range_{name}{kind}", "Range",
                 dict(zip(("start", "limit", "delta"), limits)),
                 np.arange(*limits).astype(limits.dtype), 11, kept)


def write_blocks():
    x = data("blocks", 2, 12, 2, 3)
    for mode in ("DCR", "CRD"):
        out = np.empty((2, 3, 4, 6), F32)
        for n, c, h, w in np.ndindex(*out.shape):
            block = (h % 2) * 2 + w % 2
            channel = block * 3 + c if mode == "DCR" else c * 4 + block
            out[n, c, h, w] = x[n, channel, h // 2, w // 2]
        case(f"depthtospace_{mode.lower()}", "DepthToSpace", {"x": x}, out, 13,
             blocksize=2, mode=mode)
    y = data("spaces", 2, 3, 4, 6)
    out = np.empty((2, 12, 2, 3), F32)
    for n, c, h, w in np.ndindex(*out.shape):
        block, channel = divmod(c, 3)
        out[n, c, h, w] = y[n, channel, 2 * h + block // 2, 2 * w + block % 2]
    case("spacetodepth_13", "SpaceToDepth", {"x": y}, out, 13, blocksize=2)


def write_dropouts():
    x = data("dropout", 3, 4)
    case("dropout_6_test", "Dropout", {"x": x}, [x, np.ones_like(x)], 6,
         is_test=1, ratio=0.25)
    case("dropout_22_mask", "Dropout",
         {"x": x, "ratio": np.array(0.25, F32), "training": np.array(False)},
         [x, np.ones((3, 4), np.bool_)], 22, ("ratio", "training"))
    case("dropout_13_keeps_all", "Dropout",
         {"x": x, "ratio": np.array(0, F32), "training": np.array(True)},
         [x, np.ones((3, 4), np.bool_)], 13, ("ratio", "training"))
    case("identity_uint8", "Identity",
         {"x": data("identity", 2, 2, dtype=np.uint8)},
         data("identity", 2, 2, dtype=np.uint8), 21)
    write_case("constant_forms", [
        helper.make_node("Constant", [], ["a"], value_ints=[1, -2]),
        helper.make_node("Constant", [], ["b"], value_floats=[0.5, 2]),
        helper.make_node("Constant", [], ["c"], value_float=1.5),
        helper.make_node("Constant", [], ["d"], value_int=-9),
        helper.make_node("Add", ["x", "b"], ["y"])],
        {"x": np.array([1, 2], F32)},
        {"y": np.array([1.5, 4], F32), "a": vector(1, -2),
         "c": np.array(1.5, F32), "d": np.array(-9, I64)}, 21)


def write_parts_of_nothing():
    """What concerns no elements, or is decided by sizes alone."""
    x = data("nothing", 2, 3, 8)
    none, rest = np.zeros((2, 3, 0), F32), data("rest", 2, 3, 8)
    write_case("concat_nothing_last",
               helper.make_node("Concat", ["x", "none"], ["y"], axis=-1),
               {"x": x, "none": none}, {"y": x}, 21)
    write_case("concat_nothing_among", helper.make_node(
        "Concat", ["x", "none", "rest", "none"], ["y"], axis=2),
               {"x": x, "none": none, "rest": rest},
               {"y": np.concatenate([x, rest], 2)}, 21)
    end = vector(8)
    write_case("slice_nothing_last", helper.make_node(
        "Slice", ["x", "end", "end", "axis"], ["y"]),
               {"x": x}, {"y": none}, 21,
               initializers={"end": end, "axis": vector(2)})
    flat = np.zeros((0, 3, 8), F32)
    write_case("concat_of_no_rows", helper.make_node(
        "Concat", ["x", "y"], ["z"], axis=2), {"x": flat, "y": flat},
               {"z": np.zeros((0, 3, 16), F32)}, 21)
    kept = np.array([True, False, True, True])
    rows = data("kept", 4, 1, 3)
    nodes = [helper.make_node("Compress", ["x", "kept"], ["some"], axis=0),
             helper.make_node("Squeeze", ["some"], ["y"])]
    write_case("squeeze_all_run_time", nodes, {"x": rows, "kept": kept},
               {"y": rows[kept][:, 0]}, 21, shapes={"y": ["n", 3]})
    write_rank_by_sizes(x)


def write_rank_by_sizes(x):
    """If's branches differ in rank; sizes that were split tell which it is."""
    def branch(op, inputs, name, rank):
        value = helper.make_tensor_value_info(
            name, TensorProto.FLOAT, [None] * rank)
        return helper.make_graph(
            [helper.make_node(op, inputs, [name])], name, [], [value])

    nodes = [helper.make_node("Shape", ["x"], ["sizes"]),
             helper.make_node("Split", ["sizes"], ["a", "b"], axis=0,
                              num_outputs=2),
             helper.make_node("Equal", ["b", "eight"], ["is_eight"]),
             helper.make_node("If", ["is_eight"], ["y"],
                              then_branch=branch("Flatten", ["x"], "flat", 2),
                              else_branch=branch("Identity", ["x"], "same",
                                                 3))]
    write_case("if_rank_by_split_sizes", nodes, {"x": x},
               {"y": x.reshape(2, 24)}, 21,
               initializers={"eight": vector(8)})


def write_cases():
    write_parts_of_nothing()
    write_reshapes()
    write_axes()
    write_expansions()
    write_splits()
    write_slices()
    write_pads()
    write_joins()
    write_positions()
    write_fillers()
    write_blocks()
    write_dropouts()
