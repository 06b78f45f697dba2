#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An installed lh-run finds its library and works from any folder."""
import pathlib
import subprocess
import sys
import tempfile

from support import ROOT, SUPPORT, require, run

sys.path.insert(0, str(SUPPORT))
from product_payloads import product  # noqa: E402

lh_run = pathlib.Path(sys.argv[1])
MANIFEST = """
lighthouse: 1
name: mine
targets: [host]
bubbles:
  import: {ingress: mlir, model: "${case.model}"}
  loops: {use: "lib:common/generalize"}
  buffers: {use: "lib:common/bufferize"}
  lower: {use: "lib:cpu/lower-to-llvm"}
  run: {execute: main}
edges: [import -> loops -> buffers -> lower -> run]
cases:
  small: {generate: {model: payload.mlir, seed: 1}}
verify: {against: [oracle], rtol: 1.0e-5, atol: 1.0e-6}
"""

with tempfile.TemporaryDirectory() as folder:
    prefix = pathlib.Path(folder) / "prefix"
    mine = pathlib.Path(folder) / "mine"
    mine.mkdir()
    (mine / "payload.mlir").write_text(product(5, 3, 7, "f32", "f32"))
    (mine / "mine.yaml").write_text(MANIFEST)
    subprocess.run(["cmake", "--install", str(lh_run.parent), "--prefix",
                    str(prefix)], check=True, stdout=subprocess.DEVNULL)
    installed = str(prefix / "bin" / "lh-run")
    code, text = run(installed, "doctor", cwd=folder)
    require(code == 0 and str(prefix / "share" / "lighthouse") in text,
            f"doctor doesn't show the installed library:\n{text}")
    code, text = run(installed, mine / "mine.yaml", cwd=folder)
    require(code == 0, f"a user's own manifest fails:\n{text}")
print(f"installed into a prefix and ran {ROOT.name}'s library from there")
