#!/usr/bin/python3
"""Makes two models of well-known shape with seeded weights: SqueezeNet 1.1 and
ResNet-50 (f32, 1x3x224x224, logits out, opset 13, BatchNormalization kept).

    make-nets.py squeezenet FOLDER                 model.onnx + inputs/0-x.npy
    make-nets.py resnet50 FOLDER --zero-weight W   the same, weight W all zero
    make-nets.py resnet50 --list-weights           the weights' names

Every run writes the same bytes, so that golden/<net>/provenance.json can name
the model by its hash. Needs Debian's python3-onnx (and the numpy it brings).
"""

import argparse
import math
import pathlib

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

SEED = 20260
OPSET = 13
CLASSES = 1000


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


class Net:
    """A graph under construction; every method returns its output's name."""

    def __init__(self, name, seed, zero_weight=None):
        self.name = name
        self.normal = Normal(seed)
        self.zero_weight = zero_weight
        self.nodes = []
        self.weights = []

    def weight(self, name, values):
        values = values.astype(numpy.float32)
        if name == self.zero_weight:
            values = numpy.zeros_like(values)
        self.weights.append(numpy_helper.from_array(values, name))
        return name

    def node(self, op, inputs, name, **attributes):
        output = name + "_out"
        self.nodes.append(
            helper.make_node(op, inputs, [output], name=name, **attributes))
        return output

    def conv(self, x, name, channels, filters, size, stride=1, pad=0,
             bias=True, gain=2.0):
        """He initialisation: keeps the magnitude through the ReLU after it."""
        deviation = math.sqrt(gain / (channels * size * size))
        shape = (filters, channels, size, size)
        inputs = [x, self.weight(name + ".weight",
                                 self.normal.draw(shape) * deviation)]
        if bias:
            inputs.append(self.weight(name + ".bias",
                                      self.normal.draw((filters,)) * 0.1))
        return self.node("Conv", inputs, name, kernel_shape=[size, size],
                         strides=[stride, stride], pads=[pad] * 4)

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

    def relu(self, x, name):
        return self.node("Relu", [x], name)

    def max_pool(self, x, name, pad=0):
        return self.node("MaxPool", [x], name, kernel_shape=[3, 3],
                         strides=[2, 2], pads=[pad] * 4)

    def save(self, folder, output):
        graph = helper.make_graph(
            self.nodes, self.name,
            [helper.make_tensor_value_info("x", TensorProto.FLOAT,
                                           [1, 3, 224, 224])],
            [helper.make_tensor_value_info(output, TensorProto.FLOAT,
                                           [1, CLASSES])],
            self.weights)
        model = helper.make_model(
            graph, producer_name="make-nets.py",
            opset_imports=[helper.make_opsetid("", OPSET)])
        model.ir_version = 7  # the one that opset 13 came with
        onnx.checker.check_model(model)
        (folder / "inputs").mkdir(parents=True, exist_ok=True)
        (folder / "model.onnx").write_bytes(model.SerializeToString(
            deterministic=True))
        image = Normal(SEED + 100).draw((1, 3, 224, 224))
        numpy.save(folder / "inputs/0-x.npy", image.astype(numpy.float32))


def fire(net, x, name, channels, squeeze, expand):
    """SqueezeNet's module: squeeze to few channels, expand by 1x1 and 3x3."""
    x = net.conv(x, name + ".squeeze", channels, squeeze, 1)
    x = net.relu(x, name + ".squeeze_relu")
    one = net.conv(x, name + ".expand1x1", squeeze, expand, 1)
    one = net.relu(one, name + ".expand1x1_relu")
    three = net.conv(x, name + ".expand3x3", squeeze, expand, 3, pad=1)
    three = net.relu(three, name + ".expand3x3_relu")
    return net.node("Concat", [one, three], name + ".concat", axis=1)


