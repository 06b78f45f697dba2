# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inception v3 up to its middle: branches of 1x1, 3x3, 5x5, 1x7 and 7x1
convolutions and of pools, joined. BatchNormalization is folded into the
convolutions, as an exporter does it."""
import math

CLASSES = 100


def conv(net, x, name, channels, filters, rows, columns, stride=1, pad=(0, 0)):
    """A convolution by a window of any shape, and its rectifier."""
    values = net.normal.draw((filters, channels, rows, columns))
    scale = math.sqrt(2.0 / (channels * rows * columns))
    inputs = [x, net.weight(name + ".weight", values * scale),
              net.weight(name + ".bias", net.normal.draw((filters,)) * 0.1)]
    y = net.node("Conv", inputs, name, kernel_shape=[rows, columns],
                 strides=[stride, stride], pads=[*pad, *pad])
    return net.relu(y, name + ".relu")


def pooled(net, x, name, channels, filters):
    y = net.node("AveragePool", [x], name + ".average", kernel_shape=[3, 3],
                 strides=[1, 1], pads=[1, 1, 1, 1])
    return conv(net, y, name, channels, filters, 1, 1)


def joined(net, branches, name):
    return net.node("Concat", branches, name + ".concat", axis=1)


def wide(net, x, name, channels, filters):
    """35 x 35: 1x1, 5x5, two 3x3, and a pool; the last with `filters`."""
    five = conv(net, x, name + ".five1", channels, 48, 1, 1)
    three = conv(net, x, name + ".three1", channels, 64, 1, 1)
    three = conv(net, three, name + ".three2", 64, 96, 3, 3, pad=(1, 1))
    return joined(net, [
        conv(net, x, name + ".one", channels, 64, 1, 1),
        conv(net, five, name + ".five2", 48, 64, 5, 5, pad=(2, 2)),
        conv(net, three, name + ".three3", 96, 96, 3, 3, pad=(1, 1)),
        pooled(net, x, name + ".pool", channels, filters)
    ], name)


def halved(net, x, name, channels):
    """To 17 x 17."""
    y = conv(net, x, name + ".three1", channels, 64, 1, 1)
    y = conv(net, y, name + ".three2", 64, 96, 3, 3, pad=(1, 1))
    return joined(net, [
        conv(net, x, name + ".three", channels, 384, 3, 3, stride=2),
        conv(net, y, name + ".three3", 96, 96, 3, 3, stride=2),
        net.max_pool(x, name + ".pool")
    ], name)


def deep(net, x, name, width):
    """17 x 17: 1x1, pairs of 1x7 and 7x1, and a pool, 192 filters each."""
    branches = [conv(net, x, name + ".one", 768, 192, 1, 1)]
    for branch, steps in (("seven", 2), ("double", 4)):
        y = conv(net, x, f"{name}.{branch}0", 768, width, 1, 1)
        for step in range(1, steps + 1):
            # The last one is 7x1 in the pair, 1x7 in the double pair.
            is_column = (step + steps // 2) % 2 == 1
            y = conv(net, y, f"{name}.{branch}{step}", width,
                     192 if step == steps else width,
                     *((7, 1) if is_column else (1, 7)),
                     pad=(3, 0) if is_column else (0, 3))
        branches.append(y)
    branches.append(pooled(net, x, name + ".pool", 768, 192))
    return joined(net, branches, name)


def build(net):
    x = net.image((1, 3, 299, 299))
    x = conv(net, x, "stem1", 3, 32, 3, 3, stride=2)
    x = conv(net, x, "stem2", 32, 32, 3, 3)
    x = net.max_pool(conv(net, x, "stem3", 32, 64, 3, 3, pad=(1, 1)), "pool1")
    x = conv(net, x, "stem4", 64, 80, 1, 1)
    x = net.max_pool(conv(net, x, "stem5", 80, 192, 3, 3), "pool2")
    channels = 192
    for block, filters in enumerate([32, 64, 64]):
        x = wide(net, x, f"wide{block}", channels, filters)
        channels = 64 + 64 + 96 + filters
    x = halved(net, x, "halved", channels)
    for block, width in enumerate([128, 160, 160, 192]):
        x = deep(net, x, f"deep{block}", width)
    net.pooled_classifier(x, 768, CLASSES)
