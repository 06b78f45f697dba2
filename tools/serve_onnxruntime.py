# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX Runtime through its C interface, from the shared library that its npm
package and its archives bring, without headers: the functions used are named
here by their places in the table of functions, which only grows at its end
(onnxruntime_c_api.h)."""
import ctypes
import glob
import os
import platform

import serving

API_VERSION = 12  # the first table that has all of these
ERROR_MESSAGE, CREATE_ENVIRONMENT, CREATE_SESSION = 2, 3, 7
RUN, CREATE_OPTIONS, SET_OPTIMIZATION = 9, 10, 23
INTRA_THREADS, INTER_THREADS = 24, 25
INPUT_COUNT, OUTPUT_COUNT, INPUT_NAME, OUTPUT_NAME = 30, 31, 36, 37
CREATE_TENSOR, TENSOR_DATA, ELEMENT_TYPE = 49, 51, 60
DIMENSION_COUNT, DIMENSIONS, TYPE_AND_SHAPE = 61, 62, 65
CREATE_MEMORY, ALLOCATOR = 69, 78
RELEASE_VALUE = 96
WARNINGS, OPTIMIZE_ALL, ARENA, CPU = 2, 99, 1, 0
# ONNXTensorElementDataType.
TYPES = {"float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5,
         "int32": 6, "int64": 7, "bool": 9, "float16": 10, "float64": 11,
         "uint32": 12, "uint64": 13}


def library_path():
    """ONNXRUNTIME names the library; else NODE_PATH leads to npm's package."""
    if "ONNXRUNTIME" in os.environ:
        return os.environ["ONNXRUNTIME"]
    machine = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), "")
    for folder in os.environ.get("NODE_PATH", "").split(":"):
        found = glob.glob(f"{folder}/onnxruntime-node/bin/napi-v*/linux/"
                          f"{machine}/libonnxruntime.so.1*")
        if folder and found:
            return sorted(found)[-1]
    return "libonnxruntime.so.1"


class Api:
    """The table of functions."""

    class Base(ctypes.Structure):
        _fields_ = [("get_api", ctypes.CFUNCTYPE(ctypes.c_void_p,
                                                 ctypes.c_uint32)),
                    ("version", ctypes.CFUNCTYPE(ctypes.c_char_p))]

    def __init__(self):
        get_base = ctypes.CDLL(library_path()).OrtGetApiBase
        get_base.restype = ctypes.POINTER(self.Base)
        base = get_base().contents
        self.version = base.version().decode()
        table = base.get_api(API_VERSION)
        if not table:
            raise RuntimeError(f"ONNX Runtime {self.version} lacks version "
                               f"{API_VERSION} of its interface")
        self.table = ctypes.cast(table, ctypes.POINTER(ctypes.c_void_p))
        self.message = self._function(ERROR_MESSAGE, ctypes.c_char_p,
                                      ctypes.c_void_p)

    def _function(self, place, result, *arguments):
        return ctypes.CFUNCTYPE(result, *arguments)(self.table[place])

    def bound(self, place, *arguments):
        """A function with arguments whose ctypes say what they are, and which
        is called again and again."""
        function = self._function(place, ctypes.c_void_p,
                                  *map(type, arguments))

        def call():
            status = function(*arguments)
            if status:
                raise RuntimeError(self.message(status).decode())
        return call

    def call(self, place, *arguments):
        self.bound(place, *arguments)()

    def made(self, place, *arguments, kind=ctypes.c_void_p):
        """What a function writes to its last argument."""
        result = kind()
        self.call(place, *arguments, _address(result))
        return result

    def release(self, value):
        self._function(RELEASE_VALUE, None, ctypes.c_void_p)(value)


def _address(value):
    return ctypes.c_void_p(ctypes.addressof(value))


def version():
    return Api().version


def load(path, inputs, threads):
    import numpy

    api = Api()
    environment = api.made(CREATE_ENVIRONMENT, ctypes.c_int(WARNINGS),
                           ctypes.c_char_p(b"lh-run"))
    options = api.made(CREATE_OPTIONS)
    api.call(INTRA_THREADS, options, ctypes.c_int(threads))
    api.call(INTER_THREADS, options, ctypes.c_int(1))
    api.call(SET_OPTIMIZATION, options, ctypes.c_int(OPTIMIZE_ALL))
    session = api.made(CREATE_SESSION, environment,
                       ctypes.c_char_p(path.encode()), options)
    memory = api.made(CREATE_MEMORY, ctypes.c_int(ARENA), ctypes.c_int(CPU))
    allocator = api.made(ALLOCATOR)

    def names(count_place, name_place):
        count = api.made(count_place, session, kind=ctypes.c_size_t).value
        return (ctypes.c_char_p * count)(*[
            api.made(name_place, session, ctypes.c_size_t(i), allocator,
                     kind=ctypes.c_char_p).value for i in range(count)])

    def tensor(array):
        shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        return api.made(CREATE_TENSOR, memory,
                        ctypes.c_void_p(array.ctypes.data),
                        ctypes.c_size_t(array.nbytes), _address(shape),
                        ctypes.c_size_t(array.ndim),
                        ctypes.c_int(TYPES[array.dtype.name])).value

    def as_array(value):
        info = api.made(TYPE_AND_SHAPE, value)
        rank = api.made(DIMENSION_COUNT, info, kind=ctypes.c_size_t).value
        shape = (ctypes.c_int64 * rank)()
        api.call(DIMENSIONS, info, _address(shape), ctypes.c_size_t(rank))
        code = api.made(ELEMENT_TYPE, info, kind=ctypes.c_int).value
        kind = next(name for name, number in TYPES.items() if number == code)
        array = numpy.empty(list(shape), kind)
        ctypes.memmove(array.ctypes.data, api.made(TENSOR_DATA, value).value,
                       array.nbytes)
        return array

    input_names = names(INPUT_COUNT, INPUT_NAME)
    output_names = names(OUTPUT_COUNT, OUTPUT_NAME)
    if len(input_names) != len(inputs):
        raise RuntimeError(f"the model has {len(input_names)} inputs, and "
                           f"{len(inputs)} are given")
    inputs = [numpy.ascontiguousarray(array).reshape(array.shape)
              for array in inputs]
    given = (ctypes.c_void_p * len(inputs))(*map(tensor, inputs))
    results = (ctypes.c_void_p * len(output_names))()
    run = api.bound(RUN, session, ctypes.c_void_p(), _address(input_names),
                    _address(given), ctypes.c_size_t(len(inputs)),
                    _address(output_names), ctypes.c_size_t(len(output_names)),
                    _address(results))

    def call(_kept=(inputs, given, input_names, output_names)):
        # What the last call has made would be written to again.
        for i, value in enumerate(results):
            if value:
                api.release(value)
                results[i] = None
        run()
        return results

    return call, lambda made: [as_array(ctypes.c_void_p(value))
                               for value in made]


serving.main(version, load)
