#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Single convolutions as ONNX tests, with what must come out computed here, in
f64 and tap by tap.

    make-convolutions.py OUT [--full]

Writes OUT/CLASS/test_NAME/model.onnx with test_data_set_0. Without --full: one
or two of each class.
"""
import itertools
import pathlib
import random
import sys

import numpy
import onnx
from onnx import helper, numpy_helper

OPSET, IR_VERSION = 17, 8


class Shape:
    """A convolution of any rank; pads are [begins..., ends...]."""

    def __init__(self, channels, filters, image, window, *, batch=1, groups=1,
                 strides=1, dilations=1, pads=0, output_padding=0):
        rank = len(image)

        def each(value, count=rank):
            return list(value) if isinstance(value, (list, tuple)) else (
                [value] * count)
        self.batch, self.channels, self.filters = batch, channels, filters
        self.image, self.window = list(image), list(window)
        self.groups, self.strides = groups, each(strides)
        self.dilations, self.pads = each(dilations), each(pads, 2 * rank)
        self.output_padding = each(output_padding)

    def extent(self, i):
        return self.dilations[i] * (self.window[i] - 1) + 1

    def fits(self):
        return all(size + self.pads[i] + self.pads[i + len(self.image)]
                   >= self.extent(i) for i, size in enumerate(self.image))

    def taps(self):
        """Each tap of the window, and where it is from the window's first."""
        for tap in itertools.product(*map(range, self.window)):
            yield tap, [t * d for t, d in zip(tap, self.dilations)]

    def attributes(self):
        return {"kernel_shape": self.window, "strides": self.strides,
                "dilations": self.dilations, "pads": self.pads,
                "group": self.groups}


