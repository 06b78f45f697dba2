#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What --dry-run prints is what is done: its lines, run one after another by
stock mlir-opt, give the module that lh-run has after each bubble."""
import argparse
import hashlib
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

from support import CORPUS, ROOT, require, run, skip

parser = argparse.ArgumentParser()
parser.add_argument("lh_run")
parser.add_argument("tools", help="the folder of mlir-opt")
parser.add_argument("manifest")
parser.add_argument("arguments", nargs=argparse.REMAINDER, help="of lh-run")
asked = parser.parse_args()
if asked.manifest == "onnx-conformance" and not CORPUS.exists():
    skip("the package libonnx-testdata is not installed")
MANIFEST = ROOT / "manifests" / f"{asked.manifest}.yaml"


def shell(line):
    """What is wrong with running it; empty when nothing is."""
    path = asked.tools + os.pathsep + os.environ["PATH"]
    done = subprocess.run(line, shell=True, capture_output=True, text=True,
                          env={**os.environ, "PATH": path})
    return done.returncode and (done.stderr.strip()[:500] or "failed")


def printed_paths(text):
    """By header, what --dry-run prints of it: (step, bubble, line or '')."""
    paths = {}
    for row in text.splitlines():
        if not row.startswith(" "):
            steps = paths.setdefault(row, [])
        elif row.startswith("    "):
            steps[-1][2] = row.strip()
        elif step := re.match(r"  (\d+) ([^: ]+)", row):
            steps.append([int(step[1]), step[2], ""])
    return paths


def selection_of(header):
    """The flags that choose one path, as of 'optimized on digits, host'."""
    pipeline, _, rest = header.partition(" on ")
    return ["--pipeline", pipeline, "--case", rest.split(", ")[0]]


def with_constants_in_order(text):
    """The constants of buffers, named by what they hold and sorted: bufferization
    takes functions that don't call each other in an order that addresses in
    memory decide (getFuncOpsOrderedByCalls), and numbers constants as it meets
    them."""
    constant = re.compile(r'^( *memref\.global "private" constant )@(\w+)( .*)$',
                          re.MULTILINE)
    names = {name: "constant_" + hashlib.sha256(rest.encode()).hexdigest()[:16]
             for _, name, rest in constant.findall(text)}
    rows = re.sub(r"@(\w+)", lambda use: "@" + names.get(use[1], use[1]),
                  text).splitlines(True)
    places = [i for i, row in enumerate(rows) if constant.match(row)]
    for place, row in zip(places, sorted(rows[i] for i in places)):
        rows[place] = row
    return "".join(rows)


def without_history(text):
    """A snapshot's text without what --from knows it by."""
    history = r'lh\.snapshot = \[[^\]]*\]'
    text = re.sub(f"(, {history})|({history}(, )?)", "", text, count=1)
    return text.replace("module attributes {} {", "module {", 1)


def modules_of(header, last, folder):
    """The module after each step of a path, in order: a file of bytecode, which
    keeps the order of uses, by which some passes go, with its text beside it.
    Steps that pipelines share may have another one's name in a plan of all."""
    code, text = run(asked.lh_run, "run", MANIFEST, *asked.arguments,
                     *selection_of(header), "--until", last,
                     "-o", folder / "last.mlir", "--snapshots", folder)
    require(code == 0, f"{header}: --until {last} fails:\n{text}")
    modules = {}
    for snapshot in folder.glob("*.mlirbc"):
        wrong = shell(f"mlir-opt {snapshot} -o {snapshot}.text")
        require(not wrong, f"{snapshot.name} can't be read: {wrong}")
        modules[int(snapshot.stem.partition("-")[0])] = snapshot
    return modules


def difference(line, before, wanted):
    """What running the line shows; empty when it gives `wanted`."""
    if " # " in line:
        return "only with this: " + line.partition(" # ")[2]
    made = before.with_suffix(".made")
    text = without_history(pathlib.Path(f"{wanted}.text").read_text())
    wrong = shell(f"{line} {shlex.quote(str(before))} -o "
                  f"{shlex.quote(str(made))}")
    if wrong:
        return wrong
    printed = without_history(made.read_text())
    if with_constants_in_order(printed) == with_constants_in_order(text):
        return ""
    rows = zip(printed.splitlines(), text.splitlines())
    one, other = next((pair for pair in rows if pair[0] != pair[1]), ("", ""))
    return f"makes\n      {one[:200]}\n    instead of\n      {other[:200]}"


def check_path(header, steps, seen):
    """How many lines are new here, and how many of them differ."""
    fresh = [step for step, _, line in steps if line and step not in seen]
    if not fresh:
        return 0, 0
    differing = 0
    with tempfile.TemporaryDirectory() as folder:
        last = [bubble for step, bubble, _ in steps if step in fresh][-1]
        modules = modules_of(header, last, pathlib.Path(folder))
        for place, (step, bubble, line) in enumerate(steps):
            if step not in fresh:
                continue
            seen.add(step)
            wrong = difference(line, modules[place - 1], modules[place])
            if wrong:
                differing += 1
                print(f"{header}: {step} {bubble}: {wrong}\n    {line}")
    return len(fresh), differing


with tempfile.TemporaryDirectory() as written:
    code, text = run(asked.lh_run, "run", MANIFEST, *asked.arguments,
                     "--dry-run", "--schedules", written)
    require(code == 0, f"--dry-run fails:\n{text}")
    seen, lines, differing = set(), 0, 0
    for header, steps in printed_paths(text).items():
        if " on " in header and steps:
            new, bad = check_path(header, steps, seen)
            lines, differing = lines + new, differing + bad
if lines == 0 and "does not run: " in text:
    skip(text.split("does not run: ", 1)[1].splitlines()[0])
require(lines > 0, "no line was run")
print(f"{lines - differing} of {lines} lines of {asked.manifest} give the "
      "module that lh-run has")
sys.exit(1 if differing else 0)
