#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a small ONNX model, named by the first argument, to the second."""
import sys

import numpy
import onnx.numpy_helper
from onnx import TensorProto, helper


def graph_model(nodes, inputs, outputs, initializers=()):
    graph = helper.make_graph(nodes, "test", inputs, outputs, initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])


def value(name, dtype=TensorProto.FLOAT, shape=(2, 3)):
    return helper.make_tensor_value_info(name, dtype, shape)


def relu():
    return graph_model([helper.make_node("Relu", ["x"], ["y"])],
                       [value("x")], [value("y")])


def unsupported():
    return graph_model(
        [helper.make_node("NoSuchOp", ["x"], ["a"], name="first"),
         helper.make_node("Relu", ["a"], ["b"]),
         helper.make_node("AlsoMissing", ["b"], ["y"], name="second",
                          domain="com.example")],
        [value("x")], [value("y")])


def strings():
    return graph_model([helper.make_node("Identity", ["words"], ["y"])],
                       [value("words", TensorProto.STRING)],
                       [value("y", TensorProto.STRING)])


def sequence():
    kind = helper.make_sequence_type_proto(
        helper.make_tensor_type_proto(TensorProto.FLOAT, [2]))
    return graph_model(
        [helper.make_node("SequenceLength", ["list"], ["y"])],
        [onnx.helper.make_value_info("list", kind)],
        [value("y", TensorProto.INT64, ())])


def optional():
    kind = helper.make_optional_type_proto(
        helper.make_tensor_type_proto(TensorProto.FLOAT, [2]))
    return graph_model(
        [helper.make_node("OptionalGetElement", ["maybe"], ["y"])],
        [onnx.helper.make_value_info("maybe", kind)], [value("y", shape=(2,))])


def external(location):
    weight = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[2, 3],
                         data_location=TensorProto.EXTERNAL)
    weight.external_data.add(key="location", value=location)
    return graph_model([helper.make_node("Add", ["x", "w"], ["y"])],
                       [value("x")], [value("y")], [weight])


def weights():
    weight = numpy.arange(2048, dtype=numpy.float32).reshape(32, 64)
    return graph_model(
        [helper.make_node("MatMul", ["x", "w"], ["y"])],
        [value("x", shape=(1, 32))], [value("y", shape=(1, 64))],
        [onnx.numpy_helper.from_array(weight, "w")])


def dynamic(op, *shapes, output=None, **attributes):
    """One node whose inputs x0, x1, ... have named dimensions. A shape that
    begins with "int64" is one of integers."""
    inputs = [value(f"x{i}", TensorProto.INT64 if shape[:1] == ("int64",)
                    else TensorProto.FLOAT, [d for d in shape if d != "int64"])
              for i, shape in enumerate(shapes)]
    node = helper.make_node(op, [i.name for i in inputs], ["y"], name="it",
                            **attributes)
    return graph_model([node], inputs, [value("y", shape=output)])


def split():
    node = helper.make_node("Split", ["x0", "x1"], ["y", "z"], name="it")
    return graph_model(
        [node], [value("x0", shape=["n"]), value("x1", TensorProto.INT64, [2])],
        [value("y", shape=["a"]), value("z", shape=["b"])])


def select():
    """Forty boxes twice over, the second time with scores that differ by their
    rounding alone: float32 and float64 choose different ones of the two."""
    limits = [("most", [30], "int64"), ("overlap", [0.3], "float32"),
              ("least", [0.2], "float32"), ("third", [1 / 3], "float32")]
    return graph_model(
        [helper.make_node("Sigmoid", ["x"], ["b"]),
         helper.make_node("Concat", ["b", "b"], ["boxes"], axis=1),
         helper.make_node("Sigmoid", ["s"], ["once"]),
         helper.make_node("Mul", ["once", "third"], ["less"]),
         helper.make_node("Div", ["less", "third"], ["again"]),
         helper.make_node("Concat", ["once", "again"], ["scores"], axis=2),
         helper.make_node("NonMaxSuppression", ["boxes", "scores"] + [
             name for name, _, _ in limits[:3]], ["y"])],
        [value("x", shape=(1, 40, 4)), value("s", shape=(1, 2, 40))],
        [value("y", TensorProto.INT64, ("n", 3))],
        [onnx.numpy_helper.from_array(numpy.array(numbers, dtype), name)
         for name, numbers, dtype in limits])


def hostile_names():
    """Outputs with names that are no file names, or the same as such."""
    names = ["../../x", "a/b", "a_b", "/tmp/y", "n" * 5000, "..",
             "z\nerror: forged\x1b[2J"]
    return graph_model(
        [helper.make_node("Relu", ["x"], [name]) for name in names],
        [value("x")], [value(name) for name in names])


def hostile_op():
    return graph_model(
        [helper.make_node("Nope\n::error::forged\x1b[2J\u202e", ["x"], ["y"],
                          name="first\x07")], [value("x")], [value("y")])


DYNAMIC = {
    "symbols": lambda: dynamic("Concat", ("batch", "n"), ("batch", "m"),
                               output=("batch", "k"), axis=1),
    "broken-output": lambda: dynamic("Concat", ("n",), ("m",), output=("n",),
                                     axis=0),
    "declared": lambda: dynamic("Relu", ("n",), output=(4,)),
    "add": lambda: dynamic("Add", ("a", "b"), ("c", 3), output=("d", "e")),
    "concat": lambda: dynamic("Concat", ("a", "b"), ("c", "d"),
                              output=("e", "f"), axis=1),
    "matmul": lambda: dynamic("MatMul", ("a", "b"), ("c", "d"),
                              output=("e", "f")),
    "reshape": lambda: dynamic("Reshape", ("a", "b"), ("int64", 2),
                               output=("c", "d")),
    "expand": lambda: dynamic("Expand", ("a", "b"), ("int64", 2),
                              output=("c", "d")),
    "norm": lambda: dynamic("BatchNormalization", ("n", "c", "h"), ("k",),
                            ("k",), ("k",), ("k",), output=("n", "c", "h")),
    "conv": lambda: dynamic("Conv", ("n", "c", 5, 5), (4, 3, 3, 3),
                            output=("n", 4, 3, 3)),
    "split": split,
}
MODELS = {"relu": relu, **DYNAMIC, "unsupported": unsupported, "strings": strings,
          "sequence": sequence, "optional": optional, "weights": weights,
          "select": select, "hostile-names": hostile_names,
          "hostile-op": hostile_op,
          "external-outside": lambda: external("../outside.bin"),
          "external-absolute": lambda: external("/etc/hostname"),
          "external-missing": lambda: external("missing.bin")}

with open(sys.argv[2], "wb") as file:
    file.write(MODELS[sys.argv[1]]().SerializeToString())
