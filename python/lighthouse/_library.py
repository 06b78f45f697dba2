# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Built libraries by their C functions."""
import collections
import ctypes
import json
import os
import threading

import numpy

MAX_RANK = 8
# In the order of enum lh_type; the NumPy type that holds an element's bytes.
_TYPES = {
    "bool": numpy.bool_, "int8": numpy.int8, "int16": numpy.int16,
    "int32": numpy.int32, "int64": numpy.int64, "uint8": numpy.uint8,
    "uint16": numpy.uint16, "uint32": numpy.uint32, "uint64": numpy.uint64,
    "float16": numpy.float16, "bfloat16": numpy.uint16,
    "float32": numpy.float32, "float64": numpy.float64,
    "float8e4m3fn": numpy.uint8, "float8e4m3fnuz": numpy.uint8,
    "float8e5m2": numpy.uint8, "float8e5m2fnuz": numpy.uint8,
    "float8e8m0": numpy.uint8, "float4e2m1": numpy.uint8, "int4": numpy.int8,
    "uint4": numpy.uint8, "int2": numpy.int8, "uint2": numpy.uint8}
_CODES = {name: code for code, name in enumerate(_TYPES)}
_NAMES = list(_TYPES)

# An input or output: `shape` has a number, a name, or None per dimension.
TensorType = collections.namedtuple("TensorType", "name type shape")


class Error(ValueError):
    """What a library says of a call; `status` is its enum lh_status."""

    def __init__(self, text, status):
        super().__init__(text)
        self.status = status


class _Tensor(ctypes.Structure):
    """struct lh_tensor"""
    _fields_ = [("data", ctypes.c_void_p), ("bytes", ctypes.c_size_t),
                ("type", ctypes.c_int32), ("rank", ctypes.c_int32),
                ("shape", ctypes.c_int64 * MAX_RANK)]


class _Functions:
    """What a library has under its own name."""

    def __init__(self, path):
        try:
            library = ctypes.CDLL(path)
        except OSError as problem:
            raise Error(f"'{path}' is no library that lh-run has built: "
                        f"{problem}", 0) from None
        try:
            place = ctypes.addressof(ctypes.c_char.in_dll(library,
                                                          "lh_net_name"))
        except ValueError:
            raise Error(f"'{path}' is no library that lh-run has built",
                        0) from None
        self.name = ctypes.string_at(place).decode()
        pointer, status = ctypes.c_void_p, ctypes.c_int32
        tensors, size = ctypes.POINTER(_Tensor), ctypes.c_size_t
        self.create = self._find(library, "create", status,
                                 [ctypes.POINTER(pointer), ctypes.c_char_p])
        self.run = self._find(library, "run", status,
                              [pointer, tensors, size, tensors, size])
        self.destroy = self._find(library, "destroy", None, [pointer])
        self.error = self._find(library, "error", ctypes.c_char_p, [])
        self.description = self._find(library, "description", ctypes.c_char_p,
                                      [])

    def _find(self, library, suffix, result, arguments):
        function = getattr(library, f"{self.name}_{suffix}")
        function.restype, function.argtypes = result, arguments
        return function

    def check(self, status):
        if status != 0:
            raise Error(self.error().decode(errors="replace"), status)


def _types_of(tensors):
    return [TensorType(each["name"], each["type"], tuple(each["shape"]))
            for each in tensors]


def _is_static(tensor):
    return all(isinstance(size, int) for size in tensor.shape)


def _array_of(value, tensor):
    """`value` as a dense array; its numbers are never converted."""
    if not isinstance(value, numpy.ndarray):
        if hasattr(value, "__dlpack__"):
            value = numpy.from_dlpack(value.detach()
                                      if hasattr(value, "detach") else value)
        elif not hasattr(value, "__array__"):
            value = numpy.asarray(value, _TYPES[tensor.type])
    # For a scalar, ascontiguousarray() would add a dimension.
    array = numpy.asarray(value)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    return array if array.flags.c_contiguous else numpy.ascontiguousarray(array)


def _code_of(dtype, wanted):
    """The type that `dtype` holds where `wanted` may be in it."""
    if dtype == _TYPES[wanted]:
        return _CODES[wanted]
    return _CODES.get(dtype.name, -1)


