# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX models of one op over rows, written without the onnx package: a machine
to be measured may not have it."""

EPSILON = 1e-5
FLOAT = 1


def varint(value):
    done = bytearray()
    while value > 0x7F:
        done.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(done) + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def piece(field, content):
    """A message, or a text, as a field of another."""
    content = content.encode() if isinstance(content, str) else content
    return varint(field << 3 | 2) + varint(len(content)) + content


def value_info(name, *sizes):
    shape = b"".join(piece(1, number(1, size)) for size in sizes)
    tensor = number(1, FLOAT) + piece(2, shape)
    return piece(1, name) + piece(2, piece(1, tensor))


def axis_attribute():
    """axis = -1."""
    integer, minus_one = 2, 2 ** 64 - 1
    return piece(1, "axis") + number(3, minus_one) + number(20, integer)


def model(kind, count, length):
    """Of f32: softmax(x), or layernorm(x, scale, bias), along the rows."""
    op, inputs = {
        "softmax": ("Softmax", {"x": (count, length)}),
        "layernorm": ("LayerNormalization", {
            "x": (count, length), "scale": (length,), "bias": (length,)}),
    }[kind]
    node = b"".join(piece(1, name) for name in inputs)
    node += piece(2, "y") + piece(4, op) + piece(5, axis_attribute())
    graph = piece(1, node) + piece(2, kind)
    graph += b"".join(piece(11, value_info(name, *sizes))
                      for name, sizes in inputs.items())
    graph += piece(12, value_info("y", count, length))
    ir_version, opset = 8, 17
    return (number(1, ir_version) + piece(7, graph)
            + piece(8, number(2, opset)))
