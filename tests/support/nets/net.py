# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A model under construction, its seeded weights and its inputs."""
import math

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

SEED = 20260
# The IR version that each opset came with.
IR_VERSIONS = {13: 7, 14: 7, 17: 8, 18: 8, 20: 9, 21: 10}


class Normal:
    """Normal numbers from PCG64's raw bits alone: the sum of twelve uniform
    32-bit numbers, so that neither numpy's samplers nor libm take part."""

    def __init__(self, seed):
        self.bits = numpy.random.PCG64(seed)

    def draw(self, shape):
        count = int(numpy.prod(shape))
        raw = self.bits.random_raw(6 * count)
        halves = (raw >> numpy.uint64(32)) + (raw & numpy.uint64(0xffffffff))
        sums = halves.reshape(count, 6).sum(axis=1, dtype=numpy.uint64)
        centred = sums.astype(numpy.int64) - (6 << 32)
        return (centred * 2.0**-32).reshape(shape)

    def integers(self, shape, end):
        """Integers in [0, end)."""
        raw = self.bits.random_raw(int(numpy.prod(shape)))
        return (raw % numpy.uint64(end)).astype(numpy.int64).reshape(shape)


class Repeated:
    """Like Normal, but going round one block: for models with so many weights
    that drawing each would take long. The length is a prime, so that the rows
    of a matrix differ."""

    def __init__(self, seed):
        self.block = Normal(seed).draw((1000003,))
        self.at = 0

    def draw(self, shape):
        count = int(numpy.prod(shape))
        values = numpy.resize(numpy.roll(self.block, -self.at), shape)
        self.at = (self.at + count) % len(self.block)
        return values


