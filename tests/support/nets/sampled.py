# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutional nets that nobody has tuned for: a few common blocks one after
the other, all drawn from one seed. Grouped, depthwise, dilated, strided and
factored convolutions, odd channels, norms that are nodes, gates, shuffles of
three spellings, layers with channels last, as exporters write them."""
import random

import numpy

ACTIVATIONS = ("relu", "relu", "relu", "relu6", "silu", "hardswish", "leaky",
               "prelu", "gelu", "sigmoid", "none")


class Sampler:
    """A net under construction and what was drawn for it."""

    def __init__(self, net, seed):
        self.net, self.draw = net, random.Random(seed)
        self.channels = self.pick(16, 24, 32, 37, 48, 60, 64, 96)
        self.size = self.pick(14, 28, 28, 35, 56)
        self.x = net.image((1, self.channels, self.size, self.size))
        self.count, self.words = 0, [f"{self.channels}x{self.size}"]

    def pick(self, *options):
        return self.draw.choice(options)

    def happens(self, share):
        return self.draw.random() < share

    def note(self, *words):
        self.words += map(str, words)

    def name(self, kind):
        self.count += 1
        return f"{kind}{self.count}"

    def node(self, op, *inputs, **attributes):
        return self.net.node(op, inputs, self.name(op.lower()), **attributes)

    def number(self, value):
        return self.net.constant(value, numpy.float32)

    def around(self, middle, shape, spread=0.1):
        values = middle + spread * self.net.normal.draw(shape)
        return self.net.weight(self.name("weight"), values)

    # Parts.

    def activated(self, x, channels):
        kind = self.pick(*ACTIVATIONS)
        self.note(kind)
        if kind == "relu":
            return self.node("Relu", x)
        if kind == "relu6":
            return self.node("Clip", x, self.number(0), self.number(6))
        if kind == "silu":
            return self.node("Mul", x, self.node("Sigmoid", x))
        if kind == "hardswish":
            y = self.node("Add", x, self.number(3))
            y = self.node("Clip", y, self.number(0), self.number(6))
            return self.node("Mul", x, self.node("Div", y, self.number(6)))
        if kind == "leaky":
            return self.node("LeakyRelu", x, alpha=0.1)
        if kind == "prelu":
            return self.node("PRelu", x, self.around(0.2, (channels, 1, 1)))
        if kind == "gelu":
            return self.gelu(x)
        return self.node("Sigmoid", x) if kind == "sigmoid" else x

    def gelu(self, x):
        y = self.node("Erf", self.node("Div", x, self.number(2 ** 0.5)))
        y = self.node("Mul", x, self.node("Add", y, self.number(1)))
        return self.node("Mul", y, self.number(0.5))

    def conv(self, x, channels, filters, size, norm=None, acts=True, **more):
        """A convolution that keeps the pixels but for its stride, with a bias
        or a norm behind it."""
        norm = norm or self.pick("bias", "batch", "batch", "instance")
        dilation = more.pop("dilation", 1)
        self.note(f"conv{size}", *(f"{k}={v}" for k, v in more.items()), norm)
        if dilation > 1:
            self.note(f"dilation={dilation}")
        name, group = self.name("conv"), more.get("group", 1)
        fan_in = channels // group * size * size
        inputs = [x, self.around(0, (filters, channels // group, size, size),
                                 (2 / fan_in) ** 0.5)]
        if norm == "bias":
            inputs.append(self.around(0, (filters,)))
        y = self.net.node(
            "Conv", inputs, name, kernel_shape=[size] * 2, group=group,
            strides=[more.get("stride", 1)] * 2, dilations=[dilation] * 2,
            pads=[dilation * (size - 1) // 2] * 4)
        if norm == "batch":
            y = self.net.batch_norm(y, self.name("norm"), filters)
        elif norm == "instance":
            y = self.node("InstanceNormalization", y,
                          self.around(1, (filters,)),
                          self.around(0, (filters,)), epsilon=1e-5)
        return self.activated(y, filters) if acts else y

    def shuffle(self, x, groups):
        channels, size, spelling = self.channels, self.size, self.pick(0, 1, 2)
        self.note(f"shuffle{groups}/{spelling}")
        parts = [groups, channels // groups]
        shape, order = (
            ([1, *parts, size, size], [0, 2, 1, 3, 4]),
            ([1, *parts, size * size], [0, 2, 1, 3]),
            ([*parts, size * size], [1, 0, 2]))[spelling]
        x = self.node("Reshape", x, self.net.constant(shape))
        x = self.node("Transpose", x, perm=order)
        whole = [1, channels, size, size]
        return self.node("Reshape", x, self.net.constant(whole))

    def gate(self, x, channels):
        self.note("gate")
        fewer = max(4, channels // self.pick(4, 8))
        y = (self.node("GlobalAveragePool", x) if self.happens(0.5) else
             self.node("ReduceMean", x, axes=[2, 3], keepdims=1))
        y = self.node("Relu", self.conv(y, channels, fewer, 1, "bias", False))
        y = self.conv(y, fewer, channels, 1, "bias", False)
        y = (self.node("HardSigmoid", y, alpha=1 / 6, beta=0.5)
             if self.happens(0.3) else self.node("Sigmoid", y))
        return self.node("Mul", x, y)

    # Blocks: each makes self.x of self.x.

    def plain(self):
        c = self.channels
        filters, stride = self.pick(c, c + 8, 2 * c, c + 5), self.pick(1, 1, 2)
        self.x = self.conv(self.x, c, filters, self.pick(1, 3, 3, 5),
                           stride=stride)
        self.channels, self.size = filters, -(-self.size // stride)

    def dilated(self):
        self.x = self.conv(self.x, self.channels, self.channels, 3,
                           dilation=self.pick(2, 3, 4))

    def bottleneck(self):
        c, fewer = self.channels, max(8, self.channels // 2)
        y = self.conv(self.x, c, fewer, 1)
        y = self.conv(y, fewer, fewer, 3)
        self.add(self.conv(y, fewer, c, 1, acts=False))

    def grouped(self):
        c, group = self.channels, self.pick(4, 8, 16)
        inner = -(-c // group) * group
        y = self.conv(self.x, c, inner, 1)
        y = self.conv(y, inner, inner, 3, group=group)
        self.add(self.conv(y, inner, c, 1, acts=False))

    def add(self, y):
        self.x = self.node("Relu", self.node("Add", y, self.x))

    def inverted(self):
        c, size = self.channels, self.pick(3, 5)
        wide = c * self.pick(2, 4, 6)
        y = self.conv(self.x, c, wide, 1)
        y = self.conv(y, wide, wide, size, group=wide)
        if self.happens(0.6):
            y = self.gate(y, wide)
        self.x = self.node("Add", self.conv(y, wide, c, 1, acts=False), self.x)

    def shuffled(self):
        c = self.channels
        group = self.pick(*(g for g in (1, 2, 3, 4, 8) if c % g == 0))
        y = self.conv(self.x, c, c, 1, group=group)
        if group > 1:
            y = self.shuffle(y, group)
        y = self.conv(y, c, c, 3, acts=False, group=c)
        self.add(self.conv(y, c, c, 1, acts=False, group=group))

    def dense(self):
        c, growth = self.channels, self.pick(12, 16, 32)
        y = self.net.batch_norm(self.x, self.name("norm"), c)
        y = self.conv(self.node("Relu", y), c, 4 * growth, 1)
        y = self.conv(y, 4 * growth, growth, 3, "bias", False)
        self.x = self.node("Concat", self.x, y, axis=1)
        self.channels += growth

    def upsampled(self):
        c = self.channels
        if self.size <= 28 and self.happens(0.6):
            mode = self.pick("nearest", "linear")
            self.note(mode)
            self.x = self.node(
                "Resize", self.x, "", self.number([1, 1, 2, 2]), mode=mode,
                nearest_mode="floor", coordinate_transformation_mode=(
                    "asymmetric" if mode == "nearest" else "half_pixel"))
            self.size *= 2
            return
        y = self.conv(self.x, c, 4 * c, 1)
        y = self.node("DepthToSpace", y, blocksize=2,
                      mode=self.pick("DCR", "CRD"))
        self.x = self.conv(y, c, c, 3, stride=2)

    def channels_last(self):
        """Arithmetic between transpositions, as other frameworks' exports."""
        c = self.channels
        y = self.node("Transpose", self.x, perm=[0, 2, 3, 1])
        y = self.node("Mul", y, self.around(1, (c,)))
        y = self.node("Relu", self.node("Add", y, self.around(0, (c,))))
        y = self.node("Transpose", y, perm=[0, 3, 1, 2])
        self.x = self.conv(y, c, c, 3)

    def normalised_rows(self):
        """ConvNeXt's: a layer norm over channels and an MLP."""
        c = self.channels
        y = self.conv(self.x, c, c, 7, "bias", False, group=c)
        y = self.node("Transpose", y, perm=[0, 2, 3, 1])
        mean = self.node("ReduceMean", y, axes=[-1], keepdims=1)
        y = self.node("Sub", y, mean)
        square = self.node("Pow", y, self.number(2))
        square = self.node("ReduceMean", square, axes=[-1], keepdims=1)
        root = self.node("Sqrt", self.node("Add", square, self.number(1e-6)))
        y = self.node("Mul", self.node("Div", y, root), self.around(1, (c,)))
        for wide, narrow in ((c, 4 * c), (4 * c, c)):
            weight = self.around(0, (wide, narrow), wide ** -0.5)
            y = self.node("Add", self.node("MatMul", y, weight),
                          self.around(0, (narrow,)))
            y = self.gelu(y) if narrow > wide else y
        y = self.node("Transpose", y, perm=[0, 3, 1, 2])
        self.x = self.node("Add", self.x, y)

    def split(self):
        left = self.channels // 2
        right = self.channels - left
        sizes = self.net.constant([left, right])
        first, y = self.net.many("Split", [self.x, sizes], self.name("split"),
                                 2, axis=1)
        y = self.conv(self.conv(y, right, right, 3), right, right, 1)
        self.x = self.node("Concat", first, y, axis=1)
        if self.channels % 2 == 0 and self.happens(0.6):
            self.x = self.shuffle(self.x, 2)

    def factored(self):
        c = self.channels
        for rows, columns in ((1, 7), (7, 1)):
            weight = self.around(0, (c, c, rows, columns), (2 / 7 / c) ** 0.5)
            self.x = self.node("Conv", self.x, weight,
                               kernel_shape=[rows, columns],
                               pads=[rows // 2, columns // 2] * 2)
        self.x = self.activated(
            self.net.batch_norm(self.x, self.name("norm"), c), c)

    def pooled(self):
        kind = self.pick("MaxPool", "AveragePool")
        stride = 2 if self.size > 14 else 1
        self.note(kind)
        self.x = self.node(kind, self.x, kernel_shape=[3, 3], pads=[1] * 4,
                           strides=[stride] * 2)
        self.size = -(-self.size // stride)


BLOCKS = (Sampler.plain, Sampler.plain, Sampler.dilated, Sampler.bottleneck,
          Sampler.grouped, Sampler.inverted, Sampler.shuffled, Sampler.shuffled,
          Sampler.dense, Sampler.upsampled, Sampler.channels_last,
          Sampler.normalised_rows, Sampler.split, Sampler.factored,
          Sampler.pooled)


def build(net, seed):
    """Draws a net; gives the words for what it has."""
    sampler = Sampler(net, seed)
    for _ in range(sampler.pick(2, 3)):
        block = sampler.pick(*BLOCKS)
        sampler.note(f"| {block.__name__}:")
        block(sampler)
    if sampler.happens(0.5):
        sampler.x = sampler.node("GlobalAveragePool", sampler.x)
        sampler.size = 1
    net.node("Identity", [sampler.x], "result", output="y")
    net.output("y", [1, sampler.channels, sampler.size, sampler.size])
    return " ".join(sampler.words)
