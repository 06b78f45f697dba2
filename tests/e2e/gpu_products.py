#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of each type and of awkward sizes on simulated GPUs, by the kernels
that are chosen for them, against the oracle.

Usage: gpu_products.py LH_RUN [--full] [TARGET...]

Without --full: two odd sizes for each type, one of few rows.
"""
import pathlib
import re
import sys
import tempfile

from support import ROOT, SUPPORT, Targets, require, run_with_report

sys.path.insert(0, str(SUPPORT))
from product_payloads import product  # noqa: E402

TARGETS = ["cuda-sm80", "cuda-sm90", "rocm-gfx90a", "rocm-gfx942",
           "rocm-gfx1100"]
QUICK = [(127, 65, 33), (9, 70, 100)]
FULL = [(1, 1, 1), (17, 31, 9), (127, 65, 33), (128, 128, 64), (129, 257, 100),
        (1, 200, 300), (300, 1, 64), (64, 64, 1), (65, 65, 1), (192, 136, 64),
        (200, 96, 16), (256, 384, 512)]
TYPES = [("f32", "f32"), ("f16", "f32"), ("f16", "f16"), ("bf16", "f32"),
         ("i8", "i32")]


def write_payloads(folder, sizes):
    for read, summed in TYPES:
        for rows, columns, length in sizes:
            stem = f"{read}-{summed}-{rows}x{columns}x{length}"
            (folder / f"{stem}.mlir").write_text(
                product(rows, columns, length, read, summed))
        if sizes is QUICK:
            continue
        (folder / f"{read}-{summed}-batch.mlir").write_text(
            product(33, 20, 50, read, summed, batch=3))
        (folder / f"{read}-{summed}-turned.mlir").write_text(
            product(33, 20, 50, read, summed, turned=True))


def manifest(payloads):
    text = (ROOT / "manifests" / "matmul-to-gpu.yaml").read_text()
    text = text.replace("../schedules", str(ROOT / "schedules"))
    cases = "".join(
        f"  {path.stem}: {{generate: {{model: {path}, seed: {seed}, draws: 1}}}}\n"
        for seed, path in enumerate(payloads))
    # Kernels alone: the plain way is launch by launch.
    text = re.sub(r"^  plain-.*\n", "", text, flags=re.M)
    return text[:text.index("\ncases:")] + "\ncases:\n" + cases + \
        "verify: {against: [oracle]}\n"


def messages(report):
    """What any step said, remarks included."""
    return [said["message"] for step in report["steps"]
            for said in step.get("diagnostics", [])]


lh_run, *arguments = sys.argv[1:]
full = "--full" in arguments
wanted = [word for word in arguments if word != "--full"] or TARGETS
targets = Targets()
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    write_payloads(folder, FULL if full else QUICK)
    payloads = sorted(folder.glob("*.mlir"))
    path = folder / "products.yaml"
    path.write_text(manifest(payloads))
    bad = {}
    for one in wanted:
        found = targets.first(one, lambda target: run_with_report(
            lh_run, path, "--keep-going", "--target", target))
        if not found:
            continue
        target, code, text, report = found
        if code:
            print("\n".join(line for line in text.splitlines()
                            if not line.startswith("passed: "))[-6000:])
        require(not any("loops compute this product" in said
                        for said in messages(report)),
                f"{target}: not every product has a kernel")
        summary = report["summary"]
        print(target, summary)
        if code or summary["failed"] or summary["passed"] < len(payloads):
            bad[target] = f"exit code {code}: {summary}"
    require(not bad, f"{bad}")
targets.finish()
