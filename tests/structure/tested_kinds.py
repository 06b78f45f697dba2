# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which kinds of diagnostics tests demand: those that stand in something that
would fail without them, not those that are only mentioned."""
import ast
import re

# Catch2's macros, and helpers that end in them.
CHECKS = re.compile(r"\b(CHECK|REQUIRE|check[A-Z]|expect[A-Z])\w*\s*\(")
EXPECTED = re.compile(r"# expect(?:-\w+)?: ([a-z0-9-]+)")
PREFIX = re.compile(r"--check-prefix(?:es)?[= ]([\w,-]+)")
DIRECTIVE = re.compile(r"^\W*([A-Z][\w-]*?)(?:-(?:NEXT|DAG|SAME|LABEL|COUNT-"
                       r"\d+))?:(.*)")
WORD = re.compile(r"(?<![\w-])[a-z0-9]+(?:-[a-z0-9]+)+(?![\w-])")


def in_cpp(text, kinds):
    """`kinds`: by the enumerator's name."""
    text = re.sub(r"^\s*//.*", "", text, flags=re.M)
    for found in re.finditer(r"DiagKind::(\w+)\b|[\"\[]([a-z0-9-]+)[\"\]]",
                             text):
        kind = kinds.get(found[1], found[2])
        begin = max(text.rfind(end, 0, found.start())
                    for end in (";", "{\n", "}\n"))
        statement = text[begin + 1:text.find(";", found.end())]
        if CHECKS.search(statement):
            yield kind


def in_lit(text, _):
    prefixes = {"CHECK"}
    for line in PREFIX.findall(text):
        prefixes.update(line.split(","))
    for line in text.splitlines():
        directive = DIRECTIVE.match(line)
        if directive and directive[1] in prefixes:
            yield from WORD.findall(directive[2])
        if expected := EXPECTED.match(line):
            yield expected[1]


def in_python(text, _):
    for call in ast.walk(ast.parse(text)):
        if isinstance(call, ast.Call) and \
                getattr(call.func, "id", "") == "require":
            for node in ast.walk(call.args[0]):
                if isinstance(node, ast.Constant) \
                        and isinstance(node.value, str):
                    yield from WORD.findall(node.value)


READERS = {".cpp": in_cpp, ".py": in_python,
           **dict.fromkeys((".test", ".yaml", ".json", ".mlir"), in_lit)}


def kinds_tested_in(folder, kinds):
    """The kinds, of `kinds` by enumerator, that some file below demands."""
    demanded = set()
    for path in sorted(folder.rglob("*")):
        if path.suffix in READERS and path.is_file():
            text = path.read_text(errors="replace")
            demanded.update(READERS[path.suffix](text, kinds))
    return demanded & set(kinds.values())