def of_groups(numbers, groups):
    """[N][g c][...] as [N][g][c][...]."""
    first, channels, *image = numbers.shape
    return numbers.reshape(first, groups, channels // groups, *image)


def convolved(shape, x, w):
    """Conv's sums without a bias, in f64."""
    rank = len(shape.image)
    around = [(0, 0), (0, 0), *zip(shape.pads[:rank], shape.pads[rank:])]
    x = of_groups(numpy.pad(x.astype(numpy.float64), around), shape.groups)
    w = w.astype(numpy.float64).reshape(
        shape.groups, -1, *w.shape[1:])  # [g][f][c][window...]
    sizes = [(x.shape[3 + i] - shape.extent(i)) // shape.strides[i] + 1
             for i in range(rank)]
    y = numpy.zeros((shape.batch, shape.groups, w.shape[1], *sizes))
    for tap, start in shape.taps():
        where = tuple(slice(begin, begin + (size - 1) * step + 1, step)
                      for begin, size, step in zip(start, sizes,
                                                   shape.strides))
        y += numpy.einsum("ngc...,gfc->ngf...", x[(Ellipsis, *where)],
                          w[(Ellipsis, *tap)])
    return y.reshape(shape.batch, -1, *sizes)


def transposed(shape, x, w):
    """ConvTranspose's: each pixel is spread over its window."""
    rank = len(shape.image)
    x = of_groups(x.astype(numpy.float64), shape.groups)
    w = w.astype(numpy.float64).reshape(
        shape.groups, -1, *w.shape[1:])  # [g][c][f][window...]
    whole = [(shape.image[i] - 1) * shape.strides[i] + shape.extent(i) +
             shape.output_padding[i] for i in range(rank)]
    y = numpy.zeros((shape.batch, shape.groups, w.shape[2], *whole))
    for tap, start in shape.taps():
        where = tuple(slice(begin, begin + (size - 1) * step + 1, step)
                      for begin, size, step in zip(start, shape.image,
                                                   shape.strides))
        y[(Ellipsis, *where)] += numpy.einsum(
            "ngc...,gcf->ngf...", x, w[(Ellipsis, *tap)])
    cut = tuple(slice(shape.pads[i], whole[i] - shape.pads[i + rank])
                for i in range(rank))
    return y.reshape(shape.batch, -1, *whole)[(Ellipsis, *cut)]


def weight_shape(shape, is_transposed=False):
    first, second = ((shape.channels, shape.filters) if is_transposed
                     else (shape.filters, shape.channels))
    return (first, second // shape.groups, *shape.window)


class Model:
    """One node, or few, under construction."""

    def __init__(self, seed):
        self.random = numpy.random.default_rng(seed)
        self.nodes, self.weights, self.fed, self.given = [], [], {}, {}

    def normal(self, *shape, scale=1.0, dtype=numpy.float32):
        return (self.random.standard_normal(shape) * scale).astype(dtype)

    def bytes(self, *shape, signed):
        low, high = (-128, 128) if signed else (0, 256)
        return self.random.integers(low, high, shape).astype(
            numpy.int8 if signed else numpy.uint8)

    def weight(self, name, numbers):
        self.weights.append(numpy_helper.from_array(numpy.asarray(numbers),
                                                    name))
        return name

    def node(self, op, inputs, output, **attributes):
        self.nodes.append(helper.make_node(op, inputs, [output], name=output,
                                           **attributes))
        return output

    def save(self, folder):
        def info(name, numbers):
            kind = helper.mapping.NP_TYPE_TO_TENSOR_TYPE[numbers.dtype]
            return helper.make_tensor_value_info(name, kind, numbers.shape)
        graph = helper.make_graph(
            self.nodes, folder.name,
            [info(*item) for item in self.fed.items()],
            [info(*item) for item in self.given.items()], self.weights)
        model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", OPSET)])
        model.ir_version = IR_VERSION
        onnx.checker.check_model(model)
        data = folder / "test_data_set_0"
        data.mkdir(parents=True)
        (folder / "model.onnx").write_bytes(model.SerializeToString())
        for role, tensors in (("input", self.fed), ("output", self.given)):
            for i, (name, numbers) in enumerate(tensors.items()):
                (data / f"{role}_{i}.pb").write_bytes(numpy_helper.from_array(
                    numbers, name).SerializeToString())


def per_filter(bias, y):
    return bias.reshape(-1, *[1] * (y.ndim - 2))


def of_floats(shape, seed, op="Conv", dtype=numpy.float32, relu=False):
    """With a bias; sums of about one, of either sign."""
    model, is_transposed = Model(seed), op == "ConvTranspose"
    products = shape.channels / shape.groups * numpy.prod(shape.window)
    x = model.normal(shape.batch, shape.channels, *shape.image, dtype=dtype)
    w = model.normal(*weight_shape(shape, is_transposed),
                     scale=products ** -0.5, dtype=dtype)
    bias = model.normal(shape.filters, dtype=dtype)
    attributes = shape.attributes()
    if is_transposed:
        attributes["output_padding"] = shape.output_padding
    y = (transposed if is_transposed else convolved)(shape, x, w)
    y = y + per_filter(bias.astype(numpy.float64), y)
    model.fed = {"x": x}
    model.node(op, ["x", model.weight("w", w), model.weight("b", bias)],
               "sums" if relu else "y", **attributes)
    if relu:
        model.node("Relu", ["sums"], "y")
        y = numpy.maximum(y, 0)
    model.given = {"y": y.astype(dtype)}
    return model


def of_integers(shape, seed, signed=False):
    """ConvInteger: bytes less a zero point by signed bytes."""
    model = Model(seed)
    x = model.bytes(shape.batch, shape.channels, *shape.image, signed=signed)
    w = model.bytes(*weight_shape(shape), signed=True)
    zero = x.dtype.type(3 if signed else 117)
    model.fed = {"x": x}
    model.node("ConvInteger", ["x", model.weight("w", w),
                               model.weight("zero", zero)], "y",
               **shape.attributes())
    y = convolved(shape, x.astype(numpy.float64) - float(zero), w)
    model.given = {"y": y.astype(numpy.int32)}
    return model


def of_quantised(shape, seed):
    """Behind nodes that dequantise; a scale for each filter, sums of about
    one."""
    model = Model(seed)
    x = model.bytes(shape.batch, shape.channels, *shape.image, signed=False)
    w = model.bytes(*weight_shape(shape), signed=True)
    products = shape.channels / shape.groups * numpy.prod(shape.window)
    scales = ((numpy.abs(model.normal(shape.filters)) + 1) / 2048
              * products ** -0.5).astype(numpy.float32)
    zeros = numpy.zeros(shape.filters, numpy.int8)
    model.fed = {"x": x}
    model.node("DequantizeLinear",
               ["x", model.weight("s", numpy.float32(0.25)),
                model.weight("z", numpy.uint8(117))], "real")
    model.node("DequantizeLinear",
               [model.weight("w", w), model.weight("ws", scales),
                model.weight("wz", zeros)], "filters", axis=0)
    model.node("Conv", ["real", "filters"], "y", **shape.attributes())
    y = convolved(shape, (x.astype(numpy.float64) - 117) * 0.25, w)
    model.given = {"y": (y * per_filter(scales.astype(numpy.float64), y))
                   .astype(numpy.float32)}
    return model


# One or two of each class: these are the quick draw.

def quick():
    s = Shape
    yield "image", "3x3-odd", of_floats(
        s(17, 33, [13, 11], [3, 3], pads=[1, 0, 2, 1]), 1)
    yield "image", "3x3-winograd", of_floats(
        s(17, 33, [11, 14], [3, 3], batch=3, pads=1), 2, relu=True)
    yield "image", "5x5-strided", of_floats(
        s(3, 5, [17, 15], [5, 5], strides=[2, 3], pads=2), 3)
    yield "image", "3x3-dilated", of_floats(
        s(5, 17, [12, 13], [3, 3], dilations=2, pads=2, batch=3), 4)
    yield "image", "3x1-leftover", of_floats(
        s(1, 17, [3, 2], [3, 1], strides=[2, 3], dilations=[1, 3],
          pads=[1, 1, 0, 0], batch=3), 17)
    yield "pixel", "1x1", of_floats(s(33, 17, [7, 9], [1, 1]), 5)
    yield "pixel", "1x1-strided", of_floats(
        s(16, 33, [9, 7], [1, 1], strides=2), 6)
    yield "depthwise", "3x3", of_floats(
        s(17, 17, [11, 9], [3, 3], groups=17, pads=1), 7)
    yield "depthwise", "7x7-strided", of_floats(
        s(33, 33, [16, 23], [7, 7], groups=33, pads=3, strides=2), 18,
        relu=True)
    yield "grouped", "3x3", of_floats(
        s(12, 20, [9, 11], [3, 3], groups=4, pads=1, batch=3), 8, relu=True)
    yield "grouped", "3x3-apart", of_floats(
        s(15, 51, [9, 7], [3, 3], groups=3, pads=1, strides=2), 16, relu=True)
    yield "line", "5", of_floats(
        s(5, 17, [29], [5], strides=2, pads=[1, 2]), 9)
    yield "volume", "3x3x3", of_floats(
        s(3, 17, [5, 7, 9], [3, 3, 3], pads=1, strides=[1, 2, 1]), 10)
    yield "transposed", "3x3-strided", of_floats(
        s(5, 17, [7, 9], [3, 3], strides=2, pads=1, output_padding=1), 11,
        "ConvTranspose")
    yield "transposed", "2x2", of_floats(
        s(17, 8, [5, 7], [2, 2], strides=2, batch=3), 12, "ConvTranspose")
    yield "half", "3x3", of_floats(
        s(17, 33, [9, 10], [3, 3], pads=1), 13, dtype=numpy.float16)
    yield "integer", "3x3", of_integers(
        s(17, 33, [9, 10], [3, 3], pads=1), 14)
    yield "quantised", "3x3", of_quantised(
        s(17, 33, [9, 10], [3, 3], pads=1), 15)


CHANNELS = (1, 3, 5, 16, 17, 33, 64)
WINDOWS = {1: ([1], [2], [3], [5], [7]),
           2: ([1, 1], [3, 3], [3, 3], [3, 3], [5, 5], [7, 7], [1, 7], [3, 1],
               [2, 2]),
           3: ([1, 1, 1], [3, 3, 3], [1, 3, 3], [3, 1, 1], [2, 2, 2])}
LARGEST = {1: 70, 2: 21, 3: 9}


def drawn(random, rank, largest=None, grouping=None):
    """A convolution of this rank whose window fits its image."""
    while True:
        channels, filters = random.choice(CHANNELS), random.choice(CHANNELS)
        groups = 1
        if grouping == "depthwise":
            groups = channels
            filters = channels * random.choice((1, 1, 2))
        elif grouping == "grouped":
            groups = random.choice((2, 3, 4, 8))
            channels = groups * random.choice((1, 2, 4, 5, 8))
            filters = groups * random.choice((1, 3, 4, 8, 17))
        sizes = random.choice(((1, 1, 1), (1, 2, 3)))
        shape = Shape(
            channels, filters,
            [random.randint(1, largest or LARGEST[rank]) for _ in range(rank)],
            random.choice(WINDOWS[rank]), batch=random.choice((1, 1, 3)),
            groups=groups,
            strides=[random.choice(sizes) for _ in range(rank)],
            dilations=[random.choice((1, 1, 1, 2, 3)) for _ in range(rank)],
            pads=[random.choice((0, 0, 1, 1, 2, 3)) for _ in range(2 * rank)])
        work = numpy.prod(shape.image) * numpy.prod(shape.window) * (
            channels * filters // groups)
        if shape.fits() and work < 3e7:
            return shape


def drawn_transposed(random, rank):
    """One that gives at least a pixel; output_padding is below a stride."""
    while True:
        shape = drawn(random, rank, 11 if rank == 2 else None,
                      random.choice((None, None, "grouped")))
        shape.output_padding = [random.randrange(stride)
                                for stride in shape.strides]
        if all((shape.image[i] - 1) * shape.strides[i] + shape.extent(i)
               + shape.output_padding[i] - shape.pads[i]
               - shape.pads[i + rank] > 0 for i in range(rank)):
            return shape


def full():
    """Many of each class, drawn; some images are Winograd's."""
    yield from quick()
    random_ = random.Random(20261122)
    for i in range(60):
        yield "image", f"drawn-{i}", of_floats(
            drawn(random_, 2), 100 + i, relu=i % 2 == 1)
    for i, channels in enumerate((16, 17, 33, 64)):
        for j, image in enumerate(([8, 8], [9, 14], [23, 13], [28, 31])):
            yield "image", f"winograd-{i}-{j}", of_floats(
                Shape(channels, random_.choice((16, 17, 48, 64)), image,
                      [3, 3], batch=random_.choice((1, 3)),
                      pads=[random_.randrange(3) for _ in range(4)]),
                200 + 10 * i + j, relu=j % 2 == 1)
    for i in range(16):
        yield "depthwise", f"drawn-{i}", of_floats(
            drawn(random_, 2, grouping="depthwise"), 300 + i)
        yield "grouped", f"drawn-{i}", of_floats(
            drawn(random_, 2, grouping="grouped"), 400 + i, relu=i % 2 == 1)
    for i in range(16):
        grouping = random_.choice((None, None, "grouped", "depthwise"))
        yield "line", f"drawn-{i}", of_floats(
            drawn(random_, 1, grouping=grouping), 500 + i)
        yield "volume", f"drawn-{i}", of_floats(
            drawn(random_, 3, grouping=grouping), 600 + i)
    for i in range(24):
        yield "transposed", f"drawn-{i}", of_floats(
            drawn_transposed(random_, random_.choice((1, 2, 2, 3))), 700 + i,
            "ConvTranspose")
    for i in range(8):
        yield "half", f"drawn-{i}", of_floats(
            drawn(random_, 2), 800 + i, dtype=numpy.float16)
    for i in range(16):
        grouping = random_.choice((None, None, "grouped", "depthwise"))
        rank = random_.choice((1, 2, 2, 2, 3))
        yield "integer", f"drawn-{i}", of_integers(
            drawn(random_, rank, grouping=grouping), 900 + i, i % 2 == 1)
        yield "quantised", f"drawn-{i}", of_quantised(
            drawn(random_, rank, grouping=grouping), 1000 + i)


def main():
    out = pathlib.Path(sys.argv[1])
    for kind, name, model in full() if "--full" in sys.argv[2:] else quick():
        model.save(out / kind / f"test_{name}")


if __name__ == "__main__":
    main()
