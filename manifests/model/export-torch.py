#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the PyTorch model of a Python file as ONNX.

    export-torch.py NET.py OUTPUT.onnx

The file has two functions: model() returns a torch.nn.Module, inputs() a tuple
of example tensors. Opset 16 is what PyTorch 1.13 and 2 both write."""
import importlib.util
import inspect
import pathlib
import sys

OPSET = 16


def load(path):
    """The file as a module; files beside it can be imported by it."""
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in ("model", "inputs"):
        if not callable(getattr(module, name, None)):
            sys.exit(f"{path.name} has no function {name}(); model() returns a "
                     "torch.nn.Module, inputs() a tuple of example tensors")
    return module


def main():
    if len(sys.argv) != 3:
        sys.exit(inspect.cleandoc(__doc__))
    path = pathlib.Path(sys.argv[1]).resolve()
    try:
        import torch
    except ImportError:
        sys.exit("PyTorch is not installed for this Python (Debian: "
                 "python3-torch)")
    net = load(path)
    torch.onnx.export(net.model().eval(), tuple(net.inputs()), sys.argv[2],
                      opset_version=OPSET)


if __name__ == "__main__":
    main()
