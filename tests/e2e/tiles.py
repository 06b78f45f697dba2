#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of bytes and bf16 of awkward sizes in AMX's tiles, against the
oracle; where the CPU has no AMX, the runner carries its instructions out.

Usage: tiles.py LH_RUN [--full]

Without --full: two odd sizes, and one of whole tiles, on one thread.
"""
import pathlib
import sys
import tempfile

from support import ROOT, SUPPORT, require, require_ran, run_with_report

sys.path.insert(0, str(SUPPORT))
from product_payloads import product  # noqa: E402

QUICK = [(17, 65, 130), (64, 64, 128), (45, 40, 9)]
FULL = QUICK + [(1, 8, 8), (2, 33, 5), (15, 32, 64), (16, 16, 16), (31, 31, 63),
                (32, 40, 260), (33, 64, 129), (49, 96, 200), (100, 70, 65),
                (300, 9, 1000)]
TYPES = [("i8", "i32"), ("bf16", "f32")]
MANIFEST = """lighthouse: 1
name: tiles
targets: [{target}]
bubbles:
  import:   {{ingress: mlir, model: "${{case.model}}"}}
  operands: {{use: lib:cpu/operands}}
  optimize: {{use: lib:cpu/optimize}}
  run:      {{execute: main}}
edges:
  - import -> operands -> optimize -> run
cases:
{cases}verify: {{against: [oracle]}}
"""


# AMX sums even and odd bf16 apart. Of the largest numbers one such sum may
# overflow where sums in order don't, and the maximum behind the product hides
# that they could have: no data set of special numbers for these.
SETS = {"bf16": "sets: [drawn, exact]", "i8": "draws: 1"}


def write_payloads(folder, full):
    for read, summed in TYPES:
        for sizes in FULL if full else QUICK:
            stem = f"{read}-{'x'.join(map(str, sizes))}"
            (folder / f"{stem}.mlir").write_text(
                product(*sizes, read, summed))
        (folder / f"{read}-batch.mlir").write_text(
            product(33, 20, 50, read, summed, batch=3))
        (folder / f"{read}-turned.mlir").write_text(
            product(33, 20, 50, read, summed, turned=True))


def require_tiles(report, payloads):
    """Each product was chosen for tiles."""
    chosen = [choice for step in report["steps"]
              for choice in step.get("choices", [])
              if choice["strategy"] == "amx"]
    require(len(chosen) >= payloads, f"{len(chosen)} products in tiles")


lh_run, *words = sys.argv[1:]
with tempfile.TemporaryDirectory() as top:
    folder = pathlib.Path(top)
    write_payloads(folder, "--full" in words)
    payloads = sorted(folder.glob("*.mlir"))
    cases = "".join(
        f"  {path.stem}: {{generate: {{model: {path}, seed: {seed}, "
        f"{SETS[path.stem.split('-')[0]]}}}}}\n"
        for seed, path in enumerate(payloads))
    path = folder / "tiles.yaml"
    target = ROOT / "tests" / "lit" / "Inputs" / "targets" / "tiles.yaml"
    path.write_text(MANIFEST.format(cases=cases, target=target))
    for threads in ("1", "2") if "--full" in words else ("1",):
        code, text, report = run_with_report(lh_run, path, "--keep-going",
                                             "--threads", threads)
        require_ran(report)
        print(report["summary"])
        require(code == 0 and report["summary"]["passed"] >= len(payloads),
                text[-6000:])
        require_tiles(report, len(payloads))
