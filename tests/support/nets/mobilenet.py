# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MobileNetV2: inverted residual blocks with depthwise convolutions and ReLU6,
BatchNormalization folded into them as an exporter does."""

CLASSES = 100
# Expansion, channels, repeats, stride.
STAGES = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2),
          (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]


def relu6(net, x, name, low, high):
    return net.node("Clip", [x, low, high], name)


def inverted_residual(net, x, name, channels, width, expansion, stride, clip):
    """Widen by 1x1, filter each channel by 3x3, narrow by 1x1."""
    hidden, y = channels * expansion, x
    if expansion != 1:
        y = clip(net.conv(y, name + ".expand", channels, hidden, 1),
                 name + ".expand_relu6")
    # Much gain, so that some values reach the upper bound.
    y = clip(net.conv(y, name + ".depthwise", hidden, hidden, 3, stride=stride,
                      pad=1, group=hidden, gain=4.0),
             name + ".depthwise_relu6")
    is_residual = stride == 1 and channels == width
    y = net.conv(y, name + ".project", hidden, width, 1,
                 gain=0.5 if is_residual else 1.0)
    return net.node("Add", [x, y], name + ".add") if is_residual else y


def build(net, scale=0.25, size=64, stages=STAGES):
    low = net.constant(0.0, "float32")
    high = net.constant(6.0, "float32")

    def clip(x, name):
        return relu6(net, x, name, low, high)

    def scaled(count):
        return max(8, int(count * scale + 4) // 8 * 8)

    x = net.image((1, 3, size, size))
    channels = scaled(32)
    x = clip(net.conv(x, "stem", 3, channels, 3, stride=2, pad=1), "stem_relu6")
    for stage, (expansion, width, repeats, stride) in enumerate(stages):
        for block in range(repeats):
            x = inverted_residual(net, x, f"stage{stage}.{block}", channels,
                                  scaled(width), expansion,
                                  stride if block == 0 else 1, clip)
            channels = scaled(width)
    last = scaled(1280)
    x = clip(net.conv(x, "head", channels, last, 1), "head_relu6")
    net.pooled_classifier(x, last, CLASSES)


def build_full(net):
    build(net, scale=1.0, size=224)


def build_small(net):
    """Blocks with and without a stride and a residual, for emulators."""
    build(net, size=32, stages=[(1, 16, 1, 1), (6, 24, 2, 2), (6, 64, 1, 2)])
