# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damages protobuf messages without breaking their framing, so that what is
wrong is the meaning: types, names, counts, dimensions, missing fields."""

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
EXTREMES = [0, 1, 2, 3, 7, 8, 16, 255, 1 << 31, (1 << 31) - 1, 1 << 32,
            (1 << 63) - 1, 1 << 63, (1 << 64) - 1, (1 << 64) - 2]


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


def write_varint(value):
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


def serialize(fields):
    out = b""
    for number, wire, value in fields:
        out += write_varint(number << 3 | wire)
        if wire == VARINT:
            out += write_varint(value)
        else:
            out += (write_varint(len(value)) if wire == BYTES else b"") + value
    return out


def change_bytes(value, generator):
    return generator.choice([
        b"", value[:len(value) // 2], value + b"\0", value + value, b"\xff" * 4,
        b"x", value[:-1], bytes(reversed(value))])


def damage_field(fields, generator):
    """Changes one of the message's own fields."""
    place = generator.randrange(len(fields))
    action = generator.choice(["drop", "repeat", "renumber", "value", "value"])
    if action == "drop":
        del fields[place]
    elif action == "repeat":
        fields.insert(generator.randrange(len(fields) + 1), fields[place])
    elif action == "renumber":
        number, wire, value = fields[place]
        fields[place] = [generator.randint(1, 20), wire, value]
    else:
        number, wire, value = fields[place]
        value = (generator.choice(EXTREMES) if wire == VARINT
                 else change_bytes(value, generator) if wire == BYTES
                 else bytes(generator.randrange(256) for _ in value))
        fields[place] = [number, wire, value]


def damage(data, generator):
    """Goes down to some message inside `data` and damages a field there."""
    fields = parse(data)
    inner = []
    for field in fields:
        if field[1] == BYTES and 1 < len(field[2]) < 100_000:
            try:
                parse(field[2])
                inner.append(field)
            except Broken:
                pass
    if inner and generator.random() < 0.85:
        field = generator.choice(inner)
        field[2] = damage(field[2], generator)
    elif fields:
        damage_field(fields, generator)
    return serialize(fields)


def damaged_message(data, generator):
    for _ in range(generator.randint(1, 2)):
        data = damage(data, generator)
    return data
