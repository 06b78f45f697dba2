# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two bidirectional layers of LSTM or GRU as PyTorch exports them: one node a
layer, its directions folded into the features by Transpose and Reshape."""
import math

import numpy

from nets.exporter import Exporter

INPUT, HIDDEN, LAYERS, CLASSES = 10, 24, 2, 7
SEQUENCE, BATCH = 9, 3
GATES = {"LSTM": 4, "GRU": 3}


class Recurrent:
    def __init__(self, net, op):
        self.net = net
        self.export = Exporter(net)
        self.op = op

    def weights(self, name, fan_in):
        net, rows = self.net, GATES[self.op] * HIDDEN
        return [net.weight(name + ".W", net.normal.draw((2, rows, fan_in)) *
                           math.sqrt(1 / fan_in)),
                net.weight(name + ".R", net.normal.draw((2, rows, HIDDEN)) *
                           math.sqrt(1 / HIDDEN)),
                net.weight(name + ".B",
                           net.normal.draw((2, 2 * rows)) * 0.1)]

    def layer(self, x, layer, fan_in):
        """The layer's output and its last states."""
        net, export, name = self.net, self.export, f"layer{layer}"
        states = [export.slice(state, 2 * layer, 2 * layer + 2,
                               f"{name}.{state}")
                  for state in ("h0", "c0")[:2 if self.op == "LSTM" else 1]]
        more = {"linear_before_reset": 1} if self.op == "GRU" else {}
        y, *last = net.many(self.op,
                            [x, *self.weights(name, fan_in), "", *states],
                            name, 1 + len(states), direction="bidirectional",
                            hidden_size=HIDDEN, **more)
        y = net.node("Transpose", [y], name + ".side", perm=[0, 2, 1, 3])
        y = net.node("Reshape", [y, net.constant([0, 0, -1])], name + ".flat")
        return y, last

    def build(self):
        net, sample, count = self.net, self.net.sample, 2 * LAYERS
        draw = lambda *shape: sample.draw(shape).astype(numpy.float32)
        net.input("x", draw(SEQUENCE, BATCH, INPUT),
                  ["sequence", "batch", INPUT])
        names = ["h0", "c0"][:2 if self.op == "LSTM" else 1]
        for state in names:
            net.input(state, draw(count, BATCH, HIDDEN),
                      [count, "batch", HIDDEN])
        x, fan_in, lasts = "x", INPUT, []
        for layer in range(LAYERS):
            x, last = self.layer(x, layer, fan_in)
            lasts.append(last)
            fan_in = 2 * HIDDEN
        x = self.export.linear(x, "head", fan_in, CLASSES)
        net.node("Identity", [x], "identity", output="logits")
        net.output("logits", ["sequence", "batch", CLASSES])
        for state, parts in zip(("hn", "cn"), zip(*lasts)):
            net.node("Concat", list(parts), state, output=state, axis=0)
            net.output(state, [count, "batch", HIDDEN])


def build_lstm(net):
    Recurrent(net, "LSTM").build()


def build_gru(net):
    Recurrent(net, "GRU").build()
