#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""expand-functions.py OUT [--every] CORPUS...: copies of the node tests of each
CORPUS whose model is one node of a function operator, with the operator's body
in its place. OUT gets of each operator the test with the smallest model, or all
of them with --every. Prints as JSON the tests written by operator, and what was
left out and why."""
import collections
import fnmatch
import json
import pathlib
import shutil
import sys

import onnx

from function_bodies import BODIES, EXCEPT, LISTED
from function_bodies.body import Body, as_function

DOMAIN = "lighthouse.body"

def opset_of(model):
    return next(one.version for one in model.opset_import
                if one.domain in ("", "ai.onnx"))


def types_of(model, node):
    """Element type and shape of each operand."""
    known = {value.name: (value.type.tensor_type.elem_type,
                          value.type.tensor_type.shape.dim)
             for value in model.graph.input}
    known.update({kept.name: (kept.data_type, kept.dims)
                  for kept in model.graph.initializer})
    return [known.get(name) for name in node.input]


def expanded(model):
    """The model with its node's body as a local function."""
    node = model.graph.node[0]
    build, inputs, outputs = BODIES[node.op_type]
    types = [kind and (kind[0], [getattr(size, "dim_value", size)
                                 for size in kind[1]])
             for kind in types_of(model, node)]
    body = Body(node, inputs, outputs, types, opset_of(model))
    build(body)
    function = as_function(body, node.op_type, DOMAIN)
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    call = copy.graph.node[0]
    call.domain = DOMAIN
    del call.attribute[:]
    results = [name for name in call.output if name]
    del call.output[:]
    call.output.extend(results)
    copy.functions.append(function)
    del copy.opset_import[:]
    copy.opset_import.extend([onnx.helper.make_opsetid("", body.opset),
                              onnx.helper.make_opsetid(DOMAIN, 1)])
    copy.ir_version = max(copy.ir_version, 8)
    return copy


def write(source, model, target):
    shutil.copytree(source, target)
    (target / "model.onnx").write_bytes(model.SerializeToString())


def candidates(corpora):
    """(operator, folder, model) of each test of one function operator."""
    for corpus in corpora:
        for path in sorted(pathlib.Path(corpus).glob("node/*/model.onnx")):
            model = onnx.load(path)
            nodes = model.graph.node
            if (len(nodes) == 1 and nodes[0].domain in ("", "ai.onnx")
                    and nodes[0].op_type in {**BODIES, **LISTED}):
                yield nodes[0].op_type, path.parent, model


def exception_of(name):
    """Why the test is left out, or None."""
    return next((why for pattern, why in EXCEPT.items()
                 if fnmatch.fnmatch(name, pattern)), None)


def main(out, *words):
    every = "--every" in words
    found, left_out = collections.defaultdict(list), {}
    for op, folder, model in candidates(
            word for word in words if word != "--every"):
        why = LISTED.get(op) or exception_of(folder.name)
        if why:
            left_out[folder.name] = why
        else:
            found[op].append((folder, model))
    written = collections.defaultdict(list)
    for op, tests in found.items():
        if not every:
            tests = [min(tests, key=lambda test: test[1].ByteSize())]
        for folder, model in tests:
            target = pathlib.Path(out) / "node" / folder.name
            if not target.exists():
                write(folder, expanded(model), target)
                written[op].append(folder.name)
    print(json.dumps({"written": written, "left out": left_out,
                      "without a body": LISTED,
                      "without a test": sorted(BODIES.keys() - found.keys())}))


main(*sys.argv[1:])
