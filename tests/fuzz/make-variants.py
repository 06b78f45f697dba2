#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""make-variants.py SEEDS OUT: of each model in SEEDS, copies whose inputs are
declared, one at a time and all at once, as scalars, as vectors, with one
dimension more, one fewer, with none but empty dimensions, or of another type;
and copies whose nodes lack an input or an output. An operator that counts on
a rank without asking reads past the end of a shape; chance seldom gets there,
as everything else about the node must stay right."""
import pathlib
import shutil
import sys

import onnx
from google.protobuf.message import DecodeError
from onnx import TensorProto

TYPES = (TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.BFLOAT16,
         TensorProto.INT64, TensorProto.UINT8, TensorProto.BOOL,
         TensorProto.STRING, TensorProto.UNDEFINED)


def shapes_instead(shape):
    """Lists of dimensions: those of `shape` changed."""
    yield []
    yield list(shape[:1]) or [3]
    yield list(shape) + [2]
    yield list(shape[1:])
    yield list(shape[:-1])
    yield [0] * len(shape)


def redeclared(model, positions, variant):
    """The model with these inputs' shapes replaced, or nothing."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    for position in positions:
        kind = copy.graph.input[position].type.tensor_type
        shape = list(shapes_instead([d.dim_value for d in kind.shape.dim]))
        kind.shape.ClearField("dim")
        for size in shape[variant]:
            kind.shape.dim.add().dim_value = size
    return copy.SerializeToString()


def retyped(model, positions, element):
    """The model with these inputs of another element type."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    for position in positions:
        copy.graph.input[position].type.tensor_type.elem_type = element
    return copy.SerializeToString()


def lacking(model, node, kind, position):
    """The model whose node doesn't name this input or output."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    getattr(copy.graph.node[node], kind)[position] = ""
    return copy.SerializeToString()


def variants(model):
    inputs = [i for i, value in enumerate(model.graph.input)
              if value.type.HasField("tensor_type")]
    choices = [[i] for i in inputs] + ([inputs] if len(inputs) > 1 else [])
    for positions in choices:
        for variant in range(len(list(shapes_instead([])))):
            yield redeclared(model, positions, variant)
        for element in TYPES:
            yield retyped(model, positions, element)
    for i, node in enumerate(model.graph.node):
        for kind in ("input", "output"):
            for position in range(len(getattr(node, kind))):
                yield lacking(model, i, kind, position)


def main():
    seeds, out = map(pathlib.Path, sys.argv[1:])
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    written = set()
    for path in sorted(seeds.iterdir()):
        try:
            model = onnx.load_model_from_string(path.read_bytes())
        except DecodeError:
            continue  # a hostile seed that is no model
        written.update(variants(model))
    if len(written) < 1000:
        sys.exit(f"only {len(written)} models were made from {seeds}")
    for number, content in enumerate(sorted(written)):
        (out / f"{number:05}").write_bytes(content)
    print(f"{len(written)} models")


main()
