#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""run.py PROGRAM ENTRY INPUTS OUTPUTS: calls what generate.py made, with
INPUTS/0.npy, 1.npy, ..., and writes OUTPUTS/0.npy, ..."""
import ast
import ctypes
import json
import os
import struct
import sys

NUMPY = {"f32": "<f4", "f64": "<f8", "i64": "<i8", "i32": "<i4", "i1": "|b1"}


def descriptor(rank):
    """MLIR's memref: pointer, aligned pointer, offset, sizes, strides."""
    return ctypes.c_int64 * (3 + 2 * rank)


def read(path, keep):
    with open(path, "rb") as file:
        data = file.read()
    size, = struct.unpack_from("<H", data, 8)
    shape = ast.literal_eval(data[10:10 + size].decode())["shape"]
    buffer = ctypes.create_string_buffer(data[10 + size:])
    keep.append(buffer)
    strides = [1] * len(shape)
    for axis in range(len(shape) - 2, -1, -1):
        strides[axis] = strides[axis + 1] * shape[axis + 1]
    address = ctypes.addressof(buffer)
    return descriptor(len(shape))(address, address, 0, *shape, *strides)


def write(path, kind, shape, address):
    dtype = NUMPY[kind]
    count = 1
    for size in shape:
        count *= size
    header = str({"descr": dtype, "fortran_order": False,
                  "shape": tuple(shape)}).ljust(117) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)))
        file.write(header.encode())
        file.write(ctypes.string_at(address, count * int(dtype[2:])))


def main():
    program, entry, inputs, outputs = sys.argv[1:]
    with open(program, "rb") as file:
        kinds = json.loads(file.readline())
        with open("code.so", "wb") as code:
            code.write(file.read())
    keep = []
    arguments = [read(os.path.join(inputs, f"{i}.npy"), keep)
                 for i in range(len(os.listdir(inputs)))]
    sizes = [3 + 2 * rank for _, rank in kinds]
    results = (ctypes.c_int64 * sum(sizes))()
    function = getattr(ctypes.CDLL("./code.so"), f"_mlir_ciface_{entry}")
    function(ctypes.byref(results), *map(ctypes.byref, arguments))
    at = 0
    for i, (kind, rank) in enumerate(kinds):
        one = results[at:at + sizes[i]]
        at += sizes[i]
        write(os.path.join(outputs, f"{i}.npy"), kind, one[3:3 + rank], one[1])


if __name__ == "__main__":
    main()
