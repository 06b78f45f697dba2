#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX's function operators against their bodies: each test of one such node,
of golden/onnx-ops and of libonnx-testdata, with the body in the node's place
(tests/support/function_bodies), must give the outputs that the operator's own
reference gives, on both pipelines. A sample: of each operator the smallest
model; with --every all. What is left out is printed with its reason.

Usage: functions.py LH_RUN [--every]
"""
import json
import sys
import tempfile

from corpus import (failure_reason, passing, require_no_deaths, results_by,
                    run_corpus)
from support import CORPUS, ROOT, copy_manifest, output_of, require

OPERATORS = 43  # those that have a body here
# A body rounds after each of its steps, the operator once.
TOLERANCES = """  atol: 1.0e-5
  rtol: 1.0e-3
  dtypes:
    float16: {atol: 4.0e-3, rtol: 2.0e-2}
    bfloat16: {atol: 5.0e-2, rtol: 5.0e-2}
"""


def manifest_in(folder):
    path = copy_manifest("onnx-conformance", folder)
    head, tail = path.read_text().split("  atol: 1.0e-7\n")
    integers = tail.split("  dtypes:\n")[1]
    path.write_text(head + TOLERANCES + integers)
    return path


def main(lh_run, *flags):
    with tempfile.TemporaryDirectory() as folder:
        corpora = [ROOT / "golden" / "onnx-ops"]
        if (CORPUS / "node").is_dir():
            corpora.append(CORPUS)
        made = json.loads(output_of("expand-functions.py", f"{folder}/corpus",
                                    *flags, *corpora))
        report = run_corpus(lh_run, f"{folder}/corpus", "--case", "node/*",
                            "--pipeline=optimized", "--pipeline=plain",
                            manifest=manifest_in(folder))
    for name, why in {**made["without a body"], **made["left out"]}.items():
        print(f"not compared: {name}: {why}")
    require_no_deaths(report)
    bad = [f"{result['key']['case']}, {result['key']['pipeline']}: "
           f"{failure_reason(report, result)}"
           for result in report["results"] if result["status"] != "passed"]
    require(not bad, "some fail:\n  " + "\n  ".join(bad))
    written = {f"node/{name}" for names in made["written"].values()
               for name in names}
    missing = written - passing(results_by(report, "pipeline"),
                                ("optimized", "plain"))
    require(not missing, f"did not run: {sorted(missing)[:10]}")
    require(not made["without a test"] and len(made["written"]) >= OPERATORS,
            f"without a test: {made['without a test']}")
    print(f"{len(written)} bodies of {len(made['written'])} operators pass on "
          "both pipelines")


main(*sys.argv[1:])
