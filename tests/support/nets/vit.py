# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A vision transformer's first block with its patches and its class token, as
PyTorch exports it at opset 20 (Gelu as one node, Split by count)."""

import numpy
from onnx import numpy_helper

from nets.exporter import Exporter

HIDDEN, HEADS, PATCH, SIDE, CLASSES = 48, 3, 8, 32, 10
WIDTH, TOKENS = HIDDEN // HEADS, (SIDE // PATCH) ** 2 + 1
BATCH = 2


class Vit:
    def __init__(self, net):
        self.net = net
        self.export = Exporter(net)

    def expanded(self, token, batch):
        """token.expand(batch, -1, -1): -1 keeps a size, by Equal and Where."""
        net, export = self.net, self.export
        wanted = export.joined([batch, -1, -1], "class.shape")
        ones = net.node("ConstantOfShape", [net.constant([3])], "class.ones",
                        value=numpy_helper.from_array(
                            numpy.array([1], numpy.int64), "value"))
        kept = net.node("Mul", [ones, net.constant(-1)], "class.kept")
        is_kept = net.node("Equal", [wanted, kept], "class.equal")
        shape = net.node("Where", [is_kept, ones, wanted], "class.where")
        return net.node("Expand", [token, shape], "class.expand")

    def embeddings(self):
        net, export = self.net, self.export
        x = net.conv("x", "patches", 3, HIDDEN, PATCH, stride=PATCH, gain=1.0)
        shape = net.node("Shape", [x], "patches.shape")
        front = export.slice(shape, 0, 2, "patches.front")
        shape = net.node("Concat", [front, net.constant([-1])],
                         "patches.concat", axis=0)
        x = net.node("Reshape", [x, shape], "patches.flat", allowzero=0)
        x = net.node("Transpose", [x], "patches.rows", perm=[0, 2, 1])
        token = net.weight("class_token", net.normal.draw((1, 1, HIDDEN)))
        token = self.expanded(token, export.size("x", 0, "class.batch"))
        x = net.node("Concat", [token, x], "tokens", axis=1)
        places = net.weight("position_embedding",
                            net.normal.draw((1, TOKENS, HIDDEN)))
        return net.node("Add", [x, places], "embedded")

    def root_of_scale(self, query, name):
        """Query and key each get the root of 1 / sqrt(width)."""
        net, export = self.net, self.export
        shape = net.node("Shape", [query], name + ".shape")
        width = export.slice(shape, -1, 2 ** 63 - 1, name + ".width")
        width = net.node("Cast", [width], name + ".cast", to=1)
        root = net.node("Sqrt", [width], name + ".sqrt1")
        scale = net.node("Div", [net.constant([1.0], "float32"), root],
                         name + ".div")
        return net.node("Sqrt", [scale], name + ".sqrt2")

    def attention(self, x, name):
        net, export = self.net, self.export
        shape = [export.size(x, 0, name + ".b"), export.size(x, 1, name + ".n")]
        qkv = export.linear(x, name + ".qkv", HIDDEN, 3 * HIDDEN)
        qkv = export.reshape(qkv, [*shape, 3, HEADS, WIDTH], name + ".qkv")
        qkv = net.node("Transpose", [qkv], name + ".heads",
                       perm=[2, 0, 3, 1, 4])
        parts = net.many("Split", [qkv], name + ".split", 3, axis=0,
                         num_outputs=3)
        query, key, value = (net.node("Squeeze", [part, net.constant([0])],
                                      f"{name}.squeeze{i}")
                             for i, part in enumerate(parts))
        scale = self.root_of_scale(query, name + ".scale")
        key = net.node("Transpose", [key], name + ".turned",
                       perm=[0, 1, 3, 2])
        query = net.node("Mul", [query, scale], name + ".query")
        key = net.node("Mul", [key, scale], name + ".key")
        scores = net.node("MatMul", [query, key], name + ".scores")
        y = export.context(scores, value, name)
        y = export.reshape(y, [*shape, HIDDEN], name + ".merged")
        return export.linear(y, name + ".project", HIDDEN, HIDDEN)

    def block(self, x, name):
        net, export = self.net, self.export
        y = export.layer_norm(x, name + ".norm1", HIDDEN)
        x = net.node("Add", [x, self.attention(y, name + ".attention")],
                     name + ".residual1")

        def gelu(y, name):
            return net.node("Gelu", [y], name, approximate="none")

        return export.feed_forward(x, name, HIDDEN, 4 * HIDDEN, gelu)


def build(net):
    vit = Vit(net)
    image = net.sample.draw((BATCH, 3, SIDE, SIDE)).astype(numpy.float32)
    net.input("x", image, ["batch", 3, SIDE, SIDE])
    x = vit.block(vit.embeddings(), "block0")
    x = vit.export.layer_norm(x, "norm", HIDDEN)
    # Class token and the mean of the patches, so that all of it matters.
    token = net.node("Gather", [x, net.constant(0)], "token", axis=1)
    patches = vit.export.slice(x, 1, 2 ** 63 - 1, "patches.out", axis=1)
    mean = net.node("ReduceMean", [patches, net.constant([1])], "mean",
                    keepdims=0)
    x = net.node("Concat", [token, mean], "pooled", axis=1)
    net.classifier(x, 2 * HIDDEN, CLASSES)
    net.output("logits", ["batch", CLASSES])
