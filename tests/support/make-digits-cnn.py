#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes golden/digits-cnn: a small convolutional classifier of scikit-learn's
handwritten digits, trained with PyTorch and exported by torch.onnx.export.

Needs Debian's python3-torch, python3-sklearn and python3-onnx. Neither running
nor testing lh-run needs it: what it writes is committed.

    tests/support/make-digits-cnn.py golden/digits-cnn
"""

import argparse
import hashlib
import json
import pathlib
import platform

import numpy
import onnx
import sklearn
import sklearn.datasets
import torch

SEED = 2026
HELD_OUT = 128
EPOCHS = 40
OPSET = 13


class DigitsNet(torch.nn.Module):
    """8x8 grey image -> 10 logits."""

    def __init__(self):
        super().__init__()
        self.features = torch.nn.Sequential(
            torch.nn.Conv2d(1, 12, 3, padding=1),
            torch.nn.ReLU(),
            torch.nn.Conv2d(12, 24, 3, padding=1),
            torch.nn.ReLU(),
            torch.nn.MaxPool2d(2),
            torch.nn.Conv2d(24, 24, 3, padding=1),
            torch.nn.ReLU(),
        )
        self.classify = torch.nn.Linear(24 * 4 * 4, 10)

    def forward(self, image):
        return self.classify(torch.flatten(self.features(image), 1))


def load_digits():
    """Images in [0, 1] as N x 1 x 8 x 8, shuffled by the seed."""
    digits = sklearn.datasets.load_digits()
    order = numpy.random.Generator(numpy.random.PCG64(SEED)).permutation(
        len(digits.target))
    images = (digits.images[order] / 16.0).astype(numpy.float32)
    return images[:, None], digits.target[order].astype(numpy.int64)


def train(images, labels):
    torch.manual_seed(SEED)
    torch.use_deterministic_algorithms(True)
    torch.set_num_threads(1)
    net = DigitsNet()
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3, weight_decay=1e-4)
    images, labels = torch.from_numpy(images), torch.from_numpy(labels)
    for _ in range(EPOCHS):
        for batch in torch.randperm(len(images)).split(64):
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(net(images[batch]),
                                                     labels[batch])
            loss.backward()
            optimizer.step()
    return net.eval()


def export(net, sample, path):
    torch.onnx.export(
        net, sample, str(path), opset_version=OPSET, input_names=["image"],
        output_names=["logits"],
        dynamic_axes={"image": {0: "batch"}, "logits": {0: "batch"}})
    onnx.checker.check_model(onnx.load(str(path)))


def write(folder):
    images, labels = load_digits()
    net = train(images[HELD_OUT:], labels[HELD_OUT:])
    images, labels = images[:HELD_OUT], labels[:HELD_OUT]
    with torch.no_grad():
        logits = net(torch.from_numpy(images)).numpy()
    accuracy = float((logits.argmax(1) == labels).mean())
    if accuracy < 0.97:
        raise SystemExit(f"only {accuracy:.1%} of the held-out images are "
                         "classified rightly; at least 97 % are wanted")
    for name in ("inputs", "outputs"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    export(net, torch.from_numpy(images[:1]), folder / "model.onnx")
    numpy.save(folder / "inputs/0-image.npy", images)
    numpy.save(folder / "outputs/0-logits.npy", logits)
    numpy.save(folder / "labels.npy", labels)
    write_provenance(folder, accuracy)
    print(f"{folder}: {accuracy:.2%} of {HELD_OUT} held-out images")


def write_provenance(folder, accuracy):
    def sha256(name):
        return hashlib.sha256((folder / name).read_bytes()).hexdigest()

    files = ["inputs/0-image.npy", "outputs/0-logits.npy", "labels.npy"]
    provenance = {
        "producer": "tests/support/make-digits-cnn.py",
        "versions": {
            "python": platform.python_version(),
            "torch": torch.__version__,
            "onnx": onnx.__version__,
            "scikit-learn": sklearn.__version__,
            "numpy": numpy.__version__,
        },
        "target": "any",
        "dtypes": {"logits": "float32"},
        "seed": SEED,
        "model_sha256": sha256("model.onnx"),
        "files": {name: sha256(name) for name in files},
        "notes": {
            "data": "scikit-learn's handwritten digits (UCI optdigits, test "
                    f"set), {HELD_OUT} images held out of training",
            "opset": OPSET,
            "accuracy": accuracy,
        },
    }
    (folder / "provenance.json").write_text(
        json.dumps(provenance, indent=2) + "\n")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    write(parser.parse_args().folder)


if __name__ == "__main__":
    main()
