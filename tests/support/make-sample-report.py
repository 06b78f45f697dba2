#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes docs/sample-report.html anew: make-sample-report.py LH_RUN

The digits run, with the snapshots that are short. Paths of this machine are
left out, of the record and of the snapshots.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
LONGEST = 32000  # bytes of a snapshot


def without_paths(text):
    return text.replace(f"{ROOT}/", "")


def prune(record, folder):
    for step in record["steps"]:
        for output in step.get("outputs", []):
            output["path"] = os.path.basename(output["path"])
        if "snapshot" not in step:
            continue
        path = folder / step["snapshot"]
        path.write_text(without_paths(path.read_text()))
        if path.stat().st_size > LONGEST \
                or step["bubble"].startswith("oracle/"):
            del step["snapshot"]


def main():
    lh_run = sys.argv[1]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        file = folder / "report.json"
        subprocess.run([lh_run, ROOT / "manifests/onnx-to-cpu.yaml",
                        "--json", file, "--snapshots", folder / "ir"],
                       check=True, stdout=subprocess.DEVNULL)
        record = json.loads(without_paths(file.read_text()))
        prune(record, folder)
        file.write_text(json.dumps(record))
        subprocess.run([lh_run, "report", file, "-o",
                        ROOT / "docs/sample-report.html"], check=True)


if __name__ == "__main__":
    main()
