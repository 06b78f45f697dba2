# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A Llama decoder as it is exported for generation at opset 18: rotary
positions from a table of frequencies, fewer heads of keys than of queries, RMS
normalisation and gates node by node, a mask made by Trilu and ScatterND."""
import math

import numpy
from onnx import numpy_helper

from nets.exporter import LOWEST, Exporter

HIDDEN, HEADS, KEY_HEADS, VOCABULARY, LAYERS = 48, 4, 2, 61, 2
WIDTH, INNER = HIDDEN // HEADS, 80
BATCH, PAST, SEQUENCE = 2, 4, 3
END = 2 ** 63 - 1


class Llama:
    def __init__(self, net):
        self.net = net
        self.export = Exporter(net)

    def matmul(self, x, name, fan_in, fan_out):
        weight = self.net.normal.draw((fan_in, fan_out)) / math.sqrt(fan_in)
        return self.net.node("MatMul", [x, self.net.weight(name + ".weight",
                                                           weight)], name)

    def rms_norm(self, x, name):
        net = self.net
        y = net.node("Pow", [x, net.constant(2.0, "float32")], name + ".pow")
        y = net.node("ReduceMean", [y, net.constant([-1])], name + ".mean")
        y = net.node("Add", [y, net.constant(1e-6, "float32")], name + ".add")
        y = net.node("Sqrt", [y], name + ".sqrt")
        y = net.node("Div", [net.constant(1.0, "float32"), y], name + ".div")
        y = net.node("Mul", [x, y], name + ".mul")
        scale = 1 + 0.1 * net.normal.draw((HIDDEN,))
        return net.node("Mul", [net.weight(name + ".weight", scale), y], name)

    def rotation(self, positions):
        """cos and sin of positions times frequencies: [batch, 1, s, width]."""
        net, export = self.net, self.export
        steps = numpy.arange(0, WIDTH, 2) / WIDTH
        table = net.weight("frequencies", (1 / 10000 ** steps)[None, :, None])
        batch = export.size(positions, 0, "rotation.batch")
        shape = export.joined([batch, -1, 1], "rotation.shape")
        ones = net.node("ConstantOfShape", [net.constant([3])],
                        "rotation.ones", value=numpy_helper.from_array(
                            numpy.array([1], numpy.int64), "value"))
        equal = net.node("Equal", [shape, net.constant([-1, -1, -1])],
                         "rotation.equal")
        shape = net.node("Where", [equal, ones, shape], "rotation.where")
        table = net.node("Expand", [table, shape], "rotation.expand")
        row = export.unsqueeze(positions, [1], "rotation.row")
        row = net.node("Cast", [row], "rotation.cast", to=1)
        angles = net.node("MatMul", [table, row], "rotation.angles")
        angles = net.node("Transpose", [angles], "rotation.turned",
                          perm=[0, 2, 1])
        angles = net.node("Concat", [angles, angles], "rotation.twice",
                          axis=-1)
        return [export.unsqueeze(net.node(op, [angles], f"rotation.{op}"), [1],
                                 f"rotation.{op}.heads")
                for op in ("Cos", "Sin")]

    def rotated(self, x, rotation, name):
        """x cos + (-second half, first half) sin; the half from the shape."""
        net, export = self.net, self.export
        cos, sin = rotation
        half = net.node("Div", [export.size(x, 3, name), net.constant(2)],
                        name + ".half")
        half = export.unsqueeze(half, [0], name + ".middle")
        first = export.slice(x, 0, half, name + ".first", axis=3)
        second = export.slice(x, half, END, name + ".second", axis=3)
        second = net.node("Neg", [second], name + ".neg")
        turned = net.node("Concat", [second, first], name + ".concat",
                          axis=-1)
        return net.node("Add", [net.node("Mul", [x, cos], name + ".cos"),
                                net.node("Mul", [turned, sin], name + ".sin")],
                        name + ".rotated")

    def heads(self, x, name, count):
        net, export = self.net, self.export
        shape = [export.size(x, 0, name + ".b"), export.size(x, 1, name + ".s"),
                 count, WIDTH]
        x = export.reshape(x, shape, name)
        return net.node("Transpose", [x], name + ".heads", perm=[0, 2, 1, 3])

    def repeated(self, x, name):
        """Each head of keys as often as queries need it: Expand, Reshape."""
        net, export = self.net, self.export
        batch = export.size(x, 0, name + ".b")
        length = export.size(x, 2, name + ".s")
        x = export.unsqueeze(x, [2], name + ".group")
        shape = export.joined([batch, KEY_HEADS, HEADS // KEY_HEADS, length,
                               WIDTH], name + ".shape")
        x = net.node("Expand", [x, shape], name + ".expand")
        return export.reshape(x, [batch, HEADS, length, WIDTH],
                              name + ".repeated")

    def attention(self, x, rotation, mask, layer):
        net, export, name = self.net, self.export, f"layer{layer}.attention"
        query = self.heads(self.matmul(x, name + ".query", HIDDEN, HIDDEN),
                           name + ".query", HEADS)
        key, value = (self.heads(
            self.matmul(x, f"{name}.{kind}", HIDDEN, KEY_HEADS * WIDTH),
            f"{name}.{kind}", KEY_HEADS) for kind in ("key", "value"))
        query = self.rotated(query, rotation, name + ".rotary_query")
        key = self.rotated(key, rotation, name + ".rotary_key")
        key, value = (net.node("Concat", [f"past.{layer}.{kind}", new],
                               f"{name}.{kind}s", axis=-2,
                               output=f"present.{layer}.{kind}")
                      for kind, new in (("key", key), ("value", value)))
        key = self.repeated(key, name + ".all_keys")
        value = self.repeated(value, name + ".all_values")
        turned = net.node("Transpose", [key], name + ".turned",
                          perm=[0, 1, 3, 2])
        scores = net.node("MatMul", [query, turned], name + ".scores")
        scores = net.node("Mul", [scores, net.constant(
            WIDTH ** -0.5, "float32")], name + ".scaled")
        scores = net.node("Add", [scores, mask], name + ".masked")
        y = export.context(scores, value, name)
        y = export.merged_heads(y, -1, name)
        return self.matmul(y, name + ".output", HIDDEN, HIDDEN)

    def layer(self, x, rotation, mask, layer):
        net, name = self.net, f"layer{layer}"
        y = self.attention(self.rms_norm(x, name + ".norm1"), rotation, mask,
                           layer)
        x = net.node("Add", [x, y], name + ".residual1")
        y = self.rms_norm(x, name + ".norm2")
        gate = self.matmul(y, name + ".gate", HIDDEN, INNER)
        gate = net.node("Mul", [gate, net.node("Sigmoid", [gate],
                                               name + ".sigmoid")],
                        name + ".silu")
        up = self.matmul(y, name + ".up", HIDDEN, INNER)
        y = net.node("Mul", [gate, up], name + ".gated")
        y = self.matmul(y, name + ".down", INNER, HIDDEN)
        return net.node("Add", [x, y], name + ".residual2")

    def mask(self, length, total):
        """The triangle, and what is padded written into it by ScatterND."""
        net, export = self.net, self.export
        shape = export.joined([length, total], "mask.shape")
        full = net.node("ConstantOfShape", [shape], "mask.full",
                        value=numpy_helper.from_array(
                            numpy.array([LOWEST], numpy.float32), "value"))
        before = net.node("Sub", [total, length], "mask.before")
        triangle = net.node("Trilu", [full, net.node(
            "Add", [before, net.constant(1)], "mask.diagonal")], "mask.upper",
                            upper=1)
        triangle = export.unsqueeze(triangle, [0, 1], "mask.rank4")
        sizes = export.joined([export.size("input_ids", 0, "mask.b"), 1, 1, 1],
                              "mask.expanded_shape")
        triangle = net.node("Expand", [triangle, sizes], "mask.expanded")
        padding = export.unsqueeze("attention_mask", [1, 2], "mask.padding")
        padding = net.node("Cast", [padding], "mask.cast", to=1)
        free = net.node("Equal", [triangle, net.constant(0.0, "float32")],
                        "mask.free")
        padded = net.node("Equal", [padding, net.constant(0.0, "float32")],
                          "mask.padded")
        hidden = net.node("And", [free, padded], "mask.hidden")
        filled = net.node("Where", [hidden, net.constant(LOWEST, "float32"),
                                    triangle], "mask.filled")
        return self.assigned(triangle, filled, total)

    def assigned(self, mask, update, total):
        """mask[:, :, :, :total] = update, as the exporter writes it."""
        net, export = self.net, self.export
        ranges = [net.node("Range", [net.constant(0), end, net.constant(1)],
                           f"mask.range{dim}") for dim, end in enumerate(
                               [export.size(mask, dim, f"mask.size{dim}")
                                for dim in range(3)] + [total])]
        columns = []
        for dim, values in enumerate(ranges):
            shape = [1] * 4
            shape[dim] = -1
            column = net.node("Reshape", [values, net.constant(shape)],
                              f"mask.column{dim}")
            grid = net.node("Shape", [update], f"mask.grid{dim}")
            column = net.node("Expand", [column, grid], f"mask.spread{dim}")
            columns.append(export.unsqueeze(column, [-1], f"mask.last{dim}"))
        indices = net.node("Concat", columns, "mask.indices", axis=-1)
        return net.node("ScatterND", [mask, indices, update], "mask.assigned")


def inputs(net):
    sample = net.sample
    net.input("input_ids", sample.integers((BATCH, SEQUENCE), VOCABULARY),
              ["batch", "sequence"])
    mask = numpy.ones((BATCH, PAST + SEQUENCE), numpy.int64)
    mask[0, :2] = 0  # padded on the left
    net.input("attention_mask", mask, ["batch", "past + sequence"])
    positions = numpy.maximum(mask.cumsum(axis=1) - 1, 0)[:, PAST:]
    net.input("position_ids", positions, ["batch", "sequence"])
    past = (BATCH, KEY_HEADS, PAST, WIDTH)
    for layer in range(LAYERS):
        for kind in ("key", "value"):
            net.input(f"past.{layer}.{kind}",
                      sample.draw(past).astype(numpy.float32),
                      ["batch", KEY_HEADS, "past", WIDTH])


def build(net):
    llama = Llama(net)
    inputs(net)
    words = net.weight("embedding", net.normal.draw((VOCABULARY, HIDDEN)))
    x = net.node("Gather", [words, "input_ids"], "words")
    length = llama.export.size("input_ids", 1, "length")
    past = llama.export.size("past.0.key", 2, "past")
    total = net.node("Add", [past, length], "total")
    mask = llama.mask(length, total)
    rotation = llama.rotation("position_ids")
    for layer in range(LAYERS):
        x = llama.layer(x, rotation, mask, layer)
    x = llama.rms_norm(x, "norm")
    x = llama.matmul(x, "head", HIDDEN, VOCABULARY)
    net.node("Identity", [x], "identity", output="logits")
    net.output("logits", ["batch", "sequence", VOCABULARY])
    for layer in range(LAYERS):
        for kind in ("key", "value"):
            net.output(f"present.{layer}.{kind}",
                       ["batch", KEY_HEADS, "past + sequence", WIDTH])
