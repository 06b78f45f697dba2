# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""BERT's encoder as PyTorch exports it at opset 17: token ids, a padding mask
and types in; batch and sequence dynamic."""
import math

import numpy

from nets.exporter import Exporter


class Bert:
    def __init__(self, net, hidden, heads, vocabulary, positions):
        self.net = net
        self.export = Exporter(net)
        self.hidden = hidden
        self.heads = heads
        self.vocabulary = vocabulary
        self.positions = positions

    def table(self, ids, name, rows):
        weight = self.net.weight(name + ".weight",
                                 self.net.normal.draw((rows, self.hidden)))
        return self.net.node("Gather", [weight, ids], name)

    def embeddings(self):
        net, export = self.net, self.export
        ids = net.buffer("embeddings.position_ids", numpy.arange(
            self.positions, dtype=numpy.int64)[None])
        length = export.unsqueeze(export.size("input_ids", 1, "embeddings.s"),
                                  [0], "embeddings.length")
        ids = export.slice(ids, 0, length, "embeddings.positions", axis=1)
        words = self.table("input_ids", "embeddings.word", self.vocabulary)
        kinds = self.table("token_type_ids", "embeddings.token_type", 2)
        places = self.table(ids, "embeddings.position", self.positions)
        x = net.node("Add", [words, kinds], "embeddings.add1")
        x = net.node("Add", [x, places], "embeddings.add2")
        return export.layer_norm(x, "embeddings.norm", self.hidden)

    def split_heads(self, x, name, order):
        width = self.hidden // self.heads
        batch = self.export.size(x, 0, name + ".b")
        length = self.export.size(x, 1, name + ".s")
        x = self.export.reshape(x, [batch, length, self.heads, width], name)
        return self.net.node("Transpose", [x], name + ".heads", perm=order)

    def attention(self, x, mask, name):
        net, export, hidden = self.net, self.export, self.hidden
        query = export.linear(x, name + ".query", hidden, hidden)
        # A key's bias adds the same to a whole row of scores: softmax is blind
        # to it.
        key = export.linear(x, name + ".key", hidden, hidden, inert_bias=True)
        value = export.linear(x, name + ".value", hidden, hidden)
        query = self.split_heads(query, name + ".query", [0, 2, 1, 3])
        key = self.split_heads(key, name + ".key", [0, 2, 3, 1])
        value = self.split_heads(value, name + ".value", [0, 2, 1, 3])
        scores = net.node("MatMul", [query, key], name + ".scores")
        width = math.sqrt(hidden // self.heads)
        scores = net.node("Div", [scores, net.constant(width, "float32")],
                          name + ".scaled")
        scores = net.node("Add", [scores, mask], name + ".masked")
        y = export.context(scores, value, name)
        y = export.merged_heads(y, hidden, name)
        y = export.linear(y, name + ".output", hidden, hidden, gain=0.25)
        return net.node("Add", [y, x], name + ".residual")

    def layer(self, x, mask, name):
        net, export, hidden = self.net, self.export, self.hidden
        x = self.attention(x, mask, name + ".attention")
        x = export.layer_norm(x, name + ".attention.norm", hidden)
        y = export.linear(x, name + ".intermediate", hidden, 4 * hidden)
        y = export.gelu_erf(y, name + ".gelu")
        y = export.linear(y, name + ".output", 4 * hidden, hidden, gain=2.0)
        y = net.node("Add", [y, x], name + ".residual")
        return export.layer_norm(y, name + ".norm", hidden)

    def encoder(self, batch, sequence, layers):
        """Inputs of this size, and the last layer's output."""
        net, shape = self.net, (batch, sequence)
        dims = ["batch", "sequence"]
        net.input("input_ids",
                  net.sample.integers(shape, self.vocabulary), dims)
        mask = numpy.ones(shape, numpy.int64)
        mask[-1, sequence - sequence // 3:] = 0  # a shorter text, padded
        net.input("attention_mask", mask, dims)
        net.input("token_type_ids", net.sample.integers(shape, 2), dims)
        mask = self.export.additive_mask("attention_mask", "mask")
        x = self.embeddings()
        for layer in range(layers):
            x = self.layer(x, mask, f"layer{layer}")
        return x


def build_layer(net):
    """One layer, narrow, with the pooler."""
    pooled(Bert(net, hidden=64, heads=4, vocabulary=97, positions=32))


def build_dynamic_int8(net):
    """The same after dynamic quantisation."""
    bert = Bert(net, hidden=64, heads=4, vocabulary=97, positions=32)
    bert.export.product = bert.export.dynamic_int8
    pooled(bert)


def pooled(bert):
    net = bert.net
    x = bert.encoder(batch=2, sequence=11, layers=1)
    net.node("Identity", [x], "last", output="last_hidden_state")
    first = net.node("Gather", [x, net.constant(0)], "pooler.first", axis=1)
    weight = net.normal.draw((64, 64)) / 8
    bias = net.normal.draw((64,)) * 0.1
    y = net.node("Gemm", [first, net.weight("pooler.weight", weight),
                          net.weight("pooler.bias", bias)], "pooler", transB=1)
    net.node("Tanh", [y], "pooler.tanh", output="pooler_output")
    net.output("last_hidden_state", ["batch", "sequence", 64])
    net.output("pooler_output", ["batch", 64])


def build_base(net):
    """All of BERT-base with the two outputs of question answering."""
    bert = Bert(net, hidden=768, heads=12, vocabulary=30522, positions=512)
    x = bert.encoder(batch=1, sequence=128, layers=12)
    x = bert.export.linear(x, "qa", 768, 2)
    sizes = net.constant([1, 1])
    parts = net.many("Split", [x, sizes], "qa.split", 2, axis=-1)
    for part, name in zip(parts, ("start_logits", "end_logits")):
        net.node("Squeeze", [part, net.constant([-1])], name + ".squeeze",
                 output=name)
        net.output(name, ["batch", "sequence"])
