# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""RoiAlign, MaxRoiPool and NonMaxSuppression, box by box."""
import itertools
import math

import numpy as np
from onnx import helper

from op_cases.case import random_of, write_case


def corners(image, y, x):
    """The four neighbours of a position with their weights; none outside."""
    height, width = image.shape
    if y < -1 or y > height or x < -1 or x > width:
        return [(0.0, 0.0)]
    y, x = min(max(y, 0), height - 1), min(max(x, 0), width - 1)
    top, left = int(y), int(x)
    result = []
    for i, wy in ((top, 1 - (y - top)), (min(top + 1, height - 1), y - top)):
        for j, wx in ((left, 1 - (x - left)),
                      (min(left + 1, width - 1), x - left)):
            result.append((float(image[i, j]), wy * wx))
    return result


def roi_align(x, rois, batches, height, width, ratio, scale, mode, half):
    result = np.zeros((len(rois), x.shape[1], height, width))
    for r, c, ph, pw in itertools.product(*map(range, result.shape)):
        offset = 0.5 if half else 0.0
        x1, y1, x2, y2 = (float(v) * scale - offset for v in rois[r])
        wide, high = x2 - x1, y2 - y1
        if not half:
            wide, high = max(wide, 1.0), max(high, 1.0)
        bin_h, bin_w = high / height, wide / width
        rows = ratio or math.ceil(bin_h)
        columns = ratio or math.ceil(bin_w)
        values = []
        for iy, ix in itertools.product(range(rows), range(columns)):
            near = corners(x[batches[r], c],
                           y1 + (ph + (iy + 0.5) / rows) * bin_h,
                           x1 + (pw + (ix + 0.5) / columns) * bin_w)
            parts = [value * weight for value, weight in near]
            values.append(sum(parts) if mode == "avg" else max(parts))
        if values:
            result[r, c, ph, pw] = (np.mean(values) if mode == "avg"
                                    else max(values))
    return result.astype(x.dtype)


def write_roi_aligns():
    for mode in ("avg", "max"):
        for half in (False, True):
            for ratio in (0, 2):
                for opset in ((10, 16, 22) if half is False else (16,)):
                    write_roi_align(mode, half, ratio, opset)


def write_roi_align(mode, half, ratio, opset, dtype=np.float32):
    name = f"roialign_{opset}_{mode}_{'half' if half else 'output'}_{ratio}"
    random = random_of(name)
    x = random.normal(size=(2, 2, 6, 7)).astype(dtype)
    rois = np.array([[1, 2, 9, 10], [-6, 0, 30, 5], [4, 4, 4, 4],
                     [8, 6, 3, 2]], dtype)
    batches = np.array([0, 1, 1, 0], np.int64)
    attributes = {"mode": mode, "output_height": 2, "output_width": 3,
                  "sampling_ratio": ratio, "spatial_scale": 0.5}
    if opset >= 16:
        attributes["coordinate_transformation_mode"] = (
            "half_pixel" if half else "output_half_pixel")
    y = roi_align(x, rois, batches, 2, 3, ratio, 0.5, mode, half)
    write_case(name, helper.make_node("RoiAlign", ["x", "rois", "b"], ["y"],
                                      **attributes),
               {"x": x, "rois": rois, "b": batches}, {"y": y}, opset,
               shapes={"rois": ["r", 4], "b": ["r"], "y": ["r", 2, 2, 3]})


def half_away(v):
    return int(math.copysign(math.floor(abs(v) + 0.5), v))


def max_roi_pool(x, rois, pooled, scale):
    result = np.zeros((len(rois), x.shape[1], *pooled))
    for r, c, ph, pw in itertools.product(*map(range, result.shape)):
        batch = int(rois[r][0])
        spans = []
        for place, parts, low, high, size in (
                (ph, pooled[0], rois[r][2], rois[r][4], x.shape[2]),
                (pw, pooled[1], rois[r][1], rois[r][3], x.shape[3])):
            start, end = half_away(low * scale), half_away(high * scale)
            length = max(end - start + 1, 1) / parts
            first = math.floor(place * length) + start
            last = math.ceil((place + 1) * length) + start
            spans.append(slice(min(max(first, 0), size),
                               min(max(last, 0), size)))
        window = x[batch, c][spans[0], spans[1]]
        result[r, c, ph, pw] = window.max() if window.size else 0
    return result.astype(x.dtype)


