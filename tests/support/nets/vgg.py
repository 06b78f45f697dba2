# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""VGG-19: sixteen 3x3 convolutions and three wide layers."""

CLASSES = 1000


def build(net):
    x, channels, side = net.image((1, 3, 224, 224)), 3, 224
    for stage, (width, depth) in enumerate(
            [(64, 2), (128, 2), (256, 4), (512, 4), (512, 4)], 1):
        for layer in range(1, depth + 1):
            name = f"conv{stage}_{layer}"
            x = net.conv(x, name, channels, width, 3, pad=1)
            x, channels = net.relu(x, name + ".relu"), width
        x, side = net.max_pool(x, f"pool{stage}", size=2), side // 2
    x, features = net.node("Flatten", [x], "flatten", axis=1), 512 * side ** 2
    for name in ("fc6", "fc7"):
        x = net.relu(net.linear(x, name, features, 4096), name + ".relu")
        features = 4096
    net.classifier(x, features, CLASSES, name="fc8")
    net.output("logits", [1, CLASSES])
