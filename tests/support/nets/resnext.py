# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ResNeXt-50 (32x4d): ResNet's blocks with 3x3 convolutions in 32 groups,
BatchNormalization folded into the convolutions."""

from nets.resnet import stages

CLASSES = 100


def block(net, x, name, channels, width, stride, project):
    filters = 2 * width
    y = net.relu(net.conv(x, name + ".conv1", channels, width, 1),
                 name + ".relu1")
    y = net.relu(net.conv(y, name + ".conv2", width, width, 3, stride=stride,
                          pad=1, group=32), name + ".relu2")
    # Little gain, or the sum would grow from block to block.
    y = net.conv(y, name + ".conv3", width, filters, 1, gain=0.3)
    if project:
        x = net.conv(x, name + ".project", channels, filters, 1, stride=stride,
                     gain=1.0)
    return net.relu(net.node("Add", [y, x], name + ".add"), name + ".relu3")


def build(net):
    x = net.image((1, 3, 224, 224))
    x = net.relu(net.conv(x, "conv1", 3, 64, 7, stride=2, pad=3), "relu1")
    x = net.max_pool(x, "pool1", pad=1)
    x, channels = stages(net, x, block, 128, growth=2, first=0)
    net.pooled_classifier(x, channels, CLASSES)
