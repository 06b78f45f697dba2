#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The shipped race: other compilers run the same nets, each is judged, and all
that passed have a time in one table.

    race.py LH_RUN CASE...

PyTorch and NumPy come with the test packages and must run; ONNX Runtime, which
Debian lacks, runs where NODE_PATH or ONNXRUNTIME leads to it.
"""
import os
import shutil
import sys
import tempfile

from support import ROOT, copy_manifest, require, run_with_report, script

OURS, NEEDED, PERHAPS = "lighthouse", ("pytorch", "numpy"), "onnxruntime"

lh_run, *cases = sys.argv[1:]
# The packages' Python, whatever comes first in PATH.
os.environ["PATH"] = "/usr/bin:" + os.environ["PATH"]
with tempfile.TemporaryDirectory() as folder:
    manifest = copy_manifest("race", folder)
    text = manifest.read_text().replace("../golden", f"{folder}/golden")
    for name in ("onnxruntime", "pytorch", "numpy"):
        text = text.replace(f"external: {name}}}",
                            f"external: {ROOT}/tools/{name}.yaml}}")
    manifest.write_text(text)
    shutil.copytree(ROOT / "golden" / "digits-cnn",
                    f"{folder}/golden/digits-cnn")
    for case in cases:
        if case != "digits":
            script("make-nets.py", case, f"{folder}/golden/{case}")
            shutil.copytree(ROOT / "golden" / case, f"{folder}/golden/{case}",
                            dirs_exist_ok=True, ignore=shutil.ignore_patterns(
                                "model.onnx", "inputs"))
    code, printed, report = run_with_report(
        lh_run, "bench", manifest, "--race", "--allow-exec",
        "--time-limit", "1", *[f"--case={case}" for case in cases])
print(printed)
require(code == 0, f"exit code {code}")
for group in report["bench"]["cases"]:
    rows = {row["pipeline"]: row for row in group["rows"]}
    for name in (OURS, *NEEDED):
        require(name in rows and rows[name]["measured"],
                f"{name} was measured on {group['case']}")
    for name in NEEDED:
        require(rows[name]["tool"].startswith(name + " "),
                f"{name} has a version: {rows[name].get('tool')}")
require({group["case"] for group in report["bench"]["cases"]} == set(cases),
        "every case was measured")
for result in report["results"]:
    name = result["key"]["pipeline"]
    if name == PERHAPS and result["status"] == "skipped":
        require("npm install onnxruntime-node" in result["reason"],
                f"how to get it is told: {result['reason']}")
        continue
    require(result["status"] == "passed",
            f"{name} is {result['status']} on {result['key']['case']}")
    judges = {output["against"] for output in result["outputs"]}
    require(judges == {"golden", "oracle"}, f"{name} was judged by {judges}")
