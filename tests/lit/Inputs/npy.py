#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""npy.py FILE 2x3 [TYPE] 1 2 3 ...: writes a small .npy file. TYPE is a numpy
type string, <f4 if absent."""
import struct
import sys

path, shape, *values = sys.argv[1:]
dtype = values.pop(0) if values and values[0].startswith("<") else "<f4"
dims = "".join(f"{dim}, " for dim in shape.split("x"))
header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': ({dims}), }}"
header = header.ljust(117) + "\n"
code = {"<f4": "f", "<f8": "d", "<i4": "i", "<i8": "q",
        "<f2": "e"}[dtype]
number = float if code in "fde" else int
with open(path, "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)))
    file.write(header.encode())
    file.write(struct.pack(f"<{len(values)}{code}", *map(number, values)))
