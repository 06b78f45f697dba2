# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""DenseNet-121: every layer reads all earlier ones of its block."""

CLASSES = 100


def dense_layer(net, x, name, channels, growth):
    y = net.relu(net.batch_norm(x, name + ".norm1", channels), name + ".relu1")
    y = net.conv(y, name + ".conv1", channels, 4 * growth, 1, bias=False)
    y = net.relu(net.batch_norm(y, name + ".norm2", 4 * growth),
                 name + ".relu2")
    return net.conv(y, name + ".conv2", 4 * growth, growth, 3, pad=1,
                    bias=False, gain=1.0)


def transition(net, x, name, channels):
    x = net.relu(net.batch_norm(x, name + ".norm", channels), name + ".relu")
    x = net.conv(x, name + ".conv", channels, channels // 2, 1, bias=False,
                 gain=1.0)
    return net.node("AveragePool", [x], name + ".pool", kernel_shape=[2, 2],
                    strides=[2, 2])


def build(net, blocks=(2, 3, 3, 2), growth=8, size=64):
    x = net.image((1, 3, size, size))
    channels = 2 * growth
    x = net.conv(x, "conv0", 3, channels, 7, stride=2, pad=3, bias=False)
    x = net.relu(net.batch_norm(x, "norm0", channels), "relu0")
    x = net.max_pool(x, "pool0", pad=1)
    for block, layers in enumerate(blocks):
        features = [x]
        for layer in range(layers):
            name = f"block{block}.{layer}"
            # One layer's input is the concatenation of all before it.
            x = net.node("Concat", features, name + ".concat", axis=1)
            features.append(dense_layer(net, x, name, channels, growth))
            channels += growth
        x = net.node("Concat", features, f"block{block}.concat", axis=1)
        if block + 1 < len(blocks):
            x = transition(net, x, f"transition{block}", channels)
            channels //= 2
    x = net.relu(net.batch_norm(x, "norm5", channels), "relu5")
    net.pooled_classifier(x, channels, CLASSES, pool="pool5")


def build_full(net):
    build(net, blocks=(6, 12, 24, 16), growth=32, size=224)
