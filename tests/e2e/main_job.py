#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The main job: a real model, every pipeline, every image."""
import sys
import tempfile

from support import ROOT, require, require_right_images, run_with_report

lh_run = sys.argv[1]
with tempfile.TemporaryDirectory() as elsewhere:
    code, text, report = run_with_report(
        lh_run, ROOT / "manifests" / "onnx-to-cpu.yaml", cwd=elsewhere)
print(text)
require(code == 0, f"exit code {code}")
results = report["results"]
pipelines = {result["key"]["pipeline"] for result in results}
require({"optimized", "plain"} <= pipelines, f"pipelines are {pipelines}")
require_right_images(results)
for result in results:
    vectorised = result["arithmetic"]["vectorised_share"]
    require(not result["arithmetic"]["unknown_calls"], "calls of unknown code")
    if result["key"]["pipeline"] == "optimized":
        # 12 and 24 channels leave lanes of the widest registers idle.
        require(vectorised > 0.65, f"only {vectorised:.0%} is vectorised")
