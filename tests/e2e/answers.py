#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/answers.md tells the truth: each of its commands prints what it says.

Usage: answers.py LH_RUN [WORD...]

A ```console block holds commands (`$ ...`) and what they print. `...` stands
for any rest of a line, or by itself for any number of lines. With words, only
the blocks that contain one of them are run. Commands run in a folder that
looks like the project's, so that what they leave is gone afterwards.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from support import ROOT, require

PAGE = ROOT / "docs" / "answers.md"
LINKED = ["docs", "golden", "manifests", "schedules", "targets"]
FEWEST = 15  # answers with a command


def blocks(text):
    """(heading, line number, lines) of each console block."""
    heading, lines, start = "", None, 0
    for number, line in enumerate(text.splitlines(), 1):
        if lines is None and line.startswith("## "):
            heading = line[3:]
        if line.startswith("```"):
            if lines is not None:
                yield heading, start, lines
                lines = None
            elif line == "```console":
                lines, start = [], number
            else:
                require(line == "```" or lines is None, f"{PAGE}:{number}")
        elif lines is not None:
            lines.append(line)


def commands(lines):
    """(command, expected lines) of one block."""
    found = []
    for line in lines:
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            require(found, f"'{line}' comes before any command")
            found[-1][1].append(line.rstrip())
    return found


def matches(expected, actual):
    """Whether `actual` reads as `expected` says; both are lists of lines."""
    pattern = ""
    for line in expected:
        if line.strip() == "...":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*".join(map(re.escape, line.split("..."))) + r"\n"
    text = "".join(line.rstrip() + "\n" for line in actual)
    return re.fullmatch(pattern, text) is not None


def run(command, lh_run, folder):
    path = f"{pathlib.Path(lh_run).resolve().parent}:{os.environ['PATH']}"
    done = subprocess.run(["bash", "-c", command], cwd=folder, text=True,
                          timeout=600, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT,
                          env={**os.environ, "PATH": path, "NO_COLOR": "1"})
    return done.stdout.splitlines()


lh_run, *words = sys.argv[1:]
wrong, answered = [], set()
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    for linked in LINKED:
        (folder / linked).symlink_to(ROOT / linked)
    for heading, number, lines in blocks(PAGE.read_text()):
        if words and not any(word in "\n".join([heading, *lines])
                             for word in words):
            continue
        for command, expected in commands(lines):
            actual = run(command, lh_run, folder)
            answered.add(heading)
            if not matches(expected, actual):
                wrong.append(f"{PAGE}:{number}: '{command}' printed\n"
                             + "\n".join(actual))
print(f"{len(answered)} answers hold" if not wrong else "\n\n".join(wrong))
require(not wrong, f"{len(wrong)} commands print something else")
require(words or len(answered) >= FEWEST,
        f"{len(answered)} answers; there should be {FEWEST}")
