# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that lh-run has compiled, from Python.

    import lighthouse
    net = lighthouse.load("libnet.so")            # made by: lh-run build net.onnx
    scores = net(image)                           # NumPy in, NumPy out

    net = lighthouse.compile("net.onnx")          # builds it first, or finds it
    net = lighthouse.compile(module, (example,))  # a torch.nn.Module

A library needs neither lh-run nor LLVM; compile() starts lh-run."""
from ._build import BuildError, backend, compile
from ._library import Error, Net, TensorType, load

__all__ = ["BuildError", "Error", "Net", "TensorType", "backend", "compile",
           "load"]
