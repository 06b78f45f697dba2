#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The main jobs notice a logit that is 0.01 off, of 49, and labels that are
another image's.

Usage: golden_guards.py LH_RUN
"""
import hashlib
import json
import pathlib
import shutil
import struct
import sys
import tempfile

from support import ROOT, copy_manifest, require, run_with_report

GOLDEN = ROOT / "golden" / "digits-cnn"
JOBS = {"onnx-to-cpu": "plain", "convnet-to-cpu": "direct"}
OFF = 0.01


def elements_of(path):
    """Where a .npy file's elements begin, and its bytes."""
    data = bytearray(path.read_bytes())
    return 10 + struct.unpack_from("<H", data, 8)[0], data


def rewritten(folder, name, change):
    """`change`s a file of the golden, and what its sidecar says of it."""
    start, data = elements_of(folder / name)
    change(start, data)
    (folder / name).write_bytes(data)
    sidecar = folder / "provenance.json"
    said = json.loads(sidecar.read_text())
    said["files"][name] = hashlib.sha256(data).hexdigest()
    sidecar.write_text(json.dumps(said))


def nudge(start, data):
    """One logit, in the middle."""
    at = start + (len(data) - start) // 8 * 4
    (logit,) = struct.unpack_from("<f", data, at)
    struct.pack_into("<f", data, at, logit + OFF)


def turn(start, data):
    """Each label is the image's before."""
    data[start:] = data[-8:] + data[start:-8]


def run(lh_run, job, name=None, change=None):
    """What the job says with a changed golden: exit code, result."""
    with tempfile.TemporaryDirectory() as folder:
        golden = pathlib.Path(folder) / "golden"
        shutil.copytree(GOLDEN, golden)
        if change:
            rewritten(golden, name, change)
        path = copy_manifest(job, folder)
        text = path.read_text().replace(", repeat: 10}", "}")
        require("../golden/digits-cnn" in text, f"{job} has the digits")
        path.write_text(text.replace("../golden/digits-cnn", str(golden)))
        code, text, report = run_with_report(lh_run, path, "--pipeline",
                                             JOBS[job], "--no-failures")
    print(text)
    (result,) = report["results"]
    return code, result, {said["kind"] for said in result.get("diagnostics",
                                                              [])}


def check(lh_run, job):
    code, result, _ = run(lh_run, job)
    require(code == 0 and result["status"] == "passed", f"{job}: {result}")
    (golden,) = [output for output in result["outputs"]
                 if output["against"] == "golden"]
    allowed = golden["tolerance"]["atol"]
    require(golden["tolerance"]["rtol"] == 0, f"{job} allows a share")
    require(allowed <= 20 * golden["max_abs"],
            f"{job} allows {allowed}, {golden['max_abs']} is enough")

    code, result, _ = run(lh_run, job, "outputs/0-logits.npy", nudge)
    require(code == 1 and "1 of 1280 elements" in result["reason"],
            f"{job}: a logit that is {OFF} off: {code}: {result['reason']}")

    code, result, kinds = run(lh_run, job, "labels.npy", turn)
    require(code == 1 and "plan-missed-labels" in kinds,
            f"{job}: labels of other images: {code}: {result['reason']}")


for each in JOBS:
    check(sys.argv[1], each)
