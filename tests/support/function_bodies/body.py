# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A node of a function operator, and the body that is built for it."""
import numpy as np
from onnx import TensorProto, helper, numpy_helper, parser

FLOAT, INT64, BOOL, DOUBLE = (TensorProto.FLOAT, TensorProto.INT64,
                              TensorProto.BOOL, TensorProto.DOUBLE)


class Body:
    """What is known of the node, and the nodes of its body so far. Values have
    the operator's formal names; `types` holds (element type, shape) of each
    operand, None for one that is absent. The node means what it does at
    `node_opset`; its body is of `opset`."""

    def __init__(self, node, inputs, outputs, types, opset):
        self.node_opset = opset
        self.opset = max(opset, 18)
        self.inputs = inputs[:len(node.input)]
        self.outputs = [name for name, actual in zip(outputs, node.output)
                        if actual]
        self.nodes = []
        self._given = {name: bool(actual) for formal, actuals in
                       ((inputs, node.input), (outputs, node.output))
                       for name, actual in zip(formal, actuals)}
        self._types = dict(zip(inputs, types))
        self._attributes = {attribute.name:
                            helper.get_attribute_value(attribute)
                            for attribute in node.attribute}

    def attribute(self, name, default=None):
        value = self._attributes.get(name, default)
        return value.decode() if isinstance(value, bytes) else value

    def has(self, name):
        """Whether the node has this operand or result."""
        return self._given.get(name, False)

    def dtype(self, name):
        return self._types[name][0]

    def shape(self, name):
        return self._types[name][1]

    def add(self, text):
        """Appends nodes in ONNX's own syntax."""
        graph = parser.parse_graph(
            f"body (float x) => (float y) {{\n{text}\n}}")
        self.nodes.extend(graph.node)

    def constant(self, name, value, dtype=np.int64):
        tensor = numpy_helper.from_array(np.array(value, dtype), name)
        self.nodes.append(helper.make_node("Constant", [], [name],
                                           value=tensor))

    def number(self, name, value, like):
        """A float of the type of another value."""
        self.constant(f"{name}_float", value, np.float32)
        self.add(f"{name} = CastLike ({name}_float, {like})")

    def parameters(self, **defaults):
        """Attributes as numbers of the type of 'x'."""
        for name, default in defaults.items():
            self.number(name, self.attribute(name, default), "x")


def as_function(body, name, domain):
    """The body as a function of the model."""
    return helper.make_function(
        domain, name, body.inputs, body.outputs, body.nodes,
        [helper.make_opsetid("", body.opset)])
