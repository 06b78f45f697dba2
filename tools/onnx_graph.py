# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs ONNX models node by node, with an array library's own functions.

Not a compiler: what a user of that library writes by hand, read from a model.
"""
import numpy
import onnx
from onnx import helper, numpy_helper


class Unsupported(RuntimeError):
    """The model needs what isn't here."""


class Node:
    """A node with its attributes, and where its values lie."""

    def __init__(self, proto, slots):
        self.op = proto.op_type
        self.domain = proto.domain
        self.name = proto.name or proto.op_type
        self.inputs = [slots(name) if name else None for name in proto.input]
        self.outputs = [slots(name) if name else None for name in proto.output]
        self.attributes = {attribute.name:
                           helper.get_attribute_value(attribute)
                           for attribute in proto.attribute}

    def get(self, name, default=None):
        value = self.attributes.get(name, default)
        if isinstance(value, bytes):
            return value.decode()
        if isinstance(value, onnx.TensorProto):
            return numpy_helper.to_array(value)
        return value


class Model:
    """A model's nodes in the functions of `operators`, whose methods are called
    by the nodes' names: method(node, *values)."""

    def __init__(self, path, operators, opset_least=13):
        proto = onnx.load(path)
        for opset in proto.opset_import:
            if opset.domain in ("", "ai.onnx") and opset.version < opset_least:
                raise Unsupported(f"opset {opset.version}; this program knows "
                                  f"{opset_least} and later")
        self.operators, self.names = operators, {}
        graph = proto.graph
        weights = {weight.name: numpy_helper.to_array(weight)
                   for weight in graph.initializer}
        self.inputs = [self._slot(value.name) for value in graph.input
                       if value.name not in weights]
        self.values = {self._slot(name): operators.array(weight)
                       for name, weight in weights.items()}
        self.steps = []
        for node in graph.node:
            self._add(Node(node, self._slot))
        self.outputs = [self._slot(value.name) for value in graph.output]
        self.table = [self.values.get(slot) for slot in range(len(self.names))]

    def _slot(self, name):
        return self.names.setdefault(name, len(self.names))

    def _add(self, node):
        method = getattr(self.operators, node.op, None)
        if method is None or node.domain not in ("", "ai.onnx"):
            raise Unsupported(f"no {node.op} in this program")
        # What depends on weights alone is computed once.
        if all(slot is None or slot in self.values for slot in node.inputs):
            results = self._results(method, node, self.values)
            self.values.update(zip(node.outputs, results))
        else:
            self.steps.append((method, node))

    @staticmethod
    def _results(method, node, values):
        results = method(node, *[None if slot is None else values[slot]
                                 for slot in node.inputs])
        return results if isinstance(results, (list, tuple)) else (results,)

    def run(self, inputs):
        if len(inputs) != len(self.inputs):
            raise Unsupported(f"the model has {len(self.inputs)} inputs, and "
                              f"{len(inputs)} are given")
        table = list(self.table)
        for slot, value in zip(self.inputs, inputs):
            table[slot] = value
        for method, node in self.steps:
            for slot, value in zip(node.outputs,
                                   self._results(method, node, table)):
                table[slot] = value
        return [table[slot] for slot in self.outputs]


def element_type(code):
    """NumPy's type by the number that models have for it."""
    if hasattr(helper, "tensor_dtype_to_np_dtype"):  # from 1.13 on
        return helper.tensor_dtype_to_np_dtype(code)
    return onnx.mapping.TENSOR_TYPE_TO_NP_TYPE[code]


