#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gaps decide nothing by a number that no text can change: what is compared
with sizes is an option of the pass. Prints every integer literal above 2 that
is compared, and every constant, without a place below; exits 1 if any.

The oracle's passes are apart: their numbers are those of number formats."""
import pathlib
import re
import sys

GAPS = pathlib.Path(__file__).resolve().parents[2] / "engine/compiler/gaps"

NUMBER = r"(?:int64_t\(1\) << )?(?:[3-9]|[1-9]\d+)[uUlL]*"
COMPARED = re.compile(
    rf"(?:[<>]=?|==|!=|%)\s*{NUMBER}\b(?!\s*\*)"
    rf"|\b{NUMBER}\s*(?:<=?|>=?|==|!=)\s"
    rf"|std::(?:min|max|clamp)(?:<[^>]*>)?\([^;]*?,\s*{NUMBER}\b")
CONSTANT = re.compile(rf"constexpr\s+\w+\s+(\w+)\s*=[^;]*?\b{NUMBER}\b")
# Inline capacities are no numbers of the strategy.
CAPACITY = re.compile(r"Small(?:Vector|PtrSet|Set|DenseMap)<[^;>]*>")

# How many dimensions, loops, operands or bits something has is its form.
FORM = re.compile(r"[rR]ank|Loops|Width|\bbits|DpsInputs|NumResults|"
                  r"NumArguments|getOperations|(?:groups|ranges)\.size")
# Constants of machines, algorithms and of the compiler's own work.
CONSTANTS = {
    "lanesOfWarp": "threads of a warp",
    "alignmentOfMemory": "what cudaMalloc and hipMalloc align to",
    "copyBytes": "what cp.async and a wide load move",
    "farAway": "an index no loop reaches",
    "most": "iterations looked at one by one, for compile time",
    "leastAlignment": "a cache line",
    "lineBytes": "a cache line",
    "pageBytes": "a page of memory",
    "wordsPerUnit": "the shape of SVE's matrix instructions",
    "tileRows": "the shape of AMX's tiles",
    "tileWords": "the shape of AMX's tiles",
    "longestWord": "bytes of a 64-bit word",
    "maxSteps": "ops looked at, for compile time",
    "maxMembers": "ops looked at, for compile time",
    "rounder": "the float that rounds to an integer",
    "winogradStep": "the algorithm F(4 x 4, 3 x 3)",
}
# Comparisons that are facts, by file and what is compared.
FACTS = [
    ("memory/IterationRanges.cpp", "std::abs(by)", "keeps products in 64 bits"),
    ("products/PackWords.cpp", "255 * 255", "sums stay in 32 bits"),
    ("sparse/SparseArguments.cpp", "isInt<32>", "coordinates have 32 bits"),
    ("windows/Winograd.cpp", "tap < 3", "the filter's three taps"),
    ("windows/Winograd.cpp", "w.rows != 3", "the algorithm is of 3 x 3"),
    ("windows/Winograd.cpp", "winogradSpan>, 3> g", "the algorithm's matrix G"),
]


def code_of(line):
    return CAPACITY.sub("", line.split("//")[0])


def is_fact(name, code):
    return any(name == file and text in code for file, text, _ in FACTS)


def breaches(name, text):
    for number, line in enumerate(text.splitlines(), 1):
        code = code_of(line)
        constant = CONSTANT.search(code)
        if constant and constant.group(1) in CONSTANTS:
            continue
        compared = COMPARED.search(code) and not FORM.search(code)
        if (constant or compared) and not is_fact(name, code):
            yield f"{name}:{number}: {line.strip()}"


def main():
    found = []
    for path in sorted(GAPS.rglob("*")):
        name = str(path.relative_to(GAPS))
        if path.suffix in (".cpp", ".h") and not name.startswith("oracle/"):
            found += breaches(name, path.read_text())
    # A check that can't fail is none.
    assert list(breaches("x.cpp", "if (size <= 64)"))
    assert list(breaches("x.cpp", "constexpr int64_t few = 8;"))
    assert not list(breaches("x.cpp", "if (type.getRank() == 3)"))
    print("\n".join(found))
    if found:
        print("a number that is compared with sizes belongs into an option "
              "(Passes.td) and into the text that sets it")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
