#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Both pipelines of the library against the oracle on awkward payloads: odd,
unit, empty and dynamic sizes, every kind of convolution, chains, loops.

Usage: schedules.py LH_RUN TARGET[|TARGET...] [--every N] [--unplanned] [FLAG...]

Of several targets the first that runs here is taken. --every N: of each family
every Nth payload, the first one always.

--unplanned: each buffer is allocated by itself, between fences and poisoned,
which a plan of the memory hides. FLAGs go to lh-run.
"""
import pathlib
import re
import sys
import tempfile

import yaml

from support import ROOT, SUPPORT, Targets, require, run_with_report, script

sys.path.insert(0, str(SUPPORT))
from chains import unfolded  # noqa: E402

# Families whose results are defined for any input. Elementwise ops are ONNX's
# backend tests' business.
FAMILIES = ("attention", "batch", "broadcast", "chain", "collapse", "concat", "conv",
            "depthwise", "dynamic", "grouped", "if", "insert", "loop",
            "matmul", "mixed", "pad", "pool", "reduce", "rows", "scalar",
            "shared", "slice", "transpose", "two", "vector")
# This payload sums 45 products in f16 itself: 45 roundings of sums below 32,
# each by at most half a unit in the last place there, 2^-7.
OWN_BOUND = {"matmul-f16": 45 * 2.0 ** -7}
DYNAMIC = 13  # what a '?' becomes, the same everywhere


def family(path):
    return re.split(r"[-.]", path.name)[0]


def sample(payloads, every):
    """Every Nth payload of each family."""
    return [path for name in FAMILIES
            for path in [each for each in payloads
                         if family(each) == name][::every]]


def inputs_of(text):
    """The entry's arguments as generated inputs, with `?` given a size. Bytes
    take all their values, so that sums of products that overflow show."""
    signature = re.search(r"func\.func @main\((.*?)\)\s*->", text, re.S)[1]
    inputs = {}
    for i, (dims, dtype) in enumerate(
            re.findall(r"tensor<((?:[\d?]+x)*)(\w+)>", signature)):
        shape = [DYNAMIC if dim == "?" else int(dim)
                 for dim in dims.split("x")[:-1]]
        numbers = ("dist: integers, range: [-128, 127]" if dtype == "i8"
                   else "dist: normal")
        inputs[f"arg{i}"] = f"{{shape: {shape}, {numbers}}}"
    return inputs


def manifest(payloads):
    """The main manifest's pipelines, with these payloads, {path: seed}, as
    cases."""
    text = (ROOT / "manifests" / "onnx-to-cpu.yaml").read_text()
    text = text.replace("ingress: onnx", "ingress: mlir")
    text = text.replace(", shapes: case", "").replace(", repeat: 10", "")
    text = text.replace("../schedules", str(ROOT / "schedules"))
    # One draw of each data set: many payloads here, few numbers each.
    cases = "".join(
        f"  {re.sub('[^a-z0-9]', '-', path.stem)}:\n    generate:\n"
        f"      model: {path}\n      seed: {seed}\n"
        "      draws: 1\n      inputs:\n"
        + "".join(f"        {name}: {numbers}\n"
                  for name, numbers in inputs_of(path.read_text()).items())
        + (f"    tolerance: {{atol: {OWN_BOUND[path.stem]}}}\n"
           if path.stem in OWN_BOUND else "")
        for path, seed in payloads.items())
    begin = text.index("\ncases:")
    return text[:begin] + "\ncases:\n" + cases + \
        "verify: {against: [oracle]}\n"


def unplanned(text):
    """The manifest without the bubble that plans memory."""
    whole = unfolded(yaml.safe_load(text), ROOT / "manifests")
    for pipeline in whole["pipelines"].values():
        path = pipeline["path"]
        if "memory" in path:
            at = path.index("memory")
            whole["edges"].append(f"{path[at - 1]} -> {path[at + 1]}")
            path.remove("memory")
    del whole["bubbles"]["memory"]
    whole["edges"] = [edge for edge in whole["edges"] if "memory" not in edge]
    return yaml.safe_dump(whole, sort_keys=False)


lh_run, wanted, *flags = sys.argv[1:]
every = 1
if "--every" in flags:
    at = flags.index("--every")
    every = int(flags[at + 1])
    del flags[at:at + 2]
targets = Targets()
with tempfile.TemporaryDirectory() as folder:
    script("schedule-payloads.py", folder)
    payloads = sorted(path for path in pathlib.Path(folder).glob("*.mlir")
                      if family(path) in FAMILIES)
    require(len(payloads) > 60, f"only {len(payloads)} payloads")
    # A payload's numbers are the same in every sample.
    seeds = {path: seed for seed, path in enumerate(payloads)}
    payloads = {path: seeds[path] for path in sample(payloads, every)}
    path = pathlib.Path(folder) / "schedules.yaml"
    text = manifest(payloads)
    if "--unplanned" in flags:
        flags.remove("--unplanned")
        text = unplanned(text)
        require("memory" not in text, "the memory is planned")
    path.write_text(text)
    found = targets.first(wanted, lambda target: run_with_report(
        lh_run, path, "--keep-going", "--target", target, *flags,
        *([] if "--pipeline" in flags else
          ["--pipeline=optimized", "--pipeline=plain"])))
if not found:
    targets.finish()
_, code, text, report = found
if code:
    print("\n".join(line for line in text.splitlines()
                    if not line.startswith("passed: "))[-6000:])
summary = report["summary"]
pipelines = 1 if "--pipeline" in flags else 2
require(summary["passed"] + summary["failed"] >= pipelines * len(payloads),
        f"some did not run: {summary}")
require(code == 0 and summary["failed"] == 0, f"exit code {code}: {summary}")
targets.finish()
