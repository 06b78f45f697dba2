# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""com.microsoft's MatMulNBits: weights packed to 2, 4 or 8 bits."""
import numpy as np
from onnx import helper

from op_cases.case import random_of, write_case


def packed_rows(values, bits):
    """The last dimension in bytes, first value in the lowest bits."""
    per = 8 // bits
    length = -(-values.shape[-1] // per)
    y = np.zeros(values.shape[:-1] + (length,), np.uint8)
    for index in np.ndindex(*values.shape):
        *outer, last = index
        y[(*outer, last // per)] |= int(values[index]) << (bits * (last % per))
    return y


def write_product(name, a_shape, n, block, bits, zero=None, bias=False,
                  dtype=np.float32, shapes=None):
    """`zero`: None, "packed" or "real"."""
    k = a_shape[-1]
    blocks = -(-k // block)
    a = random_of(name).normal(0, 1, a_shape).astype(dtype)
    q = random_of(name + "q").integers(0, 1 << bits, (n, blocks, block))
    scale = random_of(name + "s").uniform(0.01, 0.2, (n, blocks)).astype(dtype)
    inputs = {"a": a, "b": packed_rows(q, bits), "scale": scale}
    names = ["a", "b", "scale", "", "", ""]
    start = np.full((n, blocks), 1 << (bits - 1), np.float64)
    if zero == "packed":
        whole = random_of(name + "z").integers(0, 1 << bits, (n, blocks))
        inputs["zero"], start = packed_rows(whole, bits), whole.astype(float)
    if zero == "real":
        inputs["zero"] = random_of(name + "z").uniform(
            0, 1 << bits, (n, blocks)).astype(dtype)
        start = inputs["zero"].astype(float)
    if zero:
        names[3] = "zero"
    y = np.zeros(a_shape[:-1] + (n,))
    for index in np.ndindex(*y.shape):
        *outer, column = index
        for at in range(k):
            of = column, at // block
            weight = (q[(*of, at % block)] - start[of]) * float(scale[of])
            y[index] += float(a[(*outer, at)]) * weight
    if bias:
        inputs["bias"], names[5] = random_of(name + "b").normal(
            0, 1, n).astype(dtype), "bias"
        y = y + inputs["bias"]
    while not names[-1]:
        names.pop()
    node = helper.make_node("MatMulNBits", names, ["y"], K=k, N=n, bits=bits,
                            block_size=block, domain="com.microsoft")
    write_case("matmulnbits_" + name, node, inputs, {"y": y.astype(dtype)}, 21,
               opsets=[("com.microsoft", 1)], shapes=shapes)


def write_cases():
    write_product("four", (3, 32), 5, 16, 4)
    write_product("four_zero", (2, 2, 48), 6, 16, 4, "packed", True)
    write_product("four_ragged", (3, 40), 4, 16, 4, "real")
    write_product("eight", (3, 32), 5, 16, 8, "packed")
    write_product("two", (4, 32), 9, 16, 2, "packed")
    write_product("two_ragged", (4, 20), 3, 16, 2)
    write_product("half", (3, 32), 5, 16, 4, "packed", dtype=np.float16)
    write_product("symbolic", (2, 3, 32), 4, 16, 4, None, True,
                  shapes={"a": ["n", "s", 32], "y": ["n", "s", 4]})
    # Columns that fill the panels of a few rows, on vectors of up to 512 bits.
    write_product("four_row", (1, 96), 128, 32, 4)
    write_product("four_rows", (2, 40), 64, 16, 4, "packed", True)
    write_product("eight_row", (1, 1, 32), 64, 16, 8, "real")
    write_product("two_row", (1, 48), 64, 16, 2, "packed", dtype=np.float16)
