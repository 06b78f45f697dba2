# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A small int8 ResNet in the two forms of ONNX Runtime's quantiser: QDQ (float
nodes between DequantizeLinear and QuantizeLinear) and QOperator."""
import math

import numpy
from onnx import TensorProto

SIDE, WIDTH, CLASSES = 20, 16, 10
MICROSOFT = "com.microsoft"

# What calibration would have found: (scale, zero point) of each tensor. A
# zero point of 0 makes the saturation a ReLU.
RANGES = {"x": (8 / 255, 128), "stem": (6 / 255, 0), "conv1": (6 / 255, 0),
          "conv2": (12 / 255, 128), "add": (8 / 255, 0), "pool": (3 / 255, 0),
          "logits": (20 / 255, 128)}


class Quantised:
    """Both forms of one graph; `Qdq` and `QOperator` say what a node is."""

    def __init__(self, net):
        self.net = net
        self.scales = {}
        self.readings = {}

    def calibrated(self, name):
        return RANGES[name]

    def range_of(self, name):
        """Names of a tensor's scale and zero point."""
        scale, zero = self.calibrated(name)
        if name not in self.scales:
            self.net.buffer(name + ".scale", numpy.float32(scale))
            self.net.buffer(name + ".zero", numpy.uint8(zero))
            self.scales[name] = [name + ".scale", name + ".zero"]
        return self.scales[name]

    def weight(self, name, shape, gain, input_name):
        """int8 by output channel, and an int32 bias: two lists of a tensor's
        name and those of its scale and zero point."""
        net, fan_in = self.net, int(numpy.prod(shape[1:]))
        values = net.normal.draw(shape) * math.sqrt(gain / fan_in)
        channels = tuple(range(1, len(shape)))
        largest = abs(values).max(axis=channels, keepdims=True)
        scale = (largest / 127).astype(numpy.float32)
        rounded = numpy.rint(values / scale).clip(-127, 127)
        scale = scale.reshape(-1)
        bias_scale = scale * numpy.float32(self.calibrated(input_name)[0])
        bias = numpy.rint(net.normal.draw(shape[:1]) * 0.3 / bias_scale)
        none = numpy.zeros(shape[0])
        weights = [net.weight(name + ".weight", rounded, numpy.int8),
                   net.buffer(name + ".weight_scale", scale),
                   net.buffer(name + ".weight_zero", none.astype(numpy.int8))]
        biases = [net.weight(name + ".bias", bias, numpy.int32)]
        if self.has_bias_scales:
            biases += [net.buffer(name + ".bias_scale", bias_scale),
                       net.buffer(name + ".bias_zero",
                                  none.astype(numpy.int32))]
        return weights, biases

    def build(self):
        net = self.net
        net.image((1, 3, SIDE, SIDE))
        x = net.node("QuantizeLinear", ["x", *self.range_of("x")],
                     "x.quantize")
        x = self.conv(x, "x", "stem", (WIDTH, 3, 3, 3), relu=True, stride=2)
        x = self.max_pool(x)
        y = self.conv(x, "stem", "conv1", (2 * WIDTH, WIDTH, 3, 3), relu=True)
        y = self.conv(y, "conv1", "conv2", (WIDTH, 2 * WIDTH, 1, 1))
        x = self.add(y, "conv2", x, "stem")
        x = self.average_pool(x)
        self.classifier(x)
        net.output("logits", [1, CLASSES], TensorProto.UINT8)


