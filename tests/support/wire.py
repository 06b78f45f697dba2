# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Protobuf's wire format, for what reads and writes messages of ONNX field by
field, without the onnx package."""

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


class Broken(Exception):
    """These bytes are no message."""


def read_varint(data, place):
    value = shift = 0
    while True:
        if place >= len(data) or shift > 63:
            raise Broken
        byte = data[place]
        place += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, place


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def parse(data):
    """The message's fields as lists [number, wire type, value]."""
    fields, place = [], 0
    while place < len(data):
        key, place = read_varint(data, place)
        number, wire = key >> 3, key & 7
        if number == 0:
            raise Broken
        if wire == VARINT:
            value, place = read_varint(data, place)
        else:
            size = {FIXED64: 8, FIXED32: 4}.get(wire)
            if wire == BYTES:
                size, place = read_varint(data, place)
            if size is None or place + size > len(data):
                raise Broken
            value, place = data[place:place + size], place + size
        fields.append([number, wire, value])
    return fields


def number(field, value):
    return varint(field << 3 | VARINT) + varint(value)


def header(field, size):
    """The start of a length-delimited field whose content follows."""
    return varint(field << 3 | BYTES) + varint(size)


def data(field, content):
    content = content.encode() if isinstance(content, str) else content
    return header(field, len(content)) + content
