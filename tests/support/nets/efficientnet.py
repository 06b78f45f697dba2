# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""EfficientNet-B0: inverted residuals with 3x3 and 5x5 depthwise convolutions,
gates by squeeze and excitation, and swish; BatchNormalization folded into the
convolutions."""

CLASSES = 100
# Expansion, channels, repeats, stride, rows and columns of the window.
STAGES = [(1, 16, 1, 1, 3), (6, 24, 2, 2, 3), (6, 40, 2, 2, 5),
          (6, 80, 3, 2, 3), (6, 112, 3, 1, 5), (6, 192, 4, 2, 5),
          (6, 320, 1, 1, 3)]


def swish(net, x, name):
    return net.node("Mul", [x, net.node("Sigmoid", [x], name + ".sigmoid")],
                    name + ".swish")


def gated(net, x, name, channels, squeezed):
    """Each channel times a number from the means of all."""
    y = net.node("GlobalAveragePool", [x], name + ".mean")
    y = swish(net, net.conv(y, name + ".squeeze", channels, squeezed, 1),
              name + ".squeeze")
    # Much gain, so that the means make a difference.
    y = net.conv(y, name + ".excite", squeezed, channels, 1, gain=200.0)
    y = net.node("Sigmoid", [y], name + ".gate")
    return net.node("Mul", [x, y], name + ".gated")


def block(net, x, name, channels, width, expansion, stride, size):
    hidden, y = channels * expansion, x
    if expansion != 1:
        y = swish(net, net.conv(y, name + ".expand", channels, hidden, 1),
                  name + ".expand")
    y = net.conv(y, name + ".depthwise", hidden, hidden, size, stride=stride,
                 pad=size // 2, group=hidden)
    y = swish(net, y, name + ".depthwise")
    y = gated(net, y, name, hidden, channels // 4)
    y = net.conv(y, name + ".project", hidden, width, 1, gain=1.0)
    is_residual = stride == 1 and channels == width
    return net.node("Add", [x, y], name + ".add") if is_residual else y


def build(net):
    x = net.image((1, 3, 224, 224))
    x = swish(net, net.conv(x, "stem", 3, 32, 3, stride=2, pad=1), "stem")
    channels = 32
    for stage, (expansion, width, repeats, stride, size) in enumerate(STAGES):
        for index in range(repeats):
            x = block(net, x, f"stage{stage}.{index}", channels, width,
                      expansion, stride if index == 0 else 1, size)
            channels = width
    x = swish(net, net.conv(x, "head", channels, 1280, 1), "head")
    net.pooled_classifier(x, 1280, CLASSES)
