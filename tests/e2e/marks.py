#!/usr/bin/env python3
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
# A mark as text has it: a key of a dictionary of attributes.
MARK = re.compile(r"[{ ](lh\.\w+)(?= = |[,}])")


def bubbles():
    """Each bubble of the manifest by the file that it uses."""
    uses = re.findall(r"^  (\w+):\s+\{use: \S+/([\w-]+)\.yaml",
                      PATH.read_text(), re.M)
    uses += re.findall(r"^  (\w+):\n    use: \S+/([\w-]+)\.yaml",
                       PATH.read_text(), re.M)
    return {file: name for name, file in uses}


def snapshots(folder):
    """(number, bubble, marks) of each module that was kept, in order."""
    found = []
    for path in pathlib.Path(folder).rglob("*.mlir"):
        number, name = path.stem.split("-", 1)
        marks = set(MARK.findall(path.read_text())) - {OF_SNAPSHOTS}
        found.append((int(number), name.split("-")[0], marks))
    return sorted(found)


def main():
    marks, uses = declared(HEADER.read_text()), bubbles()
    lowered = next(uses[file] for file in uses if file.startswith("lower-to-"))
    uses["lowering"] = lowered
    with tempfile.TemporaryDirectory() as folder:
        code, text = run(lh_run, "run", PATH, "--pipeline", "optimized",
                         "--case", "digits", "--target", target, "--until",
                         lowered, "--snapshots", folder, "-o", "-")
        require(code == 0, text[-2000:])
        steps = snapshots(folder)
    seen = set().union(*(found for _, _, found in steps))
    require(lowered in [bubble for _, bubble, _ in steps] and len(seen) > 8,
            f"the modules have {sorted(seen)} only")
    for number, bubble, found in steps:
        for name in sorted(found):
            require(name in marks, f"{number}-{bubble}: undeclared '{name}'")
    for name in sorted(seen):
        ends = marks[name][3].split(", ")
        if ends == ["never"]:
            continue
        here = [uses[end] for end in ends if end in uses]
        require(here, f"'{name}' is set here, but there is none of {ends}")
        last = max(number for number, bubble, _ in steps if bubble in here)
        left = [f"{number}-{bubble}" for number, bubble, found in steps
                if number >= last and name in found]
        require(not left, f"'{name}' is left in {left}")
    print(f"{len(seen)} marks in {len(steps)} modules die in time")


main()
