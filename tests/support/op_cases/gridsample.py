# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GridSample and AffineGrid from their definitions, point by point."""
import itertools
import math

import numpy as np
from onnx import helper

from op_cases.case import random_of, write_case


def reflect(x, low, high):
    """Folds x at the borders until it lies between them."""
    if high <= low:
        return low
    while x < low or x > high:
        x = 2 * low - x if x < low else 2 * high - x
    return x


def pixel(image, index, padding, aligned):
    """The element at integer positions, some of which may be outside."""
    inside = []
    for i, size in zip(index, image.shape):
        if not 0 <= i < size:
            if padding == "zeros":
                return 0.0
            if padding == "border":
                i = min(max(i, 0), size - 1)
            elif aligned:
                i = int(reflect(i, 0, size - 1))
            else:
                i = int(reflect(i, -0.5, size - 0.5))
        inside.append(i)
    return float(image[tuple(inside)])


def cubic(t, a=-0.75):
    t = abs(t)
    if t <= 1:
        return (a + 2) * t**3 - (a + 3) * t**2 + 1
    return a * t**3 - 5 * a * t**2 + 8 * a * t - 4 * a


def taps(x, mode):
    base = math.floor(x)
    part = x - base
    if mode == "linear":
        return [(base, 1 - part), (base + 1, part)]
    return [(base + k, cubic(part - k)) for k in (-1, 0, 1, 2)]


def sample(image, point, mode, padding, aligned):
    """`point` in the image's order of dimensions, in [-1, 1]."""
    place = []
    for n, size in zip(point, image.shape):
        x = ((n + 1) / 2 * (size - 1) if aligned
             else ((n + 1) * size - 1) / 2)
        if mode == "nearest":
            x = float(np.rint(x))
        low, high = (0.0, size - 1.0) if aligned else (-0.5, size - 0.5)
        if padding == "border" and not low <= x <= high:
            x = min(max(x, 0.0), size - 1.0)
        elif padding == "reflection":
            x = reflect(x, low, high)
        place.append(x)
    if mode == "nearest":
        return pixel(image, [int(x) for x in place], padding, aligned)
    return sum(
        math.prod(weight for _, weight in combination)
        * pixel(image, [i for i, _ in combination], padding, aligned)
        for combination in itertools.product(*[taps(x, mode) for x in place]))


def grid_sample(x, grid, mode, padding, aligned):
    result = np.zeros(x.shape[:2] + grid.shape[1:-1])
    for place in itertools.product(*map(range, result.shape)):
        n, c, rest = place[0], place[1], place[2:]
        point = [float(g) for g in grid[(n, *rest)][::-1]]
        result[place] = sample(x[n, c], point, mode, padding, aligned)
    return result.astype(x.dtype)


OLD = {"linear": "bilinear", "cubic": "bicubic", "nearest": "nearest"}


def write(name, shape, places, mode, padding="zeros", aligned=0, opset=20,
          dtype=np.float32, grid_dtype=np.float32, reach=1.6, dynamic=False):
    random = random_of(name)
    x = (random.normal(size=shape) * 20).astype(dtype)
    grid = random.uniform(-reach, reach,
                          (shape[0], *places, len(shape) - 2))
    grid = grid.astype(grid_dtype)
    y = grid_sample(x, grid, mode, padding, bool(aligned))
    node = helper.make_node(
        "GridSample", ["x", "grid"], ["y"], padding_mode=padding,
        mode=mode if opset >= 20 else OLD[mode], align_corners=aligned)
    shapes = {}
    if dynamic:
        shapes = {"x": ["n", "c", "h", "w"], "grid": ["n", "p", "q", 2],
                  "y": ["n", "c", "p", "q"]}
    write_case(name, node, {"x": x, "grid": grid}, {"y": y}, opset,
               shapes=shapes)


