# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The chains of nodes that PyTorch's exporter makes of one line of Python:
sizes read back by Shape and Gather, joined by Concat, fed to Reshape."""
import math

import numpy

LOWEST = float(numpy.finfo(numpy.float32).min)


class Exporter:
    """Adds to a net what an exporter would; methods return output names."""

    def __init__(self, net, product=None):
        """`product` stands for MatMul with a weight: (x, weight values, name)
        -> output."""
        self.net = net
        self.product = product or self.matmul

    def matmul(self, x, weight, name):
        weight = self.net.weight(name + ".weight", weight)
        return self.net.node("MatMul", [x, weight], name + ".matmul")

    def dynamic_int8(self, x, weight, name):
        """What dynamic quantisation makes of a MatMul: the input's range is
        found at run time, the weight is int8 by column."""
        net = self.net
        scale = abs(weight).max(axis=0) / 127
        weight = net.weight(name + ".weight", numpy.rint(weight / scale),
                            numpy.int8)
        scale = net.buffer(name + ".weight_scale",
                           scale.astype(numpy.float32))
        x, x_scale, x_zero = net.many("DynamicQuantizeLinear", [x],
                                      name + ".quantize", 3)
        zero = net.buffer(name + ".weight_zero", numpy.int8(0))
        y = net.node("MatMulInteger", [x, weight, x_zero, zero],
                     name + ".integer")
        y = net.node("Cast", [y], name + ".cast", to=1)
        scale = net.node("Mul", [x_scale, scale], name + ".scales")
        return net.node("Mul", [y, scale], name + ".scaled")

    # Sizes.

    def size(self, x, axis, name):
        """x.size(axis): a scalar."""
        shape = self.net.node("Shape", [x], name + ".shape")
        return self.net.node("Gather", [shape, self.net.constant(axis)],
                             name + ".size", axis=0)

    def unsqueeze(self, x, axes, name):
        return self.net.node("Unsqueeze", [x, self.net.constant(axes)], name)

    def joined(self, parts, name):
        """A vector from sizes: numbers, or names of scalars."""
        pieces = [self.net.constant([part]) if isinstance(part, int) else
                  self.unsqueeze(part, [0], f"{name}.part{i}")
                  for i, part in enumerate(parts)]
        return self.net.node("Concat", pieces, name + ".concat", axis=0)

    def reshape(self, x, parts, name):
        return self.net.node("Reshape", [x, self.joined(parts, name)],
                             name + ".reshape", allowzero=0)

    def slice(self, x, start, end, name, axis=0):
        """x[start:end] on one axis; bounds are numbers or names of vectors."""
        bounds = [self.net.constant([bound]) if isinstance(bound, int) else
                  bound for bound in (start, end)]
        return self.net.node("Slice", [x, *bounds, self.net.constant([axis]),
                                       self.net.constant([1])], name)

    # Layers.

    def linear(self, x, name, fan_in, fan_out, gain=1.0, inert_bias=False):
        """A linear layer of rank 3: MatMul and Add, the bias first."""
        net = self.net
        weight = net.normal.draw((fan_in, fan_out)) * math.sqrt(gain / fan_in)
        bias = net.normal.draw((fan_out,)) * 0.1
        product = self.product(x, weight, name)
        bias = net.weight(name + ".bias", bias, inert=inert_bias)
        return net.node("Add", [bias, product], name + ".add")

    def layer_norm(self, x, name, width):
        net = self.net
        scale = net.weight(name + ".weight",
                           1 + 0.1 * net.normal.draw((width,)))
        bias = net.weight(name + ".bias", 0.1 * net.normal.draw((width,)))
        return net.node("LayerNormalization", [x, scale, bias], name, axis=-1,
                        epsilon=1e-5)

    def feed_forward(self, x, name, width, inner, gelu, linear=None):
        """The second half of a transformer's layer, normalized before."""
        linear = linear or self.linear
        y = self.layer_norm(x, name + ".norm2", width)
        y = linear(y, name + ".expand", width, inner)
        y = gelu(y, name + ".gelu")
        y = linear(y, name + ".narrow", inner, width)
        return self.net.node("Add", [x, y], name + ".residual2")

    def gelu_erf(self, x, name):
        """x / 2 (1 + erf(x / sqrt 2)), node by node."""
        net = self.net
        y = net.node("Div", [x, net.constant(math.sqrt(2), "float32")],
                     name + ".div")
        y = net.node("Erf", [y], name + ".erf")
        y = net.node("Add", [y, net.constant(1.0, "float32")], name + ".plus")
        y = net.node("Mul", [x, y], name + ".mul")
        return net.node("Mul", [y, net.constant(0.5, "float32")],
                        name + ".half")

    def gelu_tanh(self, x, name):
        """The approximation by tanh, node by node, as GPT-2 has it."""
        net = self.net

        def scalar(value):
            return net.constant(value, "float32")

        y = net.node("Pow", [x, scalar(3.0)], name + ".pow")
        y = net.node("Mul", [y, scalar(0.044715)], name + ".cubic")
        y = net.node("Add", [x, y], name + ".sum")
        y = net.node("Mul", [y, scalar(math.sqrt(2 / math.pi))],
                     name + ".scale")
        y = net.node("Tanh", [y], name + ".tanh")
        y = net.node("Add", [y, scalar(1.0)], name + ".plus")
        half = net.node("Mul", [x, scalar(0.5)], name + ".half")
        return net.node("Mul", [half, y], name + ".mul")

    def context(self, scores, value, name):
        """softmax(scores) value, whose heads [b, h, s, w] become
        [b, s, h, w]."""
        net = self.net
        weights = net.node("Softmax", [scores], name + ".softmax", axis=-1)
        y = net.node("MatMul", [weights, value], name + ".context")
        return net.node("Transpose", [y], name + ".merge", perm=[0, 2, 1, 3])

    def merged_heads(self, y, width, name):
        """[b, s, h, w] as [b, s, width]."""
        return self.reshape(y, [self.size(y, 0, name + ".b"),
                                self.size(y, 1, name + ".s"), width],
                            name + ".merged")

    def additive_mask(self, mask, name):
        """0 where an integer mask [b, s] has 1, else the lowest float; as
        [b, 1, 1, s]."""
        net = self.net
        mask = self.unsqueeze(mask, [1], name + ".unsqueeze1")
        mask = self.unsqueeze(mask, [2], name + ".unsqueeze2")
        mask = net.node("Cast", [mask], name + ".cast", to=1)
        mask = net.node("Sub", [net.constant(1.0, "float32"), mask],
                        name + ".sub")
        return net.node("Mul", [mask, net.constant(LOWEST, "float32")],
                        name + ".mul")