class Net:
    """A graph under construction; methods that add a node return its output's
    name. `zero_weight` is the weight that gets no values but zeros."""

    def __init__(self, name, opset, normal, zero_weight=None):
        self.name = name
        self.opset = opset
        self.normal = normal
        self.sample = Normal(SEED + 100)
        self.zero_weight = zero_weight
        self.nodes = []
        self.weights = []
        self.inert = set()
        self.inputs = []
        self.outputs = []
        self.domains = []
        self.constants = 0

    # Values.

    def input(self, name, values, dims=None):
        """An input and what it is fed; `dims` may hold symbols."""
        kind = onnx.mapping.NP_TYPE_TO_TENSOR_TYPE[values.dtype]
        info = helper.make_tensor_value_info(name, kind, dims or values.shape)
        self.inputs.append((info, values))
        return name

    def output(self, name, dims, kind=TensorProto.FLOAT):
        self.outputs.append(helper.make_tensor_value_info(name, kind, dims))

    def weight(self, name, values, dtype=numpy.float32, inert=False):
        """An initialiser. An `inert` one changes no output by its nature (a
        bias that a softmax takes out again), so zeroing it shows nothing."""
        values = values.astype(dtype)
        if name == self.zero_weight:
            values = numpy.zeros_like(values)
        if inert:
            self.inert.add(name)
        self.weights.append(numpy_helper.from_array(values, name))
        return name

    def buffer(self, name, values):
        """An initialiser that is no weight: a mask, positions, a scale."""
        self.weights.append(numpy_helper.from_array(values, name))
        self.inert.add(name)
        return name

    def listed_weights(self):
        return [weight.name for weight in self.weights
                if weight.name not in self.inert]

    def constant(self, value, dtype=numpy.int64):
        """A Constant node, as exporters put one before each use."""
        name = f"constant{self.constants}"
        self.constants += 1
        tensor = numpy_helper.from_array(numpy.array(value, dtype), name)
        return self.node("Constant", [], name, value=tensor)

    # Nodes.

    def node(self, op, inputs, name, output=None, **attributes):
        output = output or name + "_out"
        self.nodes.append(
            helper.make_node(op, inputs, [output], name=name, **attributes))
        return output

    def many(self, op, inputs, name, outputs, **attributes):
        """A node with several results: their names, given by a list (empty
        names for what isn't wanted) or a count."""
        if isinstance(outputs, int):
            outputs = [f"{name}_out{i}" for i in range(outputs)]
        self.nodes.append(
            helper.make_node(op, inputs, outputs, name=name, **attributes))
        return outputs

    def relu(self, x, name):
        return self.node("Relu", [x], name)

    def conv(self, x, name, channels, filters, size, stride=1, pad=0,
             bias=True, gain=2.0, group=1):
        """He initialisation: keeps the magnitude through the ReLU after it."""
        fan_in = channels // group * size * size
        shape = (filters, channels // group, size, size)
        inputs = [x, self.weight(name + ".weight", self.normal.draw(shape) *
                                 math.sqrt(gain / fan_in))]
        if bias:
            inputs.append(self.weight(name + ".bias",
                                      self.normal.draw((filters,)) * 0.1))
        more = {"group": group} if group > 1 else {}
        return self.node("Conv", inputs, name, kernel_shape=[size, size],
                         strides=[stride, stride], pads=[pad] * 4, **more)

    def batch_norm(self, x, name, channels, gain=1.0):
        scale = gain * (1 + 0.1 * self.normal.draw((channels,)))
        bias = 0.1 * self.normal.draw((channels,))
        mean = 0.2 * self.normal.draw((channels,))
        # Positive: within 1 +- 0.6, as the normal numbers are within +-6.
        variance = 1 + 0.1 * self.normal.draw((channels,))
        return self.node(
            "BatchNormalization",
            [x, self.weight(name + ".scale", scale),
             self.weight(name + ".bias", bias),
             self.weight(name + ".mean", mean),
             self.weight(name + ".var", variance)], name, epsilon=1e-5)

    def max_pool(self, x, name, pad=0, size=3):
        return self.node("MaxPool", [x], name, kernel_shape=[size, size],
                         strides=[2, 2], pads=[pad] * 4)

    def linear(self, x, name, channels, features, gain=2.0, output=None):
        """Gemm as a linear layer gives it."""
        weight = self.normal.draw((features, channels))
        bias = self.normal.draw((features,)) * 0.1
        return self.node(
            "Gemm", [x, self.weight(name + ".weight",
                                    weight * math.sqrt(gain / channels)),
                     self.weight(name + ".bias", bias)],
            name, output=output, transB=1)

    def classifier(self, x, channels, classes, name="fc"):
        """The last layer; its output is the net's."""
        return self.linear(x, name, channels, classes, gain=1.0,
                           output="logits")

    def pooled_classifier(self, x, channels, classes, pool="pool"):
        """The usual end: one mean for each channel, and the last layer."""
        x = self.node("GlobalAveragePool", [x], pool)
        x = self.node("Flatten", [x], "flatten", axis=1)
        self.classifier(x, channels, classes)
        self.output("logits", [1, classes])

    def image(self, shape):
        """The image that goes in, as input 'x'."""
        values = self.sample.draw(shape).astype(numpy.float32)
        return self.input("x", values)

    # Files.

    def save(self, folder):
        graph = helper.make_graph(
            self.nodes, self.name, [info for info, _ in self.inputs],
            self.outputs, self.weights)
        model = helper.make_model(
            graph, producer_name="make-nets.py",
            opset_imports=[helper.make_opsetid("", self.opset)] +
            [helper.make_opsetid(*domain) for domain in self.domains])
        model.ir_version = IR_VERSIONS[self.opset]
        # The checker of this python3-onnx ends at opset 17 and IR 8.
        if self.opset <= 17 and not self.domains:
            onnx.checker.check_model(model)
        (folder / "inputs").mkdir(parents=True, exist_ok=True)
        (folder / "model.onnx").write_bytes(model.SerializeToString(
            deterministic=True))
        for position, (info, values) in enumerate(self.inputs):
            numpy.save(folder / "inputs" / f"{position}-{info.name}.npy",
                       values)
