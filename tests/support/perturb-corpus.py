#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies a corpus of ONNX backend tests with every expected output made wrong,
so that a run on the copy shows whether the comparison can fail at all.

    perturb-corpus.py /usr/share/libonnx-testdata/data/node WRONG

Floats grow by 1 % (what is below 1e-4, where 1 % might pass unseen, becomes
0.01; NaN and infinity become 1), integers by 1, bools flip, and a tensor
without elements gets one, in sequences and optionals too. Strings and lists
without numbers stay as they are; their number is printed. Plain Python; the same input gives the same output.
"""

import argparse
import math
import pathlib
import shutil
import struct

from wire import data, number, parse, read_varint

# ONNX's element types: struct's letter, and the field of the typed values.
TYPES = {1: ("f", 4), 2: ("B", 5), 3: ("b", 5), 4: ("H", 5), 5: ("h", 5),
         6: ("i", 5), 7: ("q", 7), 9: ("?", 5), 10: ("e", 5), 11: ("d", 10),
         12: ("I", 11), 13: ("Q", 11), 14: ("f", 4), 15: ("d", 10),
         16: ("bfloat16", 5)}
DIMS, DATA_TYPE, SEGMENT, NAME, RAW_DATA = 1, 2, 3, 8, 9
INNER = 5  # an optional's sequence; its tensors, and a sequence's, are SEGMENT


def bfloat16_bits(value):
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16


def decode(letter, raw):
    if letter == "bfloat16":
        return [struct.unpack("<f", b"\0\0" + raw[i:i + 2])[0]
                for i in range(0, len(raw), 2)]
    return [v for v, in struct.iter_unpack("<" + letter, raw)]


def encode(letter, values):
    if letter == "bfloat16":
        return b"".join(struct.pack("<H", bfloat16_bits(v)) for v in values)
    return struct.pack(f"<{len(values)}{letter}", *values)


def typed_values(letter, payloads):
    """The raw bytes of values that stand in a typed field."""
    raw = b""
    for payload in payloads:
        if letter in "fd":
            raw += payload
            continue
        numbers, at = [payload], 0
        if isinstance(payload, bytes):
            numbers = []
            while at < len(payload):
                value, at = read_varint(payload, at)
                numbers.append(value)
        size = 2 if letter == "bfloat16" else struct.calcsize("<" + letter)
        for value in numbers:
            raw += (value & (1 << 8 * size) - 1).to_bytes(size, "little")
    return raw


def perturb_float(letter, value):
    if not math.isfinite(value):
        return 1.0
    if abs(value) < 1e-4:
        return 0.01
    limit = {"e": 65504 / 1.01, "f": 3.3e38, "bfloat16": 3.3e38}.get(
        letter, 1.7e308)
    return value * (0.99 if abs(value) > limit else 1.01)


def perturb(letter, value):
    if letter == "?":
        return not value
    if letter in ("e", "f", "d", "bfloat16"):
        return perturb_float(letter, value)
    bits = 8 * struct.calcsize(letter)
    highest = (1 << bits - letter.islower()) - 1
    return value + 1 if value < highest else value - 1


def perturb_tensor(message):
    """The wrong TensorProto, or None where this is no numeric tensor."""
    dims, data_type, name, raw, typed = [], 0, b"", None, {}
    for field, _, value in parse(message):
        if field == SEGMENT or field == DIMS and isinstance(value, bytes):
            return perturb_list(message)
        if field == DIMS:
            dims.append(value)
        elif field == DATA_TYPE:
            data_type = value
        elif field == NAME:
            name = value
        elif field == RAW_DATA:
            raw = value
        else:
            typed.setdefault(field, []).append(value)
    if data_type not in TYPES:
        return None
    letter, field = TYPES[data_type]
    if raw is None:
        raw = typed_values(letter, typed.get(field, []))
    values = [perturb(letter, value) for value in decode(letter, raw)]
    if 0 in dims:
        dims = [max(dim, 1) for dim in dims]
        values = [0] * math.prod(dims)
    out = b"".join(number(DIMS, dim) for dim in dims)
    out += number(DATA_TYPE, data_type) + (data(NAME, name) if name else b"")
    return out + data(RAW_DATA, encode(letter, values))


def perturb_list(message):
    """The same of a SequenceProto or an OptionalProto."""
    out, changed = b"", False
    for field, _, value in parse(message):
        wrong = {SEGMENT: perturb_tensor, INNER: perturb_list}.get(
            field, lambda same: None)(value)
        changed |= wrong is not None
        value = value if wrong is None else wrong
        out += (data if isinstance(value, bytes) else number)(field, value)
    return out if changed else None


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("copy", type=pathlib.Path)
    options = parser.parse_args()
    shutil.copytree(options.corpus, options.copy, dirs_exist_ok=True)
    changed = left = 0
    for path in sorted(options.copy.rglob("output_*.pb")):
        original = (options.corpus / path.relative_to(options.copy))
        wrong = perturb_tensor(original.read_bytes())
        if wrong is None:
            left += 1
            continue
        path.write_bytes(wrong)
        changed += 1
    print(f"{changed} expected outputs perturbed, {left} without numbers left")


if __name__ == "__main__":
    main()
