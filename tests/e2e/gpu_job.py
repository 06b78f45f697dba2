#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A whole model on a GPU target, simulated or in software: every pipeline, every image, with
the comparisons of the CPU's main job.

    gpu_job.py LH_RUN MANIFEST TARGET
"""
import sys
import tempfile

from support import (ROOT, require, require_ran, require_right_images,
                     run_with_report)

lh_run, manifest, target = sys.argv[1:]
path = ROOT / "manifests" / f"{manifest}.yaml"
verify = ("verify: {against: [golden, oracle], oracle: auto, "
          "atol: 2.0e-4, rtol: 0}")
for name in (path, ROOT / "manifests" / "onnx-to-cpu.yaml"):
    require(verify in name.read_text(), f"{name} compares like the other one")
with tempfile.TemporaryDirectory() as elsewhere:
    code, text, report = run_with_report(
        lh_run, path, "--target", target, "--device", "sim", cwd=elsewhere)
print(text)
require_ran(report)
require(code == 0, f"exit code {code}")
results = report["results"]
pipelines = {result["key"]["pipeline"] for result in results}
require({"optimized", "plain"} <= pipelines, f"pipelines are {pipelines}")
require_right_images(results)
label = "software" if target.startswith("vulkan") else "simulated"
require(label in text, f"the run says that it is {label}")