def paddings(node, sizes, kernel, strides, dilations):
    """What is added before and behind each spatial dimension."""
    kind = node.get("auto_pad", "NOTSET")
    rank = len(kernel)
    if kind == "NOTSET":
        pads = node.get("pads", [0] * 2 * rank)
        return list(zip(pads[:rank], pads[rank:]))
    if kind == "VALID":
        return [(0, 0)] * rank
    result = []
    for size, width, stride, dilation in zip(sizes, kernel, strides, dilations):
        span = (width - 1) * dilation + 1
        total = max((-(-size // stride) - 1) * stride + span - size, 0)
        small = total // 2
        result.append((small, total - small) if kind == "SAME_UPPER"
                      else (total - small, small))
    return result


class Operators:
    """What is the same for all libraries whose arrays have Python's operators,
    `shape`, `reshape` and slices. Attributes and inputs: ONNX's operators."""
    # pylint: disable=invalid-name,missing-function-docstring,no-self-use

    def integers(self, array):
        """Numbers that shapes are made of."""
        return [int(number) for number in array.reshape(-1).tolist()]

    def window(self, node, x, kernel):
        rank = len(kernel)
        strides = node.get("strides", [1] * rank)
        dilations = node.get("dilations", [1] * rank)
        if node.get("ceil_mode", 0):
            raise Unsupported(f"no {node.op} with ceil_mode in this program")
        return strides, dilations, paddings(node, x.shape[2:], kernel, strides,
                                            dilations)

    def Constant(self, node):
        for name in ("value", "value_float", "value_int", "value_floats",
                     "value_ints"):
            if name in node.attributes:
                kind = numpy.float32 if "float" in name else numpy.int64
                value = node.get(name)
                if name != "value":
                    value = numpy.array(value, kind)
                return self.array(value)
        raise Unsupported("a Constant without a tensor")

    def Add(self, _, a, b):
        return a + b

    def Sub(self, _, a, b):
        return a - b

    def Mul(self, _, a, b):
        return a * b

    def Pow(self, _, a, b):
        return a ** b

    def Neg(self, _, x):
        return -x

    def Equal(self, _, a, b):
        return a == b

    def Greater(self, _, a, b):
        return a > b

    def Less(self, _, a, b):
        return a < b

    def MatMul(self, _, a, b):
        return a @ b

    def Gemm(self, node, a, b, c=None):
        a = a.T if node.get("transA", 0) else a
        b = b.T if node.get("transB", 0) else b
        alpha, beta = node.get("alpha", 1.0), node.get("beta", 1.0)
        product = a @ b if alpha == 1 else alpha * (a @ b)
        if c is None:
            return product
        return product + (c if beta == 1 else beta * c)

    def Identity(self, _, x):
        return x

    def Dropout(self, _, x, *__):
        return x

    def Flatten(self, node, x):
        axis = node.get("axis", 1)
        rows = 1
        for size in x.shape[:axis]:
            rows *= size
        return x.reshape(rows, -1)

    def Reshape(self, node, x, shape):
        sizes = self.integers(shape)
        if not node.get("allowzero", 0):
            sizes = [size or x.shape[i] for i, size in enumerate(sizes)]
        return x.reshape(sizes)

    def Squeeze(self, _, x, axes=None):
        axes = (self.integers(axes) if axes is not None else
                [i for i, size in enumerate(x.shape) if size == 1])
        gone = {axis % len(x.shape) for axis in axes}
        return x.reshape([size for i, size in enumerate(x.shape)
                          if i not in gone])

    def Unsqueeze(self, _, x, axes):
        axes = self.integers(axes)
        rank = len(x.shape) + len(axes)
        new, sizes = {axis % rank for axis in axes}, iter(x.shape)
        return x.reshape([1 if i in new else next(sizes) for i in range(rank)])

    def Slice(self, _, x, starts, ends, axes=None, steps=None):
        starts, ends = self.integers(starts), self.integers(ends)
        axes = self.integers(axes) if axes is not None else range(len(starts))
        steps = self.integers(steps) if steps is not None else [1] * len(starts)
        if min(steps) < 0:
            raise Unsupported("no Slice backwards in this program")
        where = [slice(None)] * len(x.shape)
        for axis, start, end, step in zip(axes, starts, ends, steps):
            where[axis] = slice(start, end, step)
        return x[tuple(where)]

    def Split(self, node, x, sizes=None):
        axis = node.get("axis", 0)
        if sizes is None:
            count = node.get("num_outputs", len(node.outputs))
            part = -(-x.shape[axis] // count)
            sizes = [min(part, x.shape[axis] - i * part) for i in range(count)]
        else:
            sizes = self.integers(sizes)
        parts, begin = [], 0
        for size in sizes:
            where = [slice(None)] * len(x.shape)
            where[axis] = slice(begin, begin + size)
            parts.append(x[tuple(where)])
            begin += size
        return parts

    def BatchNormalization(self, node, x, scale, bias, mean, variance):
        if node.get("training_mode", 0):
            raise Unsupported("no training in this program")
        shape = [1, -1] + [1] * (len(x.shape) - 2)
        scale = scale / (variance + node.get("epsilon", 1e-5)) ** 0.5
        return x * scale.reshape(shape) + (bias - mean * scale).reshape(shape)