class Qdq(Quantised):
    has_bias_scales = True

    def read(self, x, source):
        """The numbers again, by one node however many nodes read them."""
        if x not in self.readings:
            self.readings[x] = self.net.node(
                "DequantizeLinear", [x, *self.range_of(source)], x + ".read")
        return self.readings[x]

    def write(self, x, name, output=None):
        return self.net.node("QuantizeLinear", [x, *self.range_of(name)],
                             name + ".quantize", output=output)

    def read_weights(self, name, shape, gain, source):
        return [self.net.node("DequantizeLinear", parts, parts[0] + ".read",
                              axis=0)
                for parts in self.weight(name, shape, gain, source)]

    def conv(self, x, source, name, shape, relu=False, stride=1):
        size = shape[2]
        weights = self.read_weights(name, shape, 2.0 if relu else 1.0, source)
        y = self.net.node("Conv", [self.read(x, source), *weights], name,
                          kernel_shape=[size, size], strides=[stride, stride],
                          pads=[size // 2] * 4)
        return self.write(self.net.relu(y, name + ".relu") if relu else y,
                          name)

    def max_pool(self, x):
        y = self.net.max_pool(self.read(x, "stem"), "max_pool", pad=1)
        return self.net.node("QuantizeLinear", [y, *self.range_of("stem")],
                             "max_pool.quantize")

    def add(self, a, a_source, b, b_source):
        y = self.net.node("Add", [self.read(a, a_source),
                                  self.net.node("DequantizeLinear",
                                                [b, *self.range_of(b_source)],
                                                "add.skip")], "add")
        return self.write(self.net.relu(y, "add.relu"), "add")

    def average_pool(self, x):
        y = self.net.node("GlobalAveragePool", [self.read(x, "add")], "pool")
        return self.write(y, "pool")

    def classifier(self, x, channels=WIDTH, classes=CLASSES):
        weights = self.read_weights("fc", (classes, channels), 1.0, "pool")
        x = self.net.node("Flatten", [self.read(x, "pool")], "flatten", axis=1)
        y = self.net.node("Gemm", [x, *weights], "fc", transB=1)
        self.write(y, "logits", output="logits")


class QOperator(Quantised):
    has_bias_scales = False

    def conv(self, x, source, name, shape, relu=False, stride=1):
        size = shape[2]
        weights, bias = self.weight(name, shape, 2.0 if relu else 1.0, source)
        return self.net.node(
            "QLinearConv", [x, *self.range_of(source), *weights,
                            *self.range_of(name), *bias], name,
            kernel_shape=[size, size], strides=[stride, stride],
            pads=[size // 2] * 4)

    def max_pool(self, x):
        return self.net.max_pool(x, "max_pool", pad=1)

    def add(self, a, a_source, b, b_source):
        return self.net.node(
            "QLinearAdd", [a, *self.range_of(a_source), b,
                           *self.range_of(b_source), *self.range_of("add")],
            "add", domain=MICROSOFT)

    def average_pool(self, x):
        return self.net.node(
            "QLinearGlobalAveragePool", [x, *self.range_of("add"),
                                         *self.range_of("pool")], "pool",
            domain=MICROSOFT, channels_last=0)

    def classifier(self, x):
        weights, bias = self.weight("fc", (CLASSES, WIDTH), 1.0, "pool")
        x = self.net.node("Flatten", [x], "flatten", axis=1)
        self.net.node("QGemm", [x, *self.range_of("pool"), *weights, *bias,
                                *self.range_of("logits")], "fc",
                      output="logits", domain=MICROSOFT, transB=1)


class QdqResNet(Qdq):
    """ResNet-50 with its batch norms folded, as a quantiser leaves it."""

    def calibrated(self, name):
        """Unit variance goes in and each layer keeps it: 6 deviations to
        either side, or from 0 on behind a ReLU."""
        signed = name == "x" or name.endswith((".conv3", ".project", "logits"))
        return (12 / 255, 128) if signed else (6 / 255, 0)

    def bottleneck(self, x, source, name, channels, width, stride, project):
        y = self.conv(x, source, name + ".conv1", (width, channels, 1, 1),
                      relu=True)
        y = self.conv(y, name + ".conv1", name + ".conv2",
                      (width, width, 3, 3), relu=True, stride=stride)
        y = self.conv(y, name + ".conv2", name + ".conv3",
                      (4 * width, width, 1, 1))
        if project:
            shape = (4 * width, channels, 1, 1)
            x = self.conv(x, source, name + ".project", shape, stride=stride)
            source = name + ".project"
        y = self.net.node("Add", [self.read(y, name + ".conv3"),
                                  self.read(x, source)], name + ".add")
        return self.write(self.net.relu(y, name + ".relu"), name + ".add")

    def build(self):
        net = self.net
        net.image((1, 3, 224, 224))
        x = net.node("QuantizeLinear", ["x", *self.range_of("x")],
                     "x.quantize")
        x = self.conv(x, "x", "stem", (64, 3, 7, 7), relu=True, stride=2)
        x, source, channels = self.max_pool(x), "stem", 64
        for stage, blocks in enumerate([3, 4, 6, 3]):
            width = 64 << stage
            for block in range(blocks):
                name = f"stage{stage + 1}.{block}"
                stride = 2 if stage > 0 and block == 0 else 1
                x = self.bottleneck(x, source, name, channels, width, stride,
                                    project=block == 0)
                source, channels = name + ".add", 4 * width
        x = net.node("GlobalAveragePool", [self.read(x, source)], "pool")
        self.classifier(self.write(x, "pool"), channels, 1000)
        net.output("logits", [1, 1000], TensorProto.UINT8)


def build_resnet(net):
    QdqResNet(net).build()


def build_qdq(net):
    Qdq(net).build()


def build_qoperator(net):
    net.domains.append((MICROSOFT, 1))
    QOperator(net).build()
