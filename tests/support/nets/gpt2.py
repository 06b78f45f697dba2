# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A GPT-2 decoder as it is exported for generation: token ids, a mask and the
keys and values so far in; logits and the grown keys and values out."""
import math

import numpy
from onnx import numpy_helper

from nets.exporter import LOWEST, Exporter

HIDDEN, HEADS, VOCABULARY, POSITIONS = 48, 4, 61, 32
WIDTH = HIDDEN // HEADS
BATCH, PAST, SEQUENCE = 2, 5, 3


class Gpt2:
    def __init__(self, net):
        self.net = net
        self.export = Exporter(net)

    def conv1d(self, x, name, fan_in, fan_out):
        """GPT-2's linear layer: flattened to rank 2, Gemm, and back."""
        net, export = self.net, self.export
        shape = [export.size(x, 0, name + ".b"),
                 export.size(x, 1, name + ".s"), fan_out]
        weight = net.normal.draw((fan_in, fan_out)) * math.sqrt(1 / fan_in)
        bias = net.normal.draw((fan_out,)) * 0.1
        flat = net.node("Reshape", [x, net.constant([-1, fan_in])],
                        name + ".flat", allowzero=0)
        y = net.node("Gemm", [flat, net.weight(name + ".weight", weight),
                              net.weight(name + ".bias", bias)], name)
        return export.reshape(y, shape, name + ".back")

    def heads(self, x, name):
        net, export = self.net, self.export
        shape = [export.size(x, 0, name + ".b"),
                 export.size(x, 1, name + ".s"), HEADS, WIDTH]
        x = export.reshape(x, shape, name)
        return net.node("Transpose", [x], name + ".heads", perm=[0, 2, 1, 3])

    def mask_from_buffer(self, scores, name):
        """A square of the stored triangle, cut at the lengths; then Where."""
        net, export = self.net, self.export
        triangle = net.buffer(name + ".bias", numpy.tril(
            numpy.ones((POSITIONS, POSITIONS), bool))[None, None])
        queries = export.size(scores, 2, name + ".queries")
        keys = export.size(scores, 3, name + ".keys")
        before = net.node("Sub", [keys, queries], name + ".before")
        start = export.unsqueeze(before, [0], name + ".start")
        end = export.unsqueeze(keys, [0], name + ".end")
        rows = export.slice(triangle, start, end, name + ".rows", axis=2)
        mask = export.slice(rows, 0, end, name + ".mask", axis=3)
        mask = net.node("Cast", [mask], name + ".bool", to=9)
        return net.node("Where", [mask, scores,
                                  net.constant(LOWEST, "float32")],
                        name + ".where")

    def mask_from_trilu(self, scores, name):
        """Lowest floats above the diagonal that the past has moved, added."""
        net, export = self.net, self.export
        queries = export.size(scores, 2, name + ".queries")
        keys = export.size(scores, 3, name + ".keys")
        shape = export.joined([queries, keys], name + ".square")
        lowest = numpy.array([LOWEST], numpy.float32)
        full = net.node("ConstantOfShape", [shape], name + ".full",
                        value=numpy_helper.from_array(lowest, "value"))
        before = net.node("Sub", [keys, queries], name + ".before")
        diagonal = net.node("Add", [before, net.constant(1)],
                            name + ".diagonal")
        mask = net.node("Trilu", [full, diagonal], name + ".trilu", upper=1)
        mask = export.unsqueeze(mask, [0, 1], name + ".rank4")
        return net.node("Add", [scores, mask], name + ".add")

    def mask_from_ranges(self, scores, name):
        """Positions of keys compared with those of queries."""
        net, export = self.net, self.export
        queries = export.size(scores, 2, name + ".queries")
        keys = export.size(scores, 3, name + ".keys")
        before = net.node("Sub", [keys, queries], name + ".before")
        places = net.node("Range", [before, keys, net.constant(1)],
                          name + ".range_queries")
        column = net.node("Reshape", [places, net.constant([-1, 1])],
                          name + ".column", allowzero=0)
        row = net.node("Range", [net.constant(0), keys, net.constant(1)],
                       name + ".range_keys")
        hidden = net.node("Greater", [row, column], name + ".greater")
        return net.node("Where", [hidden, net.constant(LOWEST, "float32"),
                                  scores], name + ".where")

    def attention(self, x, padding, layer, mask):
        net, export, name = self.net, self.export, f"layer{layer}.attention"
        x = self.conv1d(x, name + ".qkv", HIDDEN, 3 * HIDDEN)
        parts = net.many("Split", [x, net.constant([HIDDEN] * 3)],
                         name + ".split", 3, axis=2)
        query, key, value = (self.heads(part, f"{name}.{kind}") for kind, part
                             in zip(("query", "key", "value"), parts))
        key = net.node("Concat", [f"past.{layer}.key", key], name + ".keys",
                       output=f"present.{layer}.key", axis=-2)
        value = net.node("Concat", [f"past.{layer}.value", value],
                         name + ".values", output=f"present.{layer}.value",
                         axis=-2)
        turned = net.node("Transpose", [key], name + ".turned",
                          perm=[0, 1, 3, 2])
        scores = net.node("MatMul", [query, turned], name + ".scores")
        # value.size(-1) ** 0.5, computed in the graph.
        width = net.node("Cast", [export.size(value, -1, name + ".width")],
                         name + ".float", to=1)
        root = net.node("Pow", [width, net.constant(0.5, "float32")],
                        name + ".root")
        scores = net.node("Div", [scores, root], name + ".scaled")
        scores = mask(scores, name + ".mask")
        scores = net.node("Add", [scores, padding], name + ".padded")
        y = export.context(scores, value, name)
        y = export.merged_heads(y, HIDDEN, name)
        return self.conv1d(y, name + ".project", HIDDEN, HIDDEN)

    def layer(self, x, padding, layer, mask):
        net, export, name = self.net, self.export, f"layer{layer}"
        y = export.layer_norm(x, name + ".norm1", HIDDEN)
        y = self.attention(y, padding, layer, mask)
        x = net.node("Add", [y, x], name + ".residual1")
        return export.feed_forward(x, name, HIDDEN, 4 * HIDDEN,
                                   export.gelu_tanh, self.conv1d)

    def embeddings(self):
        """Words, and positions that go on where the past ends."""
        net, export = self.net, self.export
        words = net.weight("wte", net.normal.draw((VOCABULARY, HIDDEN)))
        places = net.weight("wpe", net.normal.draw((POSITIONS, HIDDEN)))
        past = export.size("past.0.key", -2, "positions.past")
        length = export.size("input_ids", 1, "positions.sequence")
        end = net.node("Add", [length, past], "positions.end")
        ids = net.node("Range", [past, end, net.constant(1)],
                       "positions.range")
        ids = export.unsqueeze(ids, [0], "positions.row")
        shape = net.node("Concat", [net.constant([-1]), export.unsqueeze(
            length, [0], "positions.length")], "positions.shape", axis=0)
        ids = net.node("Reshape", [ids, shape], "positions.ids", allowzero=0)
        return net.node("Add", [net.node("Gather", [words, "input_ids"],
                                         "words"),
                                net.node("Gather", [places, ids], "places")],
                        "embeddings"), words


