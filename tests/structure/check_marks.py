#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Marks are declared in one header: every `lh.` attribute that C++ or a schedule
sets or reads is there, and each that is there is read. Prints every breach,
exits 1 if any."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ENGINE = ROOT / "engine"
HEADER = ENGINE / "compiler/gaps/Marks.h"

# Strings of the same form that are no attributes.
OTHER_NAMES = {
    "lh.match": "begins the engine's own remarks of a schedule",
    "lh.none": "an operation that there isn't",
    "lh.snapshot": "an attribute of the snapshot's module, not of the payload",
    "lh.add_counters": "a function in LLVM IR",
    "lh.o": "a name for an object in memory",
}

CONSTANT = re.compile(r'StringLiteral (\w+) =\s*"(lh\.\w+)";')
LITERAL = re.compile(r'"(lh\.\w+)"')
WRITE = re.compile(r"\b(?:set\w*|append|getNamedAttr)\s*\($")
NAMED = re.compile(r'(?<![\w.])lh\.(\w+)')
FIELDS = re.compile(r"\| sets: (.+?) \| reads: (.+?) \| until: ([\w, -]+)$")


def declared(text):
    """Each mark: its constant, and what its comment says of readers and end.
    A comment holds for all constants that follow it."""
    marks, comment = {}, ""
    for block in text.split("\n\n"):
        lines = [line[3:].strip() for line in block.splitlines()
                 if line.startswith("///")]
        comment = " ".join(lines)
        for constant, name in CONSTANT.findall(block):
            fields = FIELDS.search(comment)
            marks[name] = (constant, *(fields.groups() if fields
                                       else (None, None, None)))
    return marks


def code_of(path):
    return re.sub(r"//[^\n]*", "", path.read_text())


def sources(folder, *suffixes):
    return [path for path in sorted(folder.rglob("*"))
            if path.suffix in suffixes and path != HEADER]


def schedules():
    """Schedules, and what is said in text around them."""
    return [path for path in sources(ROOT / "schedules", ".mlir", ".yaml")
            if "tests" not in path.parts]


def reads_in_code(constant, code):
    """Whether it is used but as the first argument of what sets it."""
    return any(not WRITE.search(code[:use.start()].rstrip())
               for use in re.finditer(rf"\b{constant}\b", code))


def reads_in_schedule(name, text):
    """Searched for, asked for, or bound by the engine."""
    found = re.findall(r"attributes\s*\{([^}]*)\}", text)
    found += re.findall(r"dlti\.query\s*\[([^\]]*)\]", text)
    return any(re.search(rf"(?<![\w.]){re.escape(name)}\b", each)
               for each in found)


def is_map(name):
    return any("/// #dlti.map" in block and f'"{name}"' in block
               for block in HEADER.read_text().split("\n\n"))


def asks_by_key(name, readers):
    """Whether a schedule that is named among the readers of a map asks for keys:
    the operation doesn't say of which map."""
    return is_map(name) and any("dlti.query" in code_of(path) for path in schedules()
               if re.search(rf"\b{re.escape(path.name)}", readers))


def undeclared(marks):
    for path in sources(ENGINE, ".cpp", ".h"):
        for name in LITERAL.findall(path.read_text()):
            if name not in OTHER_NAMES:
                yield f"{path}: '{name}' stands in Marks.h alone"
    for path in schedules():
        for name in NAMED.findall(code_of(path).replace("transform.lh.", "")):
            if f"lh.{name}" not in marks and f"lh.{name}" not in OTHER_NAMES:
                yield f"{path}: Marks.h declares no 'lh.{name}'"


def unread(marks):
    code = [code_of(path) for path in sources(ENGINE, ".cpp", ".h")]
    texts = [code_of(path) for path in schedules()]
    tests = [path.read_text()
             for folder in ("tests/lit", "tests/unit", "schedules")
             for path in sources(ROOT / folder, ".mlir", ".test", ".cpp")]
    for name, (constant, setters, readers, until) in marks.items():
        if not setters:
            yield f"{HEADER}: '{name}' lacks '| sets: | reads: | until:'"
        elif readers == "people":
            if not any(name in text for text in tests):
                yield f"{HEADER}: no test shows '{name}' to people"
        elif not any(reads_in_code(constant, each) for each in code) \
                and not any(reads_in_schedule(name, each) for each in texts) \
                and not asks_by_key(name, readers):
            yield f"{HEADER}: nobody reads '{name}'"


def self_test():
    """A check that can't fail is none."""
    assert not reads_in_code("aMark", "op->setAttr(aMark, unit);")
    assert reads_in_code("aMark", "op->hasAttr(aMark)")
    assert not reads_in_schedule("lh.a", 'annotate %x "lh.a"')
    assert reads_in_schedule("lh.a", "match attributes{lh.b,\n lh.a = 1}")
    text = '/// A.\n/// unit | sets: x | reads: y,\n/// z | until: never\n' \
           'inline constexpr llvm::StringLiteral aMark = "lh.a";'
    assert declared(text) == {"lh.a": ("aMark", "x", "y, z", "never")}


def main():
    self_test()
    marks = declared(HEADER.read_text())
    names = [name for _, name in CONSTANT.findall(HEADER.read_text())]
    breaches = [*undeclared(marks), *unread(marks)]
    breaches += [f"{HEADER}: '{name}' is declared twice"
                 for name in set(names) if names.count(name) > 1]
    print("\n".join(breaches).replace(str(ROOT) + "/", "")
          or f"{len(marks)} marks are declared and read")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