def write_ties():
    """Positions halfway between elements, and whole ones, in each dimension."""
    random = random_of("gridsample_ties")
    for rank in (2, 3):
        x = random.normal(size=(1, 1, 5, 5, 5)[:rank + 2]).astype(np.float32)
        halves = np.arange(0, 9, dtype=np.float32) / 4 - 1
        grid = random.choice(halves, (1, *(4, 5, 3)[:rank], rank))
        node = helper.make_node("GridSample", ["x", "grid"], ["y"],
                                mode="nearest", align_corners=1)
        write_case(f"gridsample_nearest_ties_{rank}d", node,
                   {"x": x, "grid": grid},
                   {"y": grid_sample(x, grid, "nearest", "zeros", True)}, 20)


def write_grid_samples():
    for padding in ("zeros", "border", "reflection"):
        for aligned in (0, 1):
            end = f"{padding}_{'corners' if aligned else 'centres'}"
            for mode in ("nearest", "linear", "cubic"):
                write(f"gridsample_{mode}_{end}", (2, 2, 4, 5), (3, 4), mode,
                      padding, aligned)
                write(f"gridsample_3d_{mode}_{end}", (1, 2, 3, 4, 2),
                      (2, 3, 2), mode, padding, aligned)
    write("gridsample_16_bicubic_border", (1, 1, 4, 3), (3, 3), "cubic",
          "border", opset=16)
    write("gridsample_1d_linear", (1, 2, 6), (9,), "linear", "reflection",
          opset=22)
    write("gridsample_far_reflection", (1, 1, 3, 4), (4, 4), "linear",
          "reflection", reach=9.0)
    write("gridsample_one_pixel", (1, 1, 1, 1), (3, 3), "linear",
          "reflection", 1)
    write("gridsample_float64_grid32", (1, 1, 4, 3), (2, 3), "cubic",
          dtype=np.float64)
    write("gridsample_float32_grid64", (1, 1, 4, 3), (2, 3), "linear",
          grid_dtype=np.float64)
    write("gridsample_float32_grid16", (1, 1, 4, 3), (2, 3), "linear",
          grid_dtype=np.float16)
    write("gridsample_nearest_int32", (1, 1, 4, 3), (2, 3), "nearest",
          dtype=np.int32)
    write("gridsample_dynamic", (2, 1, 3, 4), (2, 3), "linear", "border",
          dynamic=True)


def affine_grid(theta, size, aligned):
    rank = len(size) - 2
    result = np.zeros((size[0], *size[2:], rank))
    for place in itertools.product(*map(range, result.shape[:-1])):
        point = []
        for i, n in zip(place[1:], size[2:]):
            if aligned:
                point.append(-1.0 if n == 1 else -1 + 2 * i / (n - 1))
            else:
                point.append((2 * i + 1) / n - 1)
        vector = np.array(point[::-1] + [1.0])
        result[place] = theta[place[0]].astype(np.float64) @ vector
    return result.astype(theta.dtype)


def write_affine_grids():
    for size in ((2, 3, 4, 5), (1, 2, 3, 1, 4)):
        rank = len(size) - 2
        for aligned in (0, 1):
            for fed in (False, True):
                name = f"affine_grid_{rank}d_{aligned}{'_fed' * fed}"
                theta = random_of(name).normal(size=(size[0], rank, rank + 1))
                theta = theta.astype(np.float64 if fed else np.float32)
                y = affine_grid(theta, size, aligned)
                node = helper.make_node("AffineGrid", ["theta", "size"],
                                        ["y"], align_corners=aligned)
                sizes = {"size": np.array(size, np.int64)}
                shapes = {"y": ["n", *"abc"[:rank], rank]} if fed else {}
                write_case(name, node,
                           {"theta": theta, **(sizes if fed else {})},
                           {"y": y}, 20, {} if fed else sizes, shapes=shapes)


def write_cases():
    write_ties()
    write_grid_samples()
    write_affine_grids()
