# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""SqueezeNet 1.1."""

CLASSES = 1000
# Squeezed and expanded channels of each module, and pools between them.
PLAN = [(16, 64), (16, 64), "pool3", (32, 128), (32, 128), "pool5", (48, 192),
        (48, 192), (64, 256), (64, 256)]


def fire(net, x, name, channels, squeeze, expand):
    """SqueezeNet's module: squeeze to few channels, expand by 1x1 and 3x3."""
    x = net.conv(x, name + ".squeeze", channels, squeeze, 1)
    x = net.relu(x, name + ".squeeze_relu")
    one = net.conv(x, name + ".expand1x1", squeeze, expand, 1)
    one = net.relu(one, name + ".expand1x1_relu")
    three = net.conv(x, name + ".expand3x3", squeeze, expand, 3, pad=1)
    three = net.relu(three, name + ".expand3x3_relu")
    return net.node("Concat", [one, three], name + ".concat", axis=1)


def build(net, size=224, plan=PLAN, classes=CLASSES):
    x = net.image((1, 3, size, size))
    x = net.conv(x, "conv1", 3, 64, 3, stride=2)
    x = net.max_pool(net.relu(x, "relu1"), "pool1")
    channels = 64
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
    x = net.conv(x, "conv10", channels, classes, 1, gain=1.0)
    x = net.node("GlobalAveragePool", [x], "pool10")
    net.node("Flatten", [x], "flatten", output="logits", axis=1)
    net.output("logits", [1, classes])


def build_small(net):
    """Every kind of layer, for emulators."""
    plan = [(16, 64), "pool3", (32, 128), "pool5", (48, 192)]
    build(net, size=64, plan=plan, classes=40)
