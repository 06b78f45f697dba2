# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A small detector of the YOLO family: gated convolutions, split and joined
stages, pooled pyramids, nearest-neighbour Resize, and boxes decoded from
distributions (Softmax over bins) on a grid."""
import numpy

from nets.exporter import Exporter

CLASSES, BINS, SIDE = 3, 4, 64


class Yolo:
    def __init__(self, net):
        self.net = net
        self.export = Exporter(net)

    def conv(self, x, name, channels, filters, size=3, stride=1):
        """Convolution and SiLU."""
        x = self.net.conv(x, name, channels, filters, size, stride=stride,
                          pad=size // 2, gain=2.2)
        gate = self.net.node("Sigmoid", [x], name + ".sigmoid")
        return self.net.node("Mul", [x, gate], name + ".silu")

    def stage(self, x, name, channels, width):
        """Half of the channels go through a residual block; all are joined."""
        net = self.net
        x = self.conv(x, name + ".in", channels, width, 1)
        half = width // 2
        a, b = net.many("Split", [x, net.constant([half, half])],
                        name + ".split", 2, axis=1)
        y = self.conv(b, name + ".conv1", half, half)
        y = self.conv(y, name + ".conv2", half, half)
        y = net.node("Add", [b, y], name + ".add")
        x = net.node("Concat", [a, b, y], name + ".concat", axis=1)
        return self.conv(x, name + ".out", 3 * half, width, 1)

    def pyramid(self, x, name, width):
        net = self.net
        x = self.conv(x, name + ".in", width, width // 2, 1)
        parts = [x]
        for level in range(3):
            parts.append(net.node("MaxPool", [parts[-1]],
                                  f"{name}.pool{level}", kernel_shape=[5, 5],
                                  strides=[1, 1], pads=[2, 2, 2, 2],
                                  ceil_mode=0))
        x = net.node("Concat", parts, name + ".concat", axis=1)
        return self.conv(x, name + ".out", 2 * width, width, 1)

    def double(self, x, name):
        scales = self.net.buffer(name + ".scales", numpy.array(
            [1, 1, 2, 2], numpy.float32))
        return self.net.node("Resize", [x, "", scales], name, mode="nearest",
                             coordinate_transformation_mode="asymmetric",
                             nearest_mode="floor")

    def head(self, x, name, channels):
        """[1, 4 bins + classes, h w] of one level."""
        net = self.net
        box = net.conv(self.conv(x, name + ".box", channels, 16),
                       name + ".bins", 16, 4 * BINS, 1, gain=1.0)
        kind = net.conv(self.conv(x, name + ".kind", channels, 16),
                        name + ".classes", 16, CLASSES, 1, gain=1.0)
        y = net.node("Concat", [box, kind], name + ".concat", axis=1)
        return net.node("Reshape", [y, net.constant(
            [1, 4 * BINS + CLASSES, -1])], name + ".flat")

    def decoded(self, x, grids):
        """Boxes and scores from all levels' outputs."""
        net = self.net
        boxes, kinds = net.many("Split", [x, net.constant(
            [4 * BINS, CLASSES])], "decode.split", 2, axis=1)
        bins = net.node("Reshape", [boxes, net.constant([1, 4, BINS, -1])],
                        "decode.bins")
        bins = net.node("Transpose", [bins], "decode.turned",
                        perm=[0, 2, 1, 3])
        bins = net.node("Softmax", [bins], "decode.softmax", axis=1)
        steps = net.weight("decode.steps", numpy.arange(BINS).reshape(
            1, BINS, 1, 1))
        distance = net.node("Conv", [bins, steps], "decode.expected",
                            kernel_shape=[1, 1])
        distance = net.node("Reshape", [distance, net.constant([1, 4, -1])],
                            "decode.distance")
        low = self.export.slice(distance, 0, 2, "decode.low", axis=1)
        high = self.export.slice(distance, 2, 4, "decode.high", axis=1)
        centres, strides = grids
        low = net.node("Sub", [centres, low], "decode.start")
        high = net.node("Add", [centres, high], "decode.end")
        middle = net.node("Div", [net.node("Add", [low, high], "decode.sum"),
                                  net.constant(2.0, "float32")],
                          "decode.middle")
        size = net.node("Sub", [high, low], "decode.size")
        boxes = net.node("Concat", [middle, size], "decode.boxes", axis=1)
        boxes = net.node("Mul", [boxes, strides], "decode.scaled")
        scores = net.node("Sigmoid", [kinds], "decode.scores")
        return net.node("Concat", [boxes, scores], "decode", output="output0",
                        axis=1)

    def grids(self, strides):
        centres, factors = [], []
        for stride in strides:
            count = SIDE // stride
            y, x = numpy.mgrid[:count, :count] + 0.5
            centres.append(numpy.stack([x.ravel(), y.ravel()]))
            factors.append(numpy.full((1, count * count), stride))
        return [self.net.buffer(name, numpy.concatenate(parts, axis=1)[None]
                                .astype(numpy.float32))
                for name, parts in (("centres", centres),
                                    ("strides", factors))]


def build(net):
    yolo = Yolo(net)
    x = net.image((1, 3, SIDE, SIDE))
    x = yolo.conv(x, "stem", 3, 8, stride=2)
    x = yolo.stage(yolo.conv(x, "down1", 8, 16, stride=2), "stage1", 16, 16)
    x = yolo.stage(yolo.conv(x, "down2", 16, 32, stride=2), "stage2", 32, 32)
    fine = x
    x = yolo.stage(yolo.conv(x, "down3", 32, 48, stride=2), "stage3", 48, 48)
    coarse = yolo.pyramid(x, "pyramid", 48)
    x = net.node("Concat", [yolo.double(coarse, "double"), fine],
                 "joined", axis=1)
    fine = yolo.stage(x, "fine", 80, 32)
    levels = [yolo.head(fine, "head8", 32), yolo.head(coarse, "head16", 48)]
    x = net.node("Concat", levels, "levels", axis=2)
    yolo.decoded(x, yolo.grids([8, 16]))
    net.output("output0", [1, 4 + CLASSES, 64 + 16])
