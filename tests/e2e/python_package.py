# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Python package: built libraries called with arrays, lists and DLPack,
wrong calls, threads, the cache, and PyTorch's modules where it is installed.

    python_package.py LH_RUN
"""
import os
import pathlib
import sys
import tempfile
import threading
import unittest.mock

import numpy

import deploy
import support

sys.path.insert(0, str(support.ROOT / "python"))
import lighthouse  # noqa: E402  (its folder was only just named)


def refused(call, *words):
    """That `call` raises a lighthouse.Error whose text has these words."""
    try:
        call()
    except lighthouse.Error as error:
        for word in words:
            support.require(word in str(error), f"no '{word}' in '{error}'")
        return
    support.require(False, f"no error with {words}")


class Exchanged:
    """What has DLPack and nothing else."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, *given, **named):
        return self._array.__dlpack__(*given, **named)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


def check_calls(folder):
    weights = deploy.make_net(folder / "net.onnx")
    net = lighthouse.compile(folder / "net.onnx")
    support.require([each.name for each in net.inputs] == ["x"] and
                    net.inputs[0].shape == ("n", deploy.INNER), repr(net))
    x = numpy.random.default_rng(5).standard_normal(
        (3, deploy.INNER)).astype(numpy.float32)
    wanted = deploy.expected(weights, x.astype(numpy.float64))
    wide = numpy.zeros((3, 2 * deploy.INNER), numpy.float32)
    wide[:, ::2] = x
    for given in (x, x.tolist(), Exchanged(x), wide[:, ::2],
                  x.astype(">f4")):
        error = numpy.abs(net(given) - wanted).max()
        support.require(error < 1e-4, f"{type(given)}: off by {error}")
    support.require(numpy.array_equal(net(x=x), net(x)), "by name")
    refused(lambda: net(x.astype(numpy.float64)), "'x' is float64", "float32")
    refused(lambda: net(x[:, :5].copy()), "3x5", "nx6")
    refused(lambda: net(numpy.zeros((1,) * 9, numpy.float32)), "9 dimensions")
    refused(lambda: net(), "0 inputs")
    refused(lambda: net(y=x), "no input 'y'")
    refused(lambda: lighthouse.load(sys.executable), "lh-run")
    support.require(net.report()["schema"] > 0, "the report is kept")
    check_threads(net, x)
    return x, wanted


def check_threads(net, x):
    """One net for all, and one for each."""
    wanted, wrong = net(x), []

    def call(own):
        for _ in range(50):
            if not numpy.array_equal(own(x), wanted):
                wrong.append(1)
    for nets in ([net] * 4, [net.clone() for _ in range(4)]):
        threads = [threading.Thread(target=call, args=(own,)) for own in nets]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
    support.require(not wrong, "threads agree")


def check_cache(folder):
    """The second compile starts nothing; what can't be built isn't kept."""
    before = sorted(pathlib.Path(os.environ["LIGHTHOUSE_PYTHON_CACHE"])
                    .iterdir())
    with unittest.mock.patch("subprocess.run",
                             side_effect=AssertionError("it starts lh-run")):
        lighthouse.compile(folder / "net.onnx")
    (folder / "bad.onnx").write_bytes(b"\x08\x08\x12\x02hi")
    try:
        lighthouse.compile(folder / "bad.onnx")
        support.require(False, "no BuildError")
    except lighthouse.BuildError as error:
        support.require("error" in str(error), str(error))
    after = sorted(pathlib.Path(os.environ["LIGHTHOUSE_PYTHON_CACHE"])
                   .iterdir())
    support.require(before == after, f"{before} {after}")


def check_torch():
    try:
        import torch
    except ImportError:
        print("not tried here: PyTorch, package python3-torch")
        return
    net = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.BatchNorm2d(8),
                              torch.nn.ReLU(), torch.nn.Flatten(),
                              torch.nn.Linear(8 * 6 * 6, 5)).eval()
    x = torch.randn(2, 3, 8, 8)
    with torch.no_grad():
        wanted = net(x)
    for fast in (lambda given: torch.from_numpy(
            lighthouse.compile(net, (x,))(given)),
                 lambda given: lighthouse.backend(
                     torch.fx.symbolic_trace(net), [x])(given)[0]):
        error = (fast(x) - wanted).abs().max().item()
        support.require(error < 1e-5, f"off by {error}")


def main():
    parser = support.parser_of(__doc__)
    parser.add_argument("lh_run")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        os.environ["LH_RUN"] = options.lh_run
        os.environ["LIGHTHOUSE_CACHE"] = "off"
        os.environ["LIGHTHOUSE_PYTHON_CACHE"] = str(folder / "cache")
        check_calls(folder)
        check_cache(folder)
        check_torch()
    return 0


if __name__ == "__main__":
    sys.exit(main())
