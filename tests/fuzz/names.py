# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hostile names: put into models, manifests and records, where they may end up
in paths, on terminals and in other files."""
import json
import re

from protobuf import BYTES, VARINT, Broken, parse, serialize

# ESCAPE stands for a folder, absolute, that nothing may write to.
NAMES = [
    b"../x", b"../../../x", b"a/../../x", b"../../../../../x.npy", b"/x",
    b"ESCAPE/x", b"ESCAPE/x.npy", b"ESCAPE", b"..", b".", b"", b" ", b"a/b",
    b"a_b", b"a:b", b"a//b", b"./a", b"a/", b"~", b"$HOME", b"-o", b"--help",
    b"%s%n%x", b"{}", b"{0}", b"a\\b", b"'", b'"', b"a\nerror: forged",
    b"a\n::error::forged", b"a\rb", b"\x1b[2J", b"\x1b]0;x\x07", b"a\0b",
    b"../x\0", b"\x7f", b"\xc2\x9b31m", b"\xe2\x80\xaea", b"\xe2\x81\xa6a",
    b"\xe2\x80\xa8a", b"\xff\xfe", b"\xc0\xae\xc0\xae/x", b"\xed\xa0\x80",
    b"n" * 300, b"n" * 5000, b"../" * 1000 + b"x", b"`id`$(id);id", b"<b>&",
    b"CON", b"x.npy", b"\xe2\x97\x8f", b"0", b"-1",
]


def hostile(generator, escape):
    return generator.choice(NAMES).replace(b"ESCAPE", str(escape).encode())


# Where ONNX messages have names: a kind, or the message in the field.
ENTRY = {2: "location"}
TENSOR = {8: "tensor", 13: ENTRY}
SHAPE = {1: {2: "dimension"}}
VALUE = {1: "tensor", 2: {1: {2: SHAPE}}}
ATTRIBUTE = {1: "attribute"}
NODE = {1: "tensor", 2: "tensor", 3: "node", 4: "op", 5: ATTRIBUTE,
        7: "domain"}
GRAPH = {1: NODE, 2: "graph", 5: TENSOR, 11: VALUE, 12: VALUE, 13: VALUE}
ATTRIBUTE[6] = GRAPH
MODEL = {2: "producer", 4: "domain", 7: GRAPH, 8: {1: "domain"}}
OUTPUTS = {7: {12: {1: "output"}}}


def walk(message, form, change):
    """The message with change(kind, name) in place of each name."""
    fields = parse(message)
    for field in fields:
        inner = form.get(field[0]) if field[1] == BYTES else None
        if isinstance(inner, dict):
            field[2] = walk(field[2], inner, change)
        elif inner:
            field[2] = change(inner, field[2])
    return serialize(fields)


def names_in(message, form):
    """The names as pairs (kind, name), each once."""
    found = {}

    def note(kind, name):
        found[kind, name] = None
        return name
    walk(message, form, note)
    return list(found)


def with_external_data(model, location):
    """The model with the data of its first initialiser in another file."""
    def moved(tensor):
        fields = [field for field in parse(tensor) if field[0] not in (
            4, 5, 6, 7, 9, 10, 11, 13, 14)]
        entry = serialize([[1, BYTES, b"location"], [2, BYTES, location]])
        return serialize(fields + [[13, BYTES, entry], [14, VARINT, 1]])
    fields = parse(model)
    for field in fields:
        if field[0] != 7:
            continue
        graph = parse(field[2])
        for inner in graph:
            if inner[0] == 5:
                inner[2] = moved(inner[2])
                break
        field[2] = serialize(graph)
    return serialize(fields)


def renamed_model(model, generator, escape):
    """One to three names changed: of one thing wherever it is used, so that
    the model stays as right as it was."""
    try:
        names = names_in(model, MODEL)
        outputs = [("tensor", name) for _, name in names_in(model, OUTPUTS)]
        if generator.random() < 0.1:
            model = with_external_data(model, hostile(generator, escape))
    except Broken:
        return model
    chosen = {}
    for _ in range(generator.randint(1, 3)):
        pool = outputs if outputs and generator.random() < 0.5 else names
        if pool:
            chosen[generator.choice(pool)] = hostile(generator, escape)
    if len(chosen) > 1 and generator.random() < 0.2:
        chosen = dict.fromkeys(chosen, hostile(generator, escape))
    return walk(model, MODEL, lambda kind, name: chosen.get((kind, name), name))


def quoted(name):
    """The name in double quotes, as JSON and YAML read them; bytes that are no
    UTF-8 as they are."""
    text = name.decode(errors="surrogateescape")
    ascii_only = json.dumps(text)
    return re.sub(r"\\udc([89a-f][0-9a-f])",
                  lambda match: chr(0xdc00 + int(match[1], 16)),
                  ascii_only).encode(errors="surrogateescape")


def renamed_text(data, generator, escape):
    """One to three words or quoted texts of YAML or JSON replaced; in one of
    four the name stands there without quotes."""
    for _ in range(generator.randint(1, 3)):
        words = list(re.finditer(rb'"(?:[^"\\]|\\.)*"|[A-Za-z_][\w./-]*', data))
        if not words:
            return data
        word = generator.choice(words)
        name = hostile(generator, escape)
        text = name if generator.random() < 0.25 else quoted(name)
        data = data[:word.start()] + text + data[word.end():]
    return data
