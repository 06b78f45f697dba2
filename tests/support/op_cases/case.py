# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a case in the layout of ONNX's backend tests: a model of one or a few
nodes, its inputs, and the outputs an independent reference gives."""
import pathlib
import zlib

import numpy as np
import onnx
from onnx import helper, numpy_helper

FOLDER = (pathlib.Path(__file__).resolve().parents[3] / "golden" / "onnx-ops" /
          "node")
IR_VERSION = 10
# How far libraries' sums and functions may be off, by the type they are
# rounded to: a few units in the last place.
ROUNDING = {onnx.TensorProto.FLOAT: 5e-7, onnx.TensorProto.DOUBLE: 1e-14,
            onnx.TensorProto.FLOAT16: 2e-3}


def random_of(name):
    """A generator of its own per case: adding one case changes no other."""
    return np.random.default_rng(zlib.crc32(name.encode()))


class Maybe:
    """An optional: an array, a list of arrays, or None; the value whose type
    it has where there is none is `like`."""

    def __init__(self, value, like=None):
        self.value, self.like = value, value if value is not None else like


def as_tensor(name, value):
    """A TensorProto of a numpy array; TensorProtos (for the types numpy lacks)
    are taken as they are. A list gives a SequenceProto, Maybe an
    OptionalProto."""
    if isinstance(value, list):
        return numpy_helper.from_list([np.asarray(v) for v in value], name)
    if isinstance(value, Maybe):
        return numpy_helper.from_optional(value.value, name)
    if isinstance(value, onnx.TensorProto):
        tensor = onnx.TensorProto()
        tensor.CopyFrom(value)
        tensor.name = name
        return tensor
    return numpy_helper.from_array(np.asarray(value), name)


def _list_type(value):
    """The type of a list or of Maybe: what it holds has one element type,
    float32 where it holds nothing."""
    if isinstance(value, Maybe):
        return helper.make_optional_type_proto(_list_type(value.like))
    if isinstance(value, list):
        value = value[0] if value else np.float32(0)
        return helper.make_sequence_type_proto(_list_type(value))
    array = np.asarray(value)
    return helper.make_tensor_type_proto(
        onnx.mapping.NP_TYPE_TO_TENSOR_TYPE[array.dtype], None)


def as_value_info(name, value, shape=None):
    """The declared type; `shape` may hold symbols."""
    if isinstance(value, (list, Maybe)):
        return helper.make_value_info(name, _list_type(value))
    tensor = as_tensor(name, value)
    shape = list(tensor.dims) if shape is None else shape
    return helper.make_tensor_value_info(name, tensor.data_type, shape)


def packed(data_type, shape, raw):
    """A TensorProto of a type numpy lacks, from its bytes (little-endian; the
    sub-byte types packed low bits first)."""
    tensor = onnx.TensorProto()
    tensor.data_type = data_type
    tensor.dims.extend(shape)
    tensor.raw_data = bytes(raw)
    return tensor


def write_case(name, nodes, inputs, outputs, opset, initializers=None,
               opsets=(), functions=(), shapes=None):
    """`inputs`, `outputs`, `initializers`: {name: array}; `opsets`: more pairs
    (domain, version); `shapes`: {name: declared shape}, for those that are not
    declared as they are."""
    nodes = nodes if isinstance(nodes, (list, tuple)) else [nodes]
    shapes = shapes or {}
    kept = [as_tensor(key, value)
            for key, value in (initializers or {}).items()]
    graph = helper.make_graph(
        nodes, name,
        [as_value_info(key, value, shapes.get(key))
         for key, value in inputs.items()],
        [as_value_info(key, value, shapes.get(key))
         for key, value in outputs.items()], kept)
    imports = [helper.make_opsetid(domain, version)
               for domain, version in (("", opset), *opsets)]
    model = helper.make_model(graph, producer_name="lighthouse",
                              opset_imports=imports, functions=functions)
    model.ir_version = IR_VERSION
    data = FOLDER / f"test_{name}" / "test_data_set_0"
    data.mkdir(parents=True, exist_ok=True)
    (data.parent / "model.onnx").write_bytes(model.SerializeToString())
    for kind, values in (("input", inputs), ("output", outputs)):
        for position, (key, value) in enumerate(values.items()):
            path = data / f"{kind}_{position}.pb"
            path.write_bytes(as_tensor(key, value).SerializeToString())


def _numbers(tensor):
    """The values of a float tensor, as float64; None for types that are
    compared as they are."""
    if tensor.data_type in (onnx.TensorProto.FLOAT, onnx.TensorProto.DOUBLE,
                            onnx.TensorProto.FLOAT16):
        return numpy_helper.to_array(tensor).astype(np.float64)
    return None


def _tensors_of(message):
    """Every TensorProto in a message, in order."""
    if isinstance(message, onnx.TensorProto):
        yield message
        return
    for field, value in message.ListFields():
        if field.message_type:
            repeated = field.label == field.LABEL_REPEATED
            for one in value if repeated else [value]:
                yield from _tensors_of(one)


def _tensor_difference(one, other):
    if (one.data_type, one.dims, one.name) != \
            (other.data_type, other.dims, other.name):
        return f"'{one.name}' is of another type or shape"
    a, b = _numbers(one), _numbers(other)
    if a is None:
        same = one.SerializeToString() == other.SerializeToString()
        return None if same else f"'{one.name}' differs"
    rounding = ROUNDING[one.data_type]
    if np.allclose(a, b, rtol=rounding, atol=rounding, equal_nan=True):
        return None
    return f"'{one.name}' differs by up to {np.nanmax(np.abs(a - b)):.1e}"


def difference(one, other):
    """Why two files that write_case wrote are not the same; None if they are,
    but for rounding, which lists don't have."""
    if one.read_bytes() == other.read_bytes():
        return None
    kind = onnx.ModelProto if one.suffix == ".onnx" else onnx.TensorProto
    messages = [kind.FromString(path.read_bytes()) for path in (one, other)]
    pairs = [list(_tensors_of(message)) for message in messages]
    if len(pairs[0]) != len(pairs[1]):
        return "it holds another number of tensors"
    for mine, theirs in zip(*pairs):
        reason = _tensor_difference(mine, theirs)
        if reason:
            return reason
        theirs.CopyFrom(mine)
    if messages[0].SerializeToString() != messages[1].SerializeToString():
        return "the graph differs"
    return None
