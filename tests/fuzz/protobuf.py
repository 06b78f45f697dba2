# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damages protobuf messages without breaking their framing, so that what is
wrong is the meaning: types, names, counts, dimensions, missing fields."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from wire import BYTES, VARINT, Broken, data, number, parse, varint  # noqa: E402

EXTREMES = [0, 1, 2, 3, 7, 8, 16, 255, 1 << 31, (1 << 31) - 1, 1 << 32,
            (1 << 63) - 1, 1 << 63, (1 << 64) - 1, (1 << 64) - 2]


def serialize(fields):
    out = b""
    for field, wire, value in fields:
        out += (number(field, value) if wire == VARINT
                else data(field, value) if wire == BYTES
                else varint(field << 3 | wire) + value)
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