def squeezenet(net):
    x = net.conv("x", "conv1", 3, 64, 3, stride=2)
    x = net.max_pool(net.relu(x, "relu1"), "pool1")
    channels = 64
    plan = [(16, 64), (16, 64), "pool3", (32, 128), (32, 128), "pool5",
            (48, 192), (48, 192), (64, 256), (64, 256)]
    index = 2
    for step in plan:
        if isinstance(step, str):
            x = net.max_pool(x, step)
            continue
        squeeze, expand = step
        x = fire(net, x, f"fire{index}", channels, squeeze, expand)
        channels = 2 * expand
        index += 1
    x = net.node("Dropout", [x], "drop9")
    # Not followed by a ReLU, so that logits have both signs after the mean.
    x = net.conv(x, "conv10", channels, CLASSES, 1, gain=1.0)
    x = net.node("GlobalAveragePool", [x], "pool10")
    net.nodes.append(helper.make_node("Flatten", [x], ["logits"],
                                      name="flatten", axis=1))
    return "logits"


def bottleneck(net, x, name, channels, width, stride, project):
    """ResNet's block: 1x1, 3x3 (with the stride), 1x1, plus a short cut."""
    y = net.conv(x, name + ".conv1", channels, width, 1, bias=False)
    y = net.relu(net.batch_norm(y, name + ".bn1", width), name + ".relu1")
    y = net.conv(y, name + ".conv2", width, width, 3, stride=stride, pad=1,
                 bias=False)
    y = net.relu(net.batch_norm(y, name + ".bn2", width), name + ".relu2")
    y = net.conv(y, name + ".conv3", width, 4 * width, 1, bias=False)
    # Less than 1, or the sum would grow from block to block.
    y = net.batch_norm(y, name + ".bn3", 4 * width, gain=0.4)
    if project:
        x = net.conv(x, name + ".project", channels, 4 * width, 1,
                     stride=stride, bias=False, gain=1.0)
        x = net.batch_norm(x, name + ".project_bn", 4 * width)
    return net.relu(net.node("Add", [y, x], name + ".add"), name + ".relu3")


def resnet50(net):
    x = net.conv("x", "conv1", 3, 64, 7, stride=2, pad=3, bias=False)
    x = net.relu(net.batch_norm(x, "bn1", 64), "relu1")
    x = net.max_pool(x, "pool1", pad=1)
    channels = 64
    for stage, blocks in enumerate([3, 4, 6, 3]):
        width = 64 << stage
        for block in range(blocks):
            stride = 2 if stage > 0 and block == 0 else 1
            x = bottleneck(net, x, f"stage{stage + 1}.{block}", channels,
                           width, stride, project=block == 0)
            channels = 4 * width
    x = net.node("GlobalAveragePool", [x], "pool5")
    x = net.node("Flatten", [x], "flatten", axis=1)
    weight = net.normal.draw((CLASSES, channels)) * math.sqrt(1 / channels)
    bias = net.normal.draw((CLASSES,)) * 0.1
    net.nodes.append(helper.make_node(
        "Gemm", [x, net.weight("fc.weight", weight),
                 net.weight("fc.bias", bias)], ["logits"], name="fc",
        transB=1))
    return "logits"


BUILDERS = {"squeezenet": squeezenet, "resnet50": resnet50}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("net", choices=BUILDERS)
    parser.add_argument("folder", type=pathlib.Path, nargs="?")
    parser.add_argument("--zero-weight", metavar="NAME")
    parser.add_argument("--list-weights", action="store_true")
    options = parser.parse_args()
    net = Net(options.net, SEED + list(BUILDERS).index(options.net),
              options.zero_weight)
    output = BUILDERS[options.net](net)
    names = [weight.name for weight in net.weights]
    if options.list_weights:
        print("\n".join(names))
        return
    if options.folder is None:
        parser.error("a folder is needed")
    if options.zero_weight and options.zero_weight not in names:
        parser.error(f"no weight '{options.zero_weight}'; --list-weights "
                     "names them")
    net.save(options.folder, output)


if __name__ == "__main__":
    main()
