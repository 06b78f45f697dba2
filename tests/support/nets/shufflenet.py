# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ShuffleNet v2 (1x): half of the channels pass a unit by, and channels are
shuffled behind it; BatchNormalization folded into the convolutions."""

CLASSES = 100
# Channels and units of each stage.
STAGES = [(116, 4), (232, 8), (464, 4)]


def pointwise(net, x, name, channels, filters):
    return net.relu(net.conv(x, name, channels, filters, 1), name + ".relu")


def depthwise(net, x, name, channels, stride):
    return net.conv(x, name, channels, channels, 3, stride=stride, pad=1,
                    group=channels, gain=1.0)


def shuffled(net, left, right, name, channels, size):
    """The halves' channels by turns, as an exporter writes it."""
    x = net.node("Concat", [left, right], name + ".concat", axis=1)
    halves = net.constant([1, 2, channels // 2, size, size])
    x = net.node("Reshape", [x, halves], name + ".halves")
    x = net.node("Transpose", [x], name + ".turn", perm=[0, 2, 1, 3, 4])
    whole = net.constant([1, channels, size, size])
    return net.node("Reshape", [x, whole], name + ".whole")


def unit(net, x, name, channels, width, size, stride):
    half = width // 2
    if stride == 2:
        left = depthwise(net, x, name + ".left1", channels, 2)
        left = pointwise(net, left, name + ".left2", channels, half)
        right, entering = x, channels
    else:
        sizes = net.constant([half, half])
        left, right = net.many("Split", [x, sizes], name + ".split", 2, axis=1)
        entering = half
    right = pointwise(net, right, name + ".right1", entering, half)
    right = depthwise(net, right, name + ".right2", half, stride)
    right = pointwise(net, right, name + ".right3", half, half)
    return shuffled(net, left, right, name, width, size)


def build(net):
    x = net.image((1, 3, 224, 224))
    x = net.relu(net.conv(x, "stem", 3, 24, 3, stride=2, pad=1), "stem.relu")
    x = net.max_pool(x, "pool1", pad=1)
    channels, size = 24, 56
    for stage, (width, units) in enumerate(STAGES):
        size //= 2
        for index in range(units):
            x = unit(net, x, f"stage{stage}.{index}", channels, width, size,
                     2 if index == 0 else 1)
            channels = width
    x = pointwise(net, x, "head", channels, 1024)
    x = net.node("GlobalAveragePool", [x], "pool")
    x = net.node("Flatten", [x], "flatten", axis=1)
    net.classifier(x, 1024, CLASSES)
    net.output("logits", [1, CLASSES])


# ShuffleNet v1 as the ONNX model zoo exports it: grouped 1x1 convolutions whose
# BatchNormalizations are nodes of their own, and a shuffle between groups.

# Channels that leave the first stage, by groups (Zhang et al. 2018, table 1).
FIRST_STAGE = {3: 240, 4: 272, 8: 384}


def normalised(net, x, name, channels, filters, size, **more):
    x = net.conv(x, name, channels, filters, size, bias=False, **more)
    return net.batch_norm(x, name + ".norm", filters)


def shuffled_groups(net, x, name, channels, size, groups):
    split = net.constant([1, groups, channels // groups, size, size])
    x = net.node("Reshape", [x, split], name + ".split")
    x = net.node("Transpose", [x], name + ".turn", perm=[0, 2, 1, 3, 4])
    whole = net.constant([1, channels, size, size])
    return net.node("Reshape", [x, whole], name + ".whole")


def grouped_unit(net, x, name, channels, width, size, groups, stride):
    inner = width // 4
    # Its first convolution has too few channels for groups.
    first = groups if channels > 24 else 1
    right = net.relu(normalised(net, x, name + ".squeeze", channels, inner, 1,
                                group=first), name + ".relu1")
    right = shuffled_groups(net, right, name + ".shuffle", inner, size, groups)
    right = normalised(net, right, name + ".depthwise", inner, inner, 3,
                       stride=stride, pad=1, group=inner, gain=1.0)
    grown = width - channels if stride == 2 else width
    right = normalised(net, right, name + ".expand", inner, grown, 1,
                       group=groups, gain=1.0)
    if stride == 1:
        return net.relu(net.node("Add", [x, right], name + ".sum"),
                        name + ".relu2")
    left = net.node("AveragePool", [x], name + ".pool", kernel_shape=[3, 3],
                    strides=[2, 2], pads=[1, 1, 1, 1])
    x = net.node("Concat", [left, right], name + ".join", axis=1)
    return net.relu(x, name + ".relu2")


def build_grouped(groups):
    def build_net(net):
        x = net.image((1, 3, 224, 224))
        x = net.relu(normalised(net, x, "stem", 3, 24, 3, stride=2, pad=1),
                     "stem.relu")
        x = net.max_pool(x, "pool1", pad=1)
        channels, size, width = 24, 56, FIRST_STAGE[groups]
        for stage, units in enumerate((4, 8, 4)):
            for index in range(units):
                x = grouped_unit(net, x, f"stage{stage}.{index}", channels,
                                 width, size, groups, 1 if index else 2)
                size //= 1 if index else 2
                channels = width
            width *= 2
        x = net.node("GlobalAveragePool", [x], "pool")
        x = net.node("Flatten", [x], "flatten", axis=1)
        net.classifier(x, channels, CLASSES)
        net.output("logits", [1, CLASSES])
    return build_net