def write_max_roi_pools():
    for name, scale, dtype in (("maxroipool", 1.0, np.float32),
                               ("maxroipool_scaled", 0.5, np.float64)):
        x = random_of(name).normal(size=(2, 3, 6, 7)).astype(dtype) - 2
        rois = np.array([[0, 1, 1, 6, 5], [1, 0, 2, 13, 11], [1, 5, 5, 2, 2],
                         [0, 40, 40, 44, 44]], dtype)
        y = max_roi_pool(x, rois, (2, 3), scale)
        node = helper.make_node("MaxRoiPool", ["x", "rois"], ["y"],
                                pooled_shape=[2, 3], spatial_scale=scale)
        write_case(name, node, {"x": x, "rois": rois}, {"y": y}, 1)


def overlap(a, b, centred):
    def extent(box):
        if centred:
            x, y, w, h = box
            return x - w / 2, x + w / 2, y - h / 2, y + h / 2
        y1, x1, y2, x2 = box
        return min(x1, x2), max(x1, x2), min(y1, y2), max(y1, y2)
    p, q = extent(a), extent(b)
    wide = min(p[1], q[1]) - max(p[0], q[0])
    high = min(p[3], q[3]) - max(p[2], q[2])
    if wide <= 0 or high <= 0:
        return 0.0
    area = [(e[1] - e[0]) * (e[3] - e[2]) for e in (p, q)]
    return wide * high / (sum(area) - wide * high)


def suppress(boxes, scores, most, iou, least, centred):
    """Sorts first, then looks back at what was chosen."""
    result = []
    for n, c in itertools.product(*map(range, scores.shape[:2])):
        order = sorted((i for i in range(boxes.shape[1])
                        if least is None or scores[n, c, i] > least),
                       key=lambda i: (-scores[n, c, i], i))
        chosen = []
        for i in order:
            if len(chosen) >= most:
                break
            if all(overlap(boxes[n, i].astype(float),
                           boxes[n, j].astype(float), centred) <= iou
                   for j in chosen):
                chosen.append(i)
        result += [[n, c, i] for i in chosen]
    return np.array(result, np.int64).reshape(-1, 3)


def write_suppression(name, most=None, iou=None, least=None, centred=0,
                      shape=(2, 3, 12), ties=False, fed=True, rank=1,
                      opset=11):
    random = random_of(name)
    n, c, count = shape
    places = random.uniform(0, 10, (n, count, 2))
    if centred:
        boxes = np.concatenate(
            [places, random.uniform(1, 6, (n, count, 2))], 2)
    else: # corners in any order
        boxes = np.concatenate(
            [places, places + random.uniform(-6, 6, (n, count, 2))], 2)
    boxes = boxes.astype(np.float32)
    scores = random.uniform(-1, 1, shape).astype(np.float32)
    if ties:
        scores = np.round(scores * 2) / 2
    operands, names = {}, ["boxes", "scores"]
    for key, value, dtype in (("most", most, np.int64),
                              ("iou", iou, np.float32),
                              ("least", least, np.float32)):
        names.append("" if value is None else key)
        if value is not None:
            operands[key] = np.full((1,) * rank, value, dtype)
    while not names[-1]:
        names.pop()
    y = suppress(boxes, scores, most or 0, iou or 0.0, least, centred)
    node = helper.make_node("NonMaxSuppression", names, ["y"],
                            center_point_box=centred)
    write_case(name, node, {"boxes": boxes, "scores": scores,
                            **(operands if fed else {})},
               {"y": y}, opset, {} if fed else operands,
               shapes={"y": ["k", 3]})


def write_suppressions():
    write_suppression("nms_corners", 5, 0.3, 0.1)
    write_suppression("nms_centred", 4, 0.25, -0.2, centred=1)
    write_suppression("nms_ties", 20, 0.4, None, ties=True)
    write_suppression("nms_no_limits", 7, None, None, fed=False)
    write_suppression("nms_nothing_wanted", None, 0.5, None)
    write_suppression("nms_nothing_good", 3, 0.5, 2.0)
    write_suppression("nms_all_wanted", 2**62, 0.5, 0.0, fed=False, rank=0)
    write_suppression("nms_10_one_class", 2, 0.5, 0.0, shape=(1, 1, 5),
                      opset=10)


def write_cases():
    write_roi_aligns()
    write_max_roi_pools()
    write_suppressions()
