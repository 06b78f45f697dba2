#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The f32 product that is shipped, at 256 x 256 x 256 on SVE: how many
instructions it executes, and its share of the peak of cores as LLVM models
them. Both are the same on every machine.

Usage: cycles.py LH_RUN
"""
import pathlib
import shutil
import sys
import tempfile

from support import ROOT, require, run_with_report, skip

SIZE = 256
LABEL = "modelled (llvm-mca, L1-resident)"
# Per target and vector length: instructions at most, and of each core the
# least shares of its peak, of the whole call and of the inner loop.
BOUNDS = {
    ("neoverse-v1", 256): (3.6e6, {"neoverse-v1": (0.93, 0.97)}),
    ("neoverse-v2", 128): (6.9e6, {"neoverse-v2": (0.90, 0.95),
                                   "neoverse-v3": (0.91, 0.97),
                                   "neoverse-n2": (0.93, 0.97)}),
    ("aarch64-sve", 128): (7.25e6, {"neoverse-v2": (0.87, 0.94),
                                    "neoverse-v3": (0.91, 0.97),
                                    "neoverse-n2": (0.93, 0.97)}),
    ("aarch64-sve", 256): (3.7e6, {"neoverse-v1": (0.91, 0.97)}),
    ("aarch64-sve", 512): (2.0e6, {}),
}


def manifest(folder):
    """The shipped manifest, with its square of this size."""
    text = (ROOT / "manifests" / "matmul-to-cpu.yaml").read_text()
    payload = (ROOT / "golden" / "matmul-512" / "payload.mlir").read_text()
    (folder / "payload.mlir").write_text(payload.replace("512", str(SIZE)))
    for old, new in (("../schedules", f"{ROOT}/schedules"),
                     ("../golden/matmul-512/payload.mlir", "payload.mlir"),
                     ("[512, 512]", f"[{SIZE}, {SIZE}]"),
                     ("seed: 1\n", "seed: 1\n      sets: [drawn]\n"
                                   "      draws: 1\n")):
        require(old in text, f"the manifest has no '{old}' any more")
        text = text.replace(old, new)
    path = folder / "product.yaml"
    path.write_text(text)
    return path


def check(target, row):
    model = row["modelled"]
    require(model["counted"], f"{target}: {model.get('reason')}")
    bits, count = model["vector_bits"], model["instructions"]
    if (target, bits) not in BOUNDS:
        return
    most, cores = BOUNDS[target, bits]
    name = f"{target} at {bits} bits"
    scalable = model["kinds"]["sve"] / count
    print(f"{name}: {count} instructions, {scalable:.1%} of them SVE")
    require(model["cycles"] == LABEL, f"{name}: another label")
    require(count <= most, f"{name}: {count} instructions, at most {most:.0f}")
    require(scalable >= 0.5, f"{name}: {scalable:.1%} SVE")
    found = {core["core"]: core for core in model["cores"]}
    require(set(found) == set(cores), f"{name}: models of {sorted(found)}")
    for core, (whole, loop) in cores.items():
        shares = [found[core][part]["share_of_peak"]
                  for part in ("all", "loop")]
        print(f"  {core}: {shares[0]:.1%}, inner loop {shares[1]:.1%}")
        require(shares[0] >= whole and shares[1] >= loop,
                f"{name}: below {whole:.0%} or {loop:.0%} on {core}")
        require(max(shares) <= 1.001, f"{name}: beyond the peak of {core}")


def main():
    lh_run = pathlib.Path(sys.argv[1])
    if not (shutil.which("qemu-aarch64")
            and (lh_run.parent / "lh-runner-aarch64").exists()):
        skip("there is no emulator or no runner for AArch64")
    with tempfile.TemporaryDirectory() as folder:
        path = manifest(pathlib.Path(folder))
        for target in sorted({target for target, _ in BOUNDS}):
            code, text, report = run_with_report(
                lh_run, "bench", path, "--target", target, "--case", "square",
                "--pipeline", "optimized", "--model-cycles", "--library", ROOT)
            require(code == 0, f"{target}: exit code {code}\n{text}")
            for row in report["bench"]["cases"][0]["rows"]:
                check(target, row)
    return 0


if __name__ == "__main__":
    sys.exit(main())
