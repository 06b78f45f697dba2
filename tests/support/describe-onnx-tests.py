#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says of each test of an ONNX backend test corpus which operators it has, and
whether it is one of numbers alone, by its model (read by python3-onnx).

    describe-onnx-tests.py /usr/share/libonnx-testdata/data

prints JSON: {"KIND/TEST": {"ops": [...], "foreign": null or a reason}}. A test
is foreign when

- an input, output or value of its graph holds strings;
- an initialiser, or a tensor of a Constant, holds strings;
- an operator is of another domain, or drops at random (training).
"""
import json
import pathlib
import sys

import onnx

STRING = onnx.TensorProto.STRING


def nodes_of(graph):
    """Every node, those of subgraphs too."""
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            for inner in [attribute.g, *attribute.graphs]:
                yield from nodes_of(inner)


def tensors_of(graph):
    yield from graph.initializer
    for node in nodes_of(graph):
        for attribute in node.attribute:
            yield attribute.t
            for inner in [attribute.g, *attribute.graphs]:
                yield from inner.initializer


def trains(node):
    """Whether Dropout drops at random: its third input asks for training."""
    return node.op_type == "Dropout" and len(node.input) > 2 and node.input[2]


def foreign_operator(node):
    if node.domain not in ("", "ai.onnx"):
        return f"{node.op_type} is of the domain {node.domain}"
    if trains(node):
        return f"{node.op_type} drops at random"
    return None


def foreign_value(value):
    kind = value.type
    while kind.WhichOneof("value") in ("sequence_type", "optional_type"):
        kind = getattr(kind, kind.WhichOneof("value")).elem_type
    if kind.tensor_type.elem_type == STRING:
        return f"'{value.name}' holds strings"
    return None


def reason(graph):
    """Why the model is not one of numbers alone; None when it is."""
    reasons = [foreign_value(value)
               for value in [*graph.input, *graph.output, *graph.value_info]]
    reasons += [foreign_operator(node) for node in nodes_of(graph)]
    reasons += [f"'{tensor.name}' holds strings"
                for tensor in tensors_of(graph) if tensor.data_type == STRING]
    return next((text for text in reasons if text), None)


def main():
    corpus = pathlib.Path(sys.argv[1])
    found = {}
    for path in sorted(corpus.glob("*/test_*/model.onnx")):
        name = f"{path.parts[-3]}/{path.parts[-2]}"
        graph = onnx.load(str(path)).graph
        ops = sorted({node.op_type for node in nodes_of(graph)})
        found[name] = {"ops": ops, "foreign": reason(graph)}
    json.dump(found, sys.stdout, indent=1)


main()
