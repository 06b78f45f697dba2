# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ResNet-50, BatchNormalization kept."""

CLASSES = 1000


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


def stages(net, x, block, width, growth, first):
    """Four stages of blocks, each twice as wide as the last one; their output
    and its channels. The names of stages count from `first`."""
    channels = 64
    for stage, count in enumerate([3, 4, 6, 3]):
        for i in range(count):
            stride = 2 if stage > 0 and i == 0 else 1
            x = block(net, x, f"stage{first + stage}.{i}", channels,
                      width << stage, stride, project=i == 0)
            channels = growth * (width << stage)
    return x, channels


def build(net):
    x = net.image((1, 3, 224, 224))
    x = net.conv(x, "conv1", 3, 64, 7, stride=2, pad=3, bias=False)
    x = net.relu(net.batch_norm(x, "bn1", 64), "relu1")
    x = net.max_pool(x, "pool1", pad=1)
    x, channels = stages(net, x, bottleneck, 64, growth=4, first=1)
    net.pooled_classifier(x, channels, CLASSES, pool="pool5")
