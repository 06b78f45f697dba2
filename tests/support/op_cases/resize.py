# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Resize and Upsample: every output element from its definition, dimension by
dimension."""
import itertools
import math

import numpy as np
from onnx import helper

from op_cases.case import random_of, write_case


def position(mode, x, scale, size_in, size_out, roi):
    """Where place x of an output dimension lies in the input."""
    length = scale * size_in  # not rounded
    if mode == "half_pixel":
        return (x + 0.5) / scale - 0.5
    if mode == "pytorch_half_pixel":
        return (x + 0.5) / scale - 0.5 if size_out > 1 else 0.0
    if mode == "half_pixel_symmetric":
        offset = size_in / 2 * (1 - size_out / length)
        return offset + (x + 0.5) / scale - 0.5
    if mode == "align_corners":
        return 0.0 if length == 1 else x * (size_in - 1) / (length - 1)
    if mode == "asymmetric":
        return x / scale
    if mode == "tf_half_pixel_for_nn":
        return (x + 0.5) / scale
    start, end = roi
    if size_out == 1:
        return 0.5 * (start + end) * (size_in - 1)
    return (start * (size_in - 1)
            + x * (end - start) * (size_in - 1) / (size_out - 1))


def nearest_index(mode, x):
    if mode == "floor":
        return math.floor(x)
    if mode == "ceil":
        return math.ceil(x)
    low = math.floor(x)
    part = x - low
    if mode == "round_prefer_ceil":
        return low + (1 if part >= 0.5 else 0)
    return low + (1 if part > 0.5 else 0)


def cubic(t, a):
    t = abs(t)
    if t <= 1:
        return (a + 2) * t**3 - (a + 3) * t**2 + 1
    if t < 2:
        return a * t**3 - 5 * a * t**2 + 8 * a * t - 4 * a
    return 0.0


def contributions(attributes, x, size, scale):
    """[(index, weight)] of a position, indices not yet clamped."""
    mode = attributes.get("mode", "nearest")
    if mode == "nearest":
        chosen = attributes.get("nearest_mode", "round_prefer_floor")
        return [(nearest_index(chosen, x), 1.0)]
    stretch = min(scale, 1.0) if attributes.get("antialias") else 1.0
    support = (1 if mode == "linear" else 2) / stretch
    taps = []
    for index in range(math.floor(x - support) - 1,
                       math.ceil(x + support) + 2):
        t = (index - x) * stretch
        weight = (max(0.0, 1 - abs(t)) if mode == "linear" else
                  cubic(t, attributes.get("cubic_coeff_a", -0.75)))
        if attributes.get("exclude_outside") and not 0 <= index < size:
            weight = 0.0
        taps.append((index, weight))
    total = sum(weight for _, weight in taps)
    return [(index, weight / total) for index, weight in taps]


def resize(data, attributes, scales, sizes=None, roi=None):
    """`scales` of every dimension; `sizes` where they are not floor(n * s)."""
    mode = attributes.get("coordinate_transformation_mode", "half_pixel")
    if sizes is None:
        sizes = [int(np.floor(np.float32(n) * np.float32(s)))
                 for n, s in zip(data.shape, scales)]
    rank = data.ndim
    roi = roi if roi is not None else [0.0] * rank + [1.0] * rank
    result = np.zeros(sizes, np.float64)
    for place in itertools.product(*map(range, sizes)):
        taps, outside = [], False
        for dim, x in enumerate(place):
            size, scale = data.shape[dim], float(scales[dim])
            if scale == 1 and mode != "tf_crop_and_resize":
                taps.append([(x, 1.0)])
                continue
            at = position(mode, x, scale, size, sizes[dim],
                          (roi[dim], roi[rank + dim]))
            outside |= (mode == "tf_crop_and_resize"
                        and not 0 <= at <= size - 1)
            taps.append([(min(max(index, 0), size - 1), weight)
                         for index, weight in
                         contributions(attributes, at, size, scale)])
        if outside:
            result[place] = attributes.get("extrapolation_value", 0.0)
            continue
        result[place] = sum(
            float(data[tuple(index for index, _ in combination)])
            * math.prod(weight for _, weight in combination)
            for combination in itertools.product(*taps))
    return result.astype(data.dtype)


def spread(values, axes, rank, fill):
    """`values` of `axes` among all dimensions."""
    result = [fill] * rank
    for axis, value in zip(axes, values):
        result[axis] = value
    return result


def write(name, shape, scales=None, sizes=None, roi=None, opset=19, fed=False,
          dtype=np.float32, dynamic=False, **attributes):
    rank = len(shape)
    random = random_of(name)
    data = random.normal(size=shape)
    if np.issubdtype(dtype, np.integer):
        data = data * 50 + (128 if dtype == np.uint8 else 0)
        data = np.clip(data, np.iinfo(dtype).min, np.iinfo(dtype).max)
    data = data.astype(dtype)
    axes = attributes.get("axes", list(range(rank)))
    axes = [axis + rank if axis < 0 else axis for axis in axes]
    inputs, kept, names = {"x": data}, {}, ["x", "", "", ""]
    operands = inputs if fed else kept
    if roi is not None:
        operands["roi"], names[1] = np.asarray(roi, np.float32), "roi"
    if scales is not None:
        operands["scales"] = np.asarray(scales, np.float32)
        names[2] = "scales"
        all_scales = spread(np.asarray(scales, np.float32), axes, rank, 1.0)
        all_sizes = None
    else:
        operands["sizes"], names[3] = np.asarray(sizes, np.int64), "sizes"
        own = [shape[axis] for axis in axes]
        each = [size / n for size, n in zip(sizes, own)]
        policy = attributes.get("keep_aspect_ratio_policy", "stretch")
        if policy != "stretch":
            one = min(each) if policy == "not_larger" else max(each)
            each = [one] * len(axes)
            sizes = [math.floor(one * n + 0.5) for n in own]
        all_scales = spread(each, axes, rank, 1.0)
        all_sizes = [dict(zip(axes, sizes)).get(d, shape[d])
                     for d in range(rank)]
    if roi is not None:
        roi = [float(each) for each in np.asarray(roi, np.float32)]
        half = len(axes)
        roi = (spread(roi[:half], axes, rank, 0.0)
               + spread(roi[half:], axes, rank, 1.0))
    result = resize(data, attributes, all_scales, all_sizes, roi)
    while not names[-1]:
        names.pop()
    node = helper.make_node("Resize", names, ["y"], **attributes)
    shapes = {}
    if dynamic or fed:
        shapes["y"] = [f"o{d}" for d in range(rank)]
    if dynamic:
        shapes["x"] = [f"d{d}" for d in range(rank)]
    write_case(name, node, inputs, {"y": result}, opset, kept, shapes=shapes)


def write_old(name, node, data, scales, opset, inputs=None):
    attributes = {"mode": "linear" if node.op_type and any(
        a.name == "mode" and a.s in (b"linear", b"bilinear")
        for a in node.attribute) else "nearest",
                  "coordinate_transformation_mode": "asymmetric",
                  "nearest_mode": "floor"}
    result = resize(data, attributes, scales)
    write_case(name, node, {"x": data, **(inputs or {})}, {"y": result}, opset)


def write_old_forms():
    data = random_of("upsample_old").normal(size=(1, 2, 3, 4))
    data = data.astype(np.float32)
    for mode in ("nearest", "bilinear"):
        write_old(f"upsample_1_{mode}",
                  helper.make_node("Upsample", ["x"], ["y"], mode=mode,
                                   height_scale=2.0, width_scale=1.5),
                  data, [1, 1, 2, 1.5], 6)
    scales = np.array([1, 1, 1.5, 2.5], np.float32)
    write_old("upsample_7_linear",
              helper.make_node("Upsample", ["x"], ["y"], mode="linear",
                               scales=[float(s) for s in scales]),
              data, scales, 7)
    write_old("upsample_9_linear_fed",
              helper.make_node("Upsample", ["x", "s"], ["y"], mode="linear"),
              data, scales, 9, {"s": scales})
    scales = np.array([1, 1, 0.6, 0.5], np.float32)
    for mode in ("nearest", "linear"):
        write_old(f"resize_10_{mode}_down",
                  helper.make_node("Resize", ["x", "s"], ["y"], mode=mode),
                  data, scales, 10, {"s": scales})


def write_coordinates():
    for mode in ("half_pixel", "pytorch_half_pixel", "align_corners",
                 "asymmetric", "half_pixel_symmetric"):
        for kind in ("nearest", "linear", "cubic"):
            write(f"resize_{kind}_{mode}", (1, 2, 4, 5), mode=kind,
                  coordinate_transformation_mode=mode,
                  scales=[1, 1, 1.7, 0.7])
    write("resize_nearest_tf_half_pixel_for_nn", (1, 1, 4, 5), opset=11,
          coordinate_transformation_mode="tf_half_pixel_for_nn",
          nearest_mode="floor", mode="nearest", sizes=[1, 1, 3, 9], roi=[])
    write("resize_pytorch_half_pixel_to_one", (1, 1, 4, 5), mode="cubic",
          coordinate_transformation_mode="pytorch_half_pixel",
          sizes=[1, 1, 1, 3])
    for kind in ("nearest", "linear", "cubic"):
        write(f"resize_crop_{kind}", (1, 1, 5, 6), mode=kind,
              coordinate_transformation_mode="tf_crop_and_resize",
              roi=[0, 0, 0.2, -0.3, 1, 1, 0.9, 1.2], sizes=[1, 1, 4, 7],
              extrapolation_value=-3.5)
    write("resize_crop_axes_fed", (2, 5, 6), mode="linear", fed=True,
          coordinate_transformation_mode="tf_crop_and_resize",
          axes=[2, 1], roi=[0.1, 0.5, 1.3, 0.5], sizes=[4, 1],
          extrapolation_value=7.0)
    for mode in ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil"):
        write(f"resize_nearest_mode_{mode}", (1, 1, 4, 6), mode="nearest",
              nearest_mode=mode, sizes=[1, 1, 8, 4])


def write_filters():
    for kind in ("linear", "cubic"):
        for outside in (0, 1):
            suffix = "_exclude" if outside else ""
            write(f"resize_antialias_{kind}{suffix}", (1, 1, 9, 7), mode=kind,
                  antialias=1, exclude_outside=outside,
                  scales=[1, 1, 0.4, 0.65])
        write(f"resize_antialias_{kind}_fed", (2, 11), mode=kind, antialias=1,
              fed=True, scales=[1, 0.3], dynamic=True)
        write(f"resize_antialias_{kind}_up", (1, 1, 3, 5), mode=kind,
              antialias=1, sizes=[1, 1, 5, 3])
    write("resize_cubic_exclude_outside_a", (1, 1, 5, 4), mode="cubic",
          exclude_outside=1, cubic_coeff_a=-0.5, scales=[1, 1, 0.8, 1.9])
    write("resize_linear_exclude_outside", (1, 1, 5, 4), mode="linear",
          exclude_outside=1, scales=[1, 1, 0.8, 1.9])


def write_sizes():
    for policy in ("not_larger", "not_smaller"):
        for kind in ("nearest", "linear"):
            write(f"resize_{policy}_{kind}", (1, 1, 5, 4), mode=kind,
                  sizes=[7, 9], axes=[2, 3], keep_aspect_ratio_policy=policy)
        write(f"resize_{policy}_fed", (6, 4), mode="cubic", sizes=[4, 3],
              fed=True, dynamic=True, keep_aspect_ratio_policy=policy)
    write("resize_axes_negative", (3, 2, 4), mode="linear", axes=[-1, 0],
          scales=[1.5, 0.7], opset=18)
    write("resize_sizes_fed", (1, 1, 3, 4), mode="cubic", sizes=[1, 1, 5, 2],
          fed=True, opset=13)
    write("resize_scales_fed", (1, 1, 3, 4), mode="nearest", fed=True,
          scales=[1, 1, 2, 1.5], opset=11, roi=[])
    write("resize_scales_dynamic", (1, 1, 3, 4), mode="linear", dynamic=True,
          scales=[1, 1, 2, 1.5], opset=13)
    write("resize_float_product", (10,), mode="nearest", scales=[0.7])
    write("resize_unchanged", (2, 3), mode="cubic", scales=[1, 1])


def write_ranks_and_types():
    write("resize_1d_cubic", (7,), mode="cubic", scales=[2.3])
    write("resize_3d_linear", (3, 4, 2), mode="linear", scales=[1.5, 0.6, 2])
    write("resize_5d_linear", (1, 2, 3, 2, 3), mode="linear",
          scales=[1, 1, 1.4, 2, 0.7])
    write("resize_5d_nearest", (1, 2, 3, 2, 3), mode="nearest",
          sizes=[1, 2, 5, 1, 4])
    for dtype in (np.uint8, np.int8, np.int32, np.float64, np.float16):
        for kind in ("nearest", "linear"):
            write(f"resize_{kind}_{np.dtype(dtype).name}", (1, 1, 3, 4),
                  mode=kind, dtype=dtype, scales=[1, 1, 2, 4])
    data = random_of("resize_bool").integers(0, 2, (3, 4)).astype(bool)
    node = helper.make_node("Resize", ["x", "", "s"], ["y"], mode="nearest")
    result = resize(data, {"mode": "nearest"}, [2, 1.5])
    write_case("resize_nearest_bool", node, {"x": data}, {"y": result}, 13,
               {"s": np.array([2, 1.5], np.float32)})


def write_cases():
    write_old_forms()
    write_coordinates()
    write_filters()
    write_sizes()
    write_ranks_and_types()
