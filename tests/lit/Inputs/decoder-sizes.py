# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A step with a cache, whose sizes are named as exporters name them:

    decoder-sizes.py MODEL"""
import sys

import onnx
from onnx import TensorProto, helper


def tensor(name, *sizes):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, sizes)


GRAPH = helper.make_graph(
    [helper.make_node("Concat", ["past", "x"], ["all"], "join", axis=1),
     helper.make_node("Add", ["all", "mask"], ["y"], "masked")],
    "decoder",
    # The sum stands before what it adds.
    [tensor("mask", "batch", "past + sequence"),
     tensor("x", "batch", "sequence"), tensor("past", "batch", "past")],
    [tensor("y", "batch", "past + sequence")])
onnx.save(helper.make_model(
    GRAPH, ir_version=8, opset_imports=[helper.make_opsetid("", 17)]),
    sys.argv[1])
