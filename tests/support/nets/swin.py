# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A Swin transformer's block with shifted windows at opset 17: the image rolled
by Slice and Concat, cut into windows by reshapes of rank 6, a table of relative
positions gathered by constant indices, and a mask for what was rolled round."""
import numpy

from nets.exporter import Exporter

HIDDEN, HEADS, WINDOW, SIDE, SHIFT, PATCH, CLASSES = 32, 2, 4, 8, 2, 4, 10
WIDTH, CELLS = HIDDEN // HEADS, WINDOW * WINDOW
BATCH, END = 2, 2 ** 63 - 1


def relative_index():
    """Of each pair of cells of a window, the row of their offset."""
    cells = numpy.stack(numpy.mgrid[:WINDOW, :WINDOW]).reshape(2, -1)
    offset = cells[:, :, None] - cells[:, None, :] + WINDOW - 1
    return offset[0] * (2 * WINDOW - 1) + offset[1]


def shift_mask():
    """-100 between cells that only the roll made neighbours."""
    zone = numpy.digitize(numpy.arange(SIDE), [SIDE - WINDOW, SIDE - SHIFT])
    zones = zone[:, None] * 3 + zone[None, :]
    count = SIDE // WINDOW
    zones = zones.reshape(count, WINDOW, count, WINDOW).transpose(
        0, 2, 1, 3).reshape(-1, CELLS)
    differs = zones[:, None, :] != zones[:, :, None]
    return numpy.where(differs, -100, 0).astype(numpy.float32)


class Swin:
    def __init__(self, net):
        self.net = net
        self.export = Exporter(net)

    def roll(self, x, shift, name):
        """x rolled on both sides; a negative shift moves to the front."""
        for axis in (1, 2):
            here = f"{name}.axis{axis}"
            head = self.export.slice(x, -shift, END, here + ".head", axis)
            tail = self.export.slice(x, 0, -shift, here + ".tail", axis)
            x = self.net.node("Concat", [head, tail], here, axis=axis)
        return x

    def constant_reshape(self, x, shape, name):
        return self.net.node("Reshape", [x, self.net.constant(shape)], name)

    def regrouped(self, x, cut, shape, name):
        """x cut into four sizes, of which the inner two change places."""
        x = self.constant_reshape(x, [-1, *cut, HIDDEN], name + ".cut")
        x = self.net.node("Transpose", [x], name + ".turned",
                          perm=[0, 1, 3, 2, 4, 5])
        return self.constant_reshape(x, [-1, *shape, HIDDEN], name)

    def windows(self, x, name):
        count = SIDE // WINDOW
        return self.regrouped(x, [count, WINDOW, count, WINDOW], [CELLS], name)

    def whole(self, x, name):
        count = SIDE // WINDOW
        return self.regrouped(x, [count, count, WINDOW, WINDOW], [SIDE, SIDE],
                              name)

    def biased(self, scores, name, mask):
        """The scores and the table's entry of each pair of cells."""
        net, export = self.net, self.export
        rows = (2 * WINDOW - 1) ** 2
        table = net.weight(name + ".table", net.normal.draw((rows, HEADS)))
        index = net.buffer(name + ".index", relative_index().reshape(-1))
        bias = net.node("Gather", [table, index], name + ".gather")
        bias = self.constant_reshape(bias, [CELLS, CELLS, HEADS],
                                     name + ".square")
        bias = net.node("Transpose", [bias], name + ".heads", perm=[2, 0, 1])
        bias = export.unsqueeze(bias, [0], name + ".row")
        scores = net.node("Add", [scores, bias], name + ".biased")
        if mask is None:
            return scores
        count = (SIDE // WINDOW) ** 2
        scores = self.constant_reshape(
            scores, [-1, count, HEADS, CELLS, CELLS], name + ".by_window")
        mask = net.buffer(name + ".mask", mask[:, None])
        scores = net.node("Add", [scores, mask], name + ".masked")
        return self.constant_reshape(scores, [-1, HEADS, CELLS, CELLS],
                                     name + ".by_head")

    def attention(self, x, name, mask):
        net, export = self.net, self.export
        qkv = export.linear(x, name + ".qkv", HIDDEN, 3 * HIDDEN)
        qkv = self.constant_reshape(qkv, [-1, CELLS, 3, HEADS, WIDTH],
                                    name + ".parts")
        qkv = net.node("Transpose", [qkv], name + ".turned",
                       perm=[2, 0, 3, 1, 4])
        query, key, value = (net.node("Gather", [qkv, net.constant(i)],
                                      f"{name}.part{i}", axis=0)
                             for i in range(3))
        query = net.node("Mul", [query, net.constant(WIDTH ** -0.5,
                                                     "float32")],
                         name + ".scaled")
        key = net.node("Transpose", [key], name + ".key", perm=[0, 1, 3, 2])
        scores = net.node("MatMul", [query, key], name + ".scores")
        scores = self.biased(scores, name + ".position", mask)
        y = export.context(scores, value, name)
        y = self.constant_reshape(y, [-1, CELLS, HIDDEN], name + ".merged")
        return export.linear(y, name + ".project", HIDDEN, HIDDEN)

    def block(self, x, name, shift):
        net, export = self.net, self.export
        y = export.layer_norm(x, name + ".norm1", HIDDEN)
        if shift:
            y = self.roll(y, -shift, name + ".rolled")
        y = self.windows(y, name + ".windows")
        y = self.attention(y, name + ".attention",
                           shift_mask() if shift else None)
        y = self.whole(y, name + ".whole")
        if shift:
            y = self.roll(y, shift, name + ".back")
        x = net.node("Add", [x, y], name + ".residual1")
        return export.feed_forward(x, name, HIDDEN, 2 * HIDDEN,
                                   export.gelu_erf)

    def merged(self, x, name):
        """Every second row and column joined, then narrowed."""
        net = self.net
        parts = []
        for row in range(2):
            for column in range(2):
                part = net.node("Slice", [
                    x, net.constant([row, column]), net.constant([END, END]),
                    net.constant([1, 2]), net.constant([2, 2])],
                    f"{name}.part{row}{column}")
                parts.append(part)
        x = net.node("Concat", parts, name + ".concat", axis=-1)
        x = self.export.layer_norm(x, name + ".norm", 4 * HIDDEN)
        return self.export.linear(x, name, 4 * HIDDEN, 2 * HIDDEN)


def build(net):
    swin, pixels = Swin(net), SIDE * PATCH
    image = net.sample.draw((BATCH, 3, pixels, pixels)).astype(numpy.float32)
    net.input("x", image, ["batch", 3, pixels, pixels])
    x = net.conv("x", "patches", 3, HIDDEN, PATCH, stride=PATCH, gain=1.0)
    x = net.node("Transpose", [x], "patches.last", perm=[0, 2, 3, 1])
    for block, shift in enumerate([0, SHIFT]):
        x = swin.block(x, f"block{block}", shift)
    x = swin.merged(x, "merge")
    x = net.node("ReduceMean", [x], "mean", axes=[1, 2], keepdims=0)
    net.classifier(x, 2 * HIDDEN, CLASSES)
    net.output("logits", ["batch", CLASSES])
