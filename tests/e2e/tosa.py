#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TOSA's operators, one program each, against numpy: with
lib:common/tosa-to-linalg and plain loops, and by the oracle's own way.

Usage: tosa.py LH_RUN [--list]      --list prints a line for each program
"""
import hashlib
import json
import pathlib
import sys
import tempfile

import numpy as np

from support import SUPPORT, require, run_with_report

sys.path.insert(0, str(SUPPORT))
from tosa_cases import CASES  # noqa: E402

# What upstream's passes leave, which nothing here lowers.
KNOWN = {
    "variable": "a module with state has no function to run",
    "custom": "an operator that TOSA leaves open",
}
MANIFEST = """
lighthouse: 1
name: tosa-operators
targets: [host]
bubbles:
  import:    {ingress: mlir, model: "${case.model}"}
  tosa:      {use: lib:common/tosa-to-linalg}
  simplify:  {use: lib:common/simplify}
  loops:     {use: lib:common/generalize}
  bufferize: {use: lib:common/bufferize}
  lower:     {use: lib:cpu/lower-to-llvm}
  run:       {execute: main}
edges:
  - import -> tosa -> simplify -> loops -> bufferize -> lower -> run
verify: {against: [golden, oracle]}
cases:
"""


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def write(folder, case):
    """A golden folder."""
    for name in ("inputs", "outputs"):
        (folder / name).mkdir(parents=True)
    (folder / "payload.mlir").write_text(case.program)
    for i, array in enumerate(case.inputs):
        np.save(folder / "inputs" / f"{i}-arg{i}.npy", array)
    for i, array in enumerate(case.outputs):
        np.save(folder / "outputs" / f"{i}-result{i}.npy", array)
    (folder / "provenance.json").write_text(json.dumps({
        "producer": "tests/support/tosa_cases.py",
        "versions": {"numpy": np.__version__}, "target": "any",
        "dtypes": {f"result{i}": str(a.dtype)
                   for i, a in enumerate(case.outputs)},
        "model_sha256": sha256(case.program.encode())}))


def main(lh_run, *flags):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        lines = ""
        for name, case in CASES.items():
            write(folder / name, case)
            lines += f"  {name}: {{golden: {name}}}\n"
        (folder / "tosa.yaml").write_text(MANIFEST + lines)
        code, text, report = run_with_report(
            lh_run, folder / "tosa.yaml", "--keep-going", "--no-failures",
            cwd=folder)
    failed = {}
    for result in report["results"]:
        name = result["key"]["case"]
        if "--list" in flags:
            print(name, result["status"])
        if result["status"] != "passed":
            failed[name] = result["status"]
    require(len(report["results"]) == len(CASES), f"some didn't run\n{text}")
    require(set(failed) == set(KNOWN),
            f"failed: {sorted(set(failed) - set(KNOWN))}, passed against "
            f"expectation: {sorted(set(KNOWN) - set(failed))}\n{text[-6000:]}")
    operators = {name.split("-")[0] for name in CASES}
    print(f"{len(operators) - len(KNOWN)} of {len(operators)} operators of "
          f"TOSA 1.0 run, in {len(CASES) - len(KNOWN)} programs")


main(*sys.argv[1:])
