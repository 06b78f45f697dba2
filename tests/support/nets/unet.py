# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A U-Net: halved and doubled again, with skips; its sizes are chosen so that
the deepest doubling must meet an odd size."""
import math

from nets.exporter import Exporter

CLASSES = 2
SHAPE = (1, 3, 20, 28)


def double_conv(net, x, name, channels, width):
    x = net.relu(net.conv(x, name + ".conv1", channels, width, 3, pad=1),
                 name + ".relu1")
    return net.relu(net.conv(x, name + ".conv2", width, width, 3, pad=1),
                    name + ".relu2")


def up_by_convolution(net, x, name, channels, width):
    shape = (channels, width, 2, 2)
    weight = net.normal.draw(shape) * math.sqrt(1 / channels)
    bias = net.normal.draw((width,)) * 0.1
    return net.node("ConvTranspose",
                    [x, net.weight(name + ".weight", weight),
                     net.weight(name + ".bias", bias)], name,
                    kernel_shape=[2, 2], strides=[2, 2])


def up_by_resize(net, x, skip, name, channels, width):
    """To the size of the skip, as interpolate(size=...) is exported."""
    export = Exporter(net)
    spatial = export.slice(net.node("Shape", [skip], name + ".skip_shape"),
                           2, 4, name + ".spatial")
    front = export.slice(net.node("Shape", [x], name + ".shape"), 0, 2,
                         name + ".front")
    sizes = net.node("Concat", [front, spatial], name + ".sizes", axis=0)
    x = net.node("Resize", [x, "", "", sizes], name + ".resize",
                 mode="linear", coordinate_transformation_mode="half_pixel",
                 nearest_mode="floor", cubic_coeff_a=-0.75)
    return net.conv(x, name + ".conv", channels, width, 1, gain=1.0)


def build(net, width=8, shape=SHAPE):
    x, skips, channels = net.image(shape), [], 3
    for level in range(3):
        x = double_conv(net, x, f"down{level}", channels, width << level)
        skips.append(x)
        channels = width << level
        x = net.max_pool(x, f"pool{level}", size=2)
    x = double_conv(net, x, "bottom", channels, 2 * channels)
    for level in reversed(range(3)):
        skip, name = skips[level], f"up{level}"
        if level == 2:
            x = up_by_resize(net, x, skip, name, 2 * channels, channels)
        else:
            x = up_by_convolution(net, x, name, 2 * channels, channels)
        x = net.node("Concat", [skip, x], name + ".concat", axis=1)
        x = double_conv(net, x, name + ".block", 2 * channels, channels)
        channels //= 2
    net.node("Identity", [net.conv(x, "head", 2 * channels, CLASSES, 1)],
             "identity", output="logits")
    net.output("logits", [1, CLASSES, *shape[2:]])
