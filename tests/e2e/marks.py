#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Marks die where Marks.h says: in the modules along a shipped pipeline, each
attribute of ours is declared, and gone behind the bubble that leaves none.

Usage: marks.py LH_RUN MANIFEST TARGET"""
import pathlib
import re
import sys
import tempfile

from support import ROOT, require, run

sys.path.insert(0, str(ROOT / "tests/structure"))
from check_marks import HEADER, declared  # noqa: E402

lh_run, manifest, target = sys.argv[1:]
PATH = ROOT / "manifests" / f"{manifest}.yaml"
OF_SNAPSHOTS = "lh.snapshot"
USE = re.compile(r"^  ([\w-]+):\s+(?:\{)?use: (\S+?\.yaml)", re.M)
# A mark as text has it: a key of a dictionary of attributes.
MARK = re.compile(r"[{ ](lh\.\w+)(?= = |[,}])")


def bubbles(path, prefix=""):
    """(file, bubble that uses it) of each, those in chains as well."""
    for name, file in USE.findall(path.read_text()):
        used = path.parent / file
        yield used.stem, f"{prefix}{name}"
        yield from bubbles(used, f"{prefix}{name}-")


def snapshots(folder):
    """(number, bubble, marks) of each module that was kept, in order."""
    found = []
    for path in pathlib.Path(folder).rglob("*.mlir"):
        number, name = path.stem.split("-", 1)
        marks = set(MARK.findall(path.read_text())) - {OF_SNAPSHOTS}
        found.append((int(number), name, marks))
    return sorted(found)


def last_of(names, steps):
    """The number of the last step of these bubbles."""
    return max(number for number, step, _ in steps
               if any(f"{step}-".startswith(f"{name}-") for name in names))


def main():
    marks, uses = declared(HEADER.read_text()), list(bubbles(PATH))
    lowered = [name for file, name in uses if file.startswith("lower-to-")]
    uses += [("lowering", name) for name in lowered]
    with tempfile.TemporaryDirectory() as folder:
        code, text = run(lh_run, "run", PATH, "--pipeline", "optimized",
                         "--case", "digits", "--target", target, "--until",
                         lowered[0].split("-")[-1], "--snapshots", folder,
                         "-o", "-")
        require(code == 0, text[-2000:])
        steps = snapshots(folder)
    seen = set().union(*(found for _, _, found in steps))
    require(len(seen) > 8 and last_of(lowered, steps) == steps[-1][0],
            f"{len(steps)} modules have {sorted(seen)} only")
    for number, bubble, found in steps:
        for name in sorted(found):
            require(name in marks, f"{number}-{bubble}: undeclared '{name}'")
    for name in sorted(seen):
        ends = marks[name][3].split(", ")
        if ends == ["never"]:
            continue
        here = [name for file, name in uses if file in ends]
        require(here, f"'{name}' is set here, but there is none of {ends}")
        last = last_of(here, steps)
        left = [f"{number}-{bubble}" for number, bubble, found in steps
                if number >= last and name in found]
        require(not left, f"'{name}' is left in {left}")
    print(f"{len(seen)} marks in {len(steps)} modules die in time")


main()
