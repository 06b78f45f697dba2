# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damages texts and bytes; all randomness comes from the caller's generator."""
import re

NUMBERS = ["0", "-1", "1", "4294967296", "9223372036854775807",
           "99999999999999999999", "1e999", "nan", "0x", "true", '""']
WORDS = ["{", "}", "[", "]", "(", ")", ":", ",", '"', "'", "${", "${params.x}",
         "->", "*", "&a", "!!int", "#", "|", "- ", "\t", "\0", "\u00e9", "%",
         "@x", "!transform.any_op", "tensor<?x?xf32>", "lighthouse: 1"]


def truncate(text, generator):
    return text[:generator.randrange(len(text) + 1)]


def drop_line(text, generator):
    lines = text.splitlines(keepends=True)
    if lines:
        del lines[generator.randrange(len(lines))]
    return "".join(lines)


def repeat_line(text, generator):
    lines = text.splitlines(keepends=True)
    if lines:
        source = lines[generator.randrange(len(lines))]
        lines.insert(generator.randrange(len(lines) + 1), source)
    return "".join(lines)


def drop_span(text, generator):
    begin = generator.randrange(len(text) + 1)
    return text[:begin] + text[begin + generator.randrange(1, 12):]


def insert_word(text, generator):
    place = generator.randrange(len(text) + 1)
    return text[:place] + generator.choice(WORDS) + text[place:]


def change_number(text, generator):
    numbers = list(re.finditer(r"\d+", text))
    if not numbers:
        return text
    match = generator.choice(numbers)
    return (text[:match.start()] + generator.choice(NUMBERS) +
            text[match.end():])


def swap_words(text, generator):
    words = list(re.finditer(r"[A-Za-z_][\w.-]*", text))
    if len(words) < 2:
        return text
    first, second = sorted(generator.sample(words, 2), key=lambda m: m.start())
    return (text[:first.start()] + second[0] +
            text[first.end():second.start()] + first[0] + text[second.end():])


TEXT = [truncate, drop_line, repeat_line, drop_span, insert_word, insert_word,
        change_number, change_number, swap_words, swap_words]


def damaged_text(data, generator):
    """One to three slips of a pen."""
    text = data.decode()
    for _ in range(generator.randint(1, 3)):
        text = generator.choice(TEXT)(text, generator)
    return text.encode(errors="replace")


def cut(data, generator):
    return data[:generator.randrange(len(data) + 1)]


def flip_bits(data, generator):
    changed = bytearray(data)
    for _ in range(generator.randint(1, 4)):
        if changed:
            changed[generator.randrange(len(changed))] ^= \
                1 << generator.randrange(8)
    return bytes(changed)


def overwrite(data, generator):
    place = generator.randrange(len(data) + 1)
    patch = generator.choice([b"\xff" * 8, b"\0" * 8, b"\xff" * 9 + b"\x01",
                              b"\x80" * 4, b"\x7f", b"\xff\xff\xff\xff\x07"])
    return data[:place] + patch + data[place + len(patch):]


def insert_bytes(data, generator):
    place = generator.randrange(len(data) + 1)
    extra = bytes(generator.randrange(256)
                  for _ in range(generator.randint(1, 16)))
    return data[:place] + extra + data[place:]


def repeat_span(data, generator):
    begin = generator.randrange(len(data) + 1)
    end = begin + generator.randrange(1, 64)
    return data[:end] + data[begin:]


BYTES = [cut, flip_bits, flip_bits, overwrite, insert_bytes, repeat_span]


def damaged_bytes(data, generator):
    """One or two faults, mostly near the front, where the structure is."""
    front = min(len(data), generator.choice([64, 256, len(data)]))
    head, rest = data[:front], data[front:]
    for _ in range(generator.randint(1, 2)):
        head = generator.choice(BYTES)(head, generator)
    return head + rest
