#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small models whose code is hard to vectorise: FOLDER/<name>.onnx.

transposed: a transposed convolution with stride and dilation.
shuffle:    grouped pointwise convolutions, norm, rectifier, channel shuffle.
moved:      rows picked by indices, and a transposition: no arithmetic at all.
"""
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

GROUPS, CHANNELS, SIZE = 4, 64, 14


class Model:
    def __init__(self):
        self.nodes, self.weights = [], []
        self.draw = np.random.default_rng(1)

    def constant(self, values):
        name = f"c{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(values), name))
        return name

    def weight(self, *shape):
        spread = np.sqrt(1 / np.prod(shape[1:]))
        return self.constant(
            (self.draw.standard_normal(shape) * spread).astype(np.float32))

    def node(self, op, *inputs, **attributes):
        name = f"{op}{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [name], name=name,
                                           **attributes))
        return name

    def save(self, path, result, shape):
        x, y = (helper.make_tensor_value_info(
            name, TensorProto.FLOAT, each)
            for name, each in (("x", [1, CHANNELS, SIZE, SIZE]),
                               (result, shape)))
        graph = helper.make_graph(self.nodes, "g", [x], [y], self.weights)
        onnx.save(helper.make_model(
            graph, ir_version=8,
            opset_imports=[helper.make_opsetid("", 13)]), path)


def transposed(model):
    y = model.node("ConvTranspose", "x", model.weight(CHANNELS, 8, 3, 3),
                   strides=[2, 2], dilations=[2, 2])
    size = (SIZE - 1) * 2 + 5
    return y, [1, 8, size, size]


def norm(model, x):
    return model.node("BatchNormalization", x, *(
        model.constant(np.full(CHANNELS, value, np.float32))
        for value in (1.1, 0.1, 0.05, 0.9)))


def shuffle(model):
    x = "x"
    for _ in range(2):
        y = model.node("Conv", x,
                       model.weight(CHANNELS, CHANNELS // GROUPS, 1, 1),
                       group=GROUPS)
        y = model.node("Relu", norm(model, y))
        sizes = [1, GROUPS, CHANNELS // GROUPS, SIZE, SIZE]
        y = model.node("Reshape", y, model.constant(np.array(sizes)))
        y = model.node("Transpose", y, perm=[0, 2, 1, 3, 4])
        whole = [1, CHANNELS, SIZE, SIZE]
        y = model.node("Reshape", y, model.constant(np.array(whole)))
        x = model.node("Conv", y, model.weight(CHANNELS, 1, 3, 3),
                       pads=[1, 1, 1, 1], group=CHANNELS)
    return x, whole


def moved(model):
    picked = model.constant(np.array([5, 3, 60, 7]))
    y = model.node("Gather", "x", picked, axis=1)
    y = model.node("Transpose", y, perm=[0, 2, 3, 1])
    return y, [1, SIZE, SIZE, 4]


def main():
    folder = pathlib.Path(sys.argv[1])
    for build in (transposed, shuffle, moved):
        model = Model()
        model.save(folder / f"{build.__name__}.onnx", *build(model))


main()
