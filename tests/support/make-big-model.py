#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes models for the import benchmarks: a chain of MatMul with float32
weights; without options one of about 500 MB, 2048x2048 each.

    make-big-model.py FOLDER                      model.onnx, weights inline
    make-big-model.py FOLDER --external           weights in model.weights
    make-big-model.py FOLDER --layers 4 --size 64 a smaller one
    make-big-model.py FOLDER --skips              after each product a sum with
                                                  an earlier value: a graph
                                                  that is no chain

Written piece by piece in plain Python, so it takes a second and little memory.
The weights are a cheap seeded pattern, small enough that products stay finite.
"""

import argparse
import pathlib
import random

from wire import data, header, number

FLOAT, OPSET, IR_VERSION = 1, 13, 8


def value_info(name, shape):
    """ValueInfoProto: name, type {tensor_type {elem_type, shape}}."""
    dims = b"".join(data(1, number(1, dim)) for dim in shape)
    tensor = number(1, FLOAT) + data(2, dims)
    return data(1, name) + data(2, data(1, tensor))


def node(op, index, a, b, output):
    """NodeProto: inputs, output, name, op_type."""
    return data(1, data(1, a) + data(1, b) + data(2, output) +
                data(3, f"{op.lower()}{index}") + data(4, op))


def layer(index, skips):
    """The nodes from x<index> to the next x."""
    last, out = f"x{index}", f"x{index + 1}"
    if not skips:
        return node("MatMul", index, last, f"w{index}", out)
    earlier = f"x{index * 3 // 4}"
    return (node("MatMul", index, last, f"w{index}", f"y{index}") +
            node("Add", index, f"y{index}", earlier, out))


def tensor_start(index, size):
    """TensorProto up to its data: dims, data_type, name."""
    return (number(1, size) + number(1, size) + number(2, FLOAT) +
            data(8, f"w{index}"))


def external_data(index, weight_bytes):
    """The fields that say where an external tensor lies."""
    def entry(key, value):
        return data(13, data(1, key) + data(2, value))

    return (entry("location", "model.weights") +
            entry("offset", str(index * weight_bytes)) +
            entry("length", str(weight_bytes)) + number(14, 1))


def weight_rows(size):
    """One weight as bytes: floats of random mantissa, sign and exponent."""
    source = random.Random(2026)
    block = bytearray(source.randbytes(4 * size * size))
    # The top byte holds the sign and the exponent's upper seven bits: keep the
    # sign and the lowest bit, so that magnitudes are in [2^-7, 2^-3).
    top = bytes((byte & 0x80) | 0x3c | (byte & 1) for byte in range(256))
    block[3::4] = bytes(block[3::4]).translate(top)
    return bytes(block)


def write(folder, layers, size, external, skips):
    folder.mkdir(parents=True, exist_ok=True)
    weight = weight_rows(size)

    def tensor(index):
        """TensorProto without its raw data, and that data's header."""
        start = tensor_start(index, size)
        if external:
            return start + external_data(index, len(weight)), b""
        return start, header(9, len(weight))

    # GraphProto: nodes 1, name 2, initializers 5, input 11, output 12.
    nodes = b"".join(layer(i, skips) for i in range(layers)) + data(2, "big")
    ends = (data(11, value_info("x0", (1, size))) +
            data(12, value_info(f"x{layers}", (1, size))))
    inline = 0 if external else len(weight)
    sizes = [sum(map(len, tensor(i))) + inline for i in range(layers)]
    graph_size = len(nodes) + len(ends) + sum(
        len(header(5, bytes_)) + bytes_ for bytes_ in sizes)
    # ModelProto: ir_version 1, producer_name 2, graph 7, opset_import 8.
    with open(folder / "model.onnx", "wb") as out:
        out.write(number(1, IR_VERSION) + data(2, "make-big-model.py"))
        out.write(header(7, graph_size) + nodes)
        for i in range(layers):
            start, raw_header = tensor(i)
            out.write(header(5, sizes[i]) + start + raw_header)
            if not external:
                out.write(weight)
        out.write(ends + data(8, number(2, OPSET)))
    if external:
        with open(folder / "model.weights", "wb") as out:
            for _ in range(layers):
                out.write(weight)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--external", action="store_true")
    parser.add_argument("--skips", action="store_true")
    parser.add_argument("--layers", type=int, default=31)
    parser.add_argument("--size", type=int, default=2048)
    options = parser.parse_args()
    if options.layers * options.size ** 2 * 4 >= 2 ** 31 and \
            not options.external:
        parser.error("an inline model must stay below 2 GiB; use --external")
    write(options.folder, options.layers, options.size, options.external,
          options.skips)


if __name__ == "__main__":
    main()