def build(net):
    gpt2, sample = Gpt2(net), net.sample
    masks = [gpt2.mask_from_buffer, gpt2.mask_from_trilu,
             gpt2.mask_from_ranges]
    net.input("input_ids", sample.integers((BATCH, SEQUENCE), VOCABULARY),
              ["batch", "sequence"])
    mask = numpy.ones((BATCH, PAST + SEQUENCE), numpy.int64)
    mask[0, :2] = 0  # padded on the left
    net.input("attention_mask", mask, ["batch", "past + sequence"])
    past = (BATCH, HEADS, PAST, WIDTH)
    for layer in range(len(masks)):
        for kind in ("key", "value"):
            net.input(f"past.{layer}.{kind}",
                      sample.draw(past).astype(numpy.float32),
                      ["batch", HEADS, "past", WIDTH])
    x, words = gpt2.embeddings()
    padding = gpt2.export.additive_mask("attention_mask", "padding")
    for layer, mask in enumerate(masks):
        x = gpt2.layer(x, padding, layer, mask)
    x = gpt2.export.layer_norm(x, "norm", HIDDEN)
    # The head is the table of words, turned.
    turned = net.node("Transpose", [words], "head.turned", perm=[1, 0])
    net.node("MatMul", [x, turned], "head", output="logits")
    net.output("logits", ["batch", "sequence", VOCABULARY])
    for layer in range(len(masks)):
        for kind in ("key", "value"):
            net.output(f"present.{layer}.{kind}",
                       ["batch", HEADS, "past + sequence", WIDTH])
