# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What gpu_products.py and gpu_convolutions.py share: payloads of each type
are run on simulated GPUs, by kernels alone, and compared with the oracle."""
import pathlib
import re
import sys
import tempfile

from support import ROOT, Targets, require, run_with_report

TARGETS = ["cuda-sm80", "cuda-sm90", "rocm-gfx90a", "rocm-gfx942",
           "rocm-gfx1100", "xe-pvc", "xe-dg2", "vulkan-generic"]
# What is read, and what it is summed up in.
TYPES = [("f32", "f32"), ("f16", "f32"), ("f16", "f16"), ("bf16", "f32"),
         ("i8", "i32")]


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


def check(targets, lh_run, path, wanted, count, inspect):
    """What is wrong on the target `wanted`; nothing where all pass."""
    found = targets.first(wanted, lambda target: run_with_report(
        lh_run, path, "--keep-going", "--target", target))
    if not found:
        return None
    target, code, text, report = found
    if code:
        print("\n".join(line for line in text.splitlines()
                        if not line.startswith("passed: "))[-6000:])
    inspect(target, report)
    summary = report["summary"]
    print(target, summary)
    if code or summary["failed"] or summary["passed"] < count:
        return f"exit code {code}: {summary}"
    return None


def check_all(name, write_payloads, inspect=lambda target, report: None):
    """The test: `write_payloads` is told the folder and whether all are asked
    for; `inspect` sees each target's report."""
    lh_run, *arguments = sys.argv[1:]
    wanted = [word for word in arguments if word != "--full"] or TARGETS
    targets = Targets()
    with tempfile.TemporaryDirectory() as top:
        folder = pathlib.Path(top)
        write_payloads(folder, "--full" in arguments)
        payloads = sorted(folder.glob("*.mlir"))
        path = folder / f"{name}.yaml"
        path.write_text(manifest(payloads))
        bad = {target: wrong for target in wanted
               if (wrong := check(targets, lh_run, path, target, len(payloads),
                                  inspect))}
        require(not bad, f"{bad}")
    targets.finish()