class Net:
    """A model that is ready to run: call it with its inputs, in their order or
    by name, as NumPy arrays, tensors with DLPack, or lists. It returns an array,
    or a tuple of several. Threads that share one wait for each other: give each
    its own by clone()."""

    def __init__(self, path, weights=None):
        self._path, self._weights = os.fspath(path), weights
        self._functions = _Functions(os.path.abspath(self._path))
        self.description = json.loads(self._functions.description())
        self.inputs = _types_of(self.description["inputs"])
        self.outputs = _types_of(self.description["outputs"])
        self._lock = threading.Lock()
        self._given = (_Tensor * (len(self.inputs) + 1))()
        self._made = (_Tensor * (len(self.outputs) + 1))()
        self._net = ctypes.c_void_p()
        place = os.fsencode(weights) if weights is not None else None
        self._functions.check(self._functions.create(
            ctypes.byref(self._net), place))

    def clone(self):
        """Another instance, for another thread; they share the weights."""
        return Net(self._path, self._weights)

    def __del__(self):
        if getattr(self, "_net", None):
            self._functions.destroy(self._net)
            self._net = None

    def __repr__(self):
        def listed(tensors):
            return ", ".join(f"{each.name}: {each.type}"
                             f"{list(each.shape)}" for each in tensors)
        return (f"<lighthouse.Net {self._functions.name} "
                f"({listed(self.inputs)}) -> ({listed(self.outputs)})>")

    def _in_order(self, given, named):
        if not named:
            return given
        rest = [each.name for each in self.inputs[len(given):]]
        unknown = sorted(set(named) - set(rest))
        if unknown:
            raise Error(f"there is no input '{unknown[0]}' to name; by name "
                        f"there are {', '.join(rest) or 'none'}", 1)
        missing = [name for name in rest if name not in named]
        if missing:
            raise Error(f"input '{missing[0]}' isn't given", 1)
        return given + tuple(named[name] for name in rest)

    def _room(self, outputs):
        """Arrays for outputs whose sizes are known; None for others."""
        arrays = []
        for tensor, made in zip(outputs, self._made):
            if not _is_static(tensor):
                made.data, made.bytes = None, 0
                arrays.append(None)
                continue
            array = numpy.empty(tensor.shape, _TYPES[tensor.type])
            made.data = array.__array_interface__["data"][0]
            made.bytes = array.nbytes
            arrays.append(array)
        return arrays

    def _copied(self, index):
        """What the library has put into memory of its own."""
        made = self._made[index]
        shape = tuple(made.shape[:made.rank])
        array = numpy.empty(shape, _TYPES[_NAMES[made.type]])
        ctypes.memmove(array.__array_interface__["data"][0], made.data,
                       array.nbytes)
        return array

    def __call__(self, *given, **named):
        values = self._in_order(given, named)
        if len(values) != len(self.inputs):
            raise Error(f"{len(values)} inputs are given, the model has "
                        f"{len(self.inputs)}", 1)
        with self._lock:
            arrays = [_array_of(value, tensor)
                      for value, tensor in zip(values, self.inputs)]
            for array, tensor, slot in zip(arrays, self.inputs, self._given):
                if array.ndim > MAX_RANK:
                    raise Error(f"input '{tensor.name}' has {array.ndim} "
                                f"dimensions", 1)
                slot.data = array.__array_interface__["data"][0]
                slot.bytes, slot.rank = array.nbytes, array.ndim
                slot.type = _code_of(array.dtype, tensor.type)
                slot.shape[:array.ndim] = array.shape
            results = self._room(self.outputs)
            self._functions.check(self._functions.run(
                self._net, self._given, len(self.inputs), self._made,
                len(self.outputs)))
            for index, result in enumerate(results):
                if result is None:
                    results[index] = self._copied(index)
        return results[0] if len(results) == 1 else tuple(results)

    def report(self):
        """What lh-run said of the run by which the library was judged: its
        record, as compile() has kept it; None for other libraries."""
        path = os.path.join(os.path.dirname(os.path.abspath(self._path)),
                            "report.json")
        if not os.path.exists(path):
            return None
        with open(path, encoding="utf-8") as file:
            return json.load(file)


def load(path, weights=None):
    """The model in the library at `path`. `weights`: its file of weights, if
    that lies elsewhere than beside it. Raises Error where this CPU lacks what
    the code is for."""
    return Net(path, weights)
