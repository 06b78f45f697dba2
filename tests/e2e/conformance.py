#!/usr/bin/env python3
"""ONNX's own backend tests: a floor of passes, no crash, and no pass at all
when every expected output is wrong."""
import collections
import sys
import tempfile

from support import (CORPUS, ROOT, SKIPPED, require, run_with_report, script)

FLOOR = 350  # node tests that must pass on both pipelines
DEAD = ("crashed", "timed out", "out of memory")

lh_run = sys.argv[1]
if not (CORPUS / "node").is_dir():
    print("skipped: the package libonnx-testdata is not installed")
    sys.exit(SKIPPED)


def outcome(corpus):
    """The report's results, by test, as {pipeline: result}, and its steps that
    took their process with them."""
    _, text, report = run_with_report(
        lh_run, ROOT / "manifests" / "onnx-conformance.yaml", "--keep-going",
        "--step-timeout", 60, "--set", f"corpus={corpus}")
    print(text[-1500:])
    tests = collections.defaultdict(dict)
    for result in report["results"]:
        key = result["key"]
        tests[key["case"], key["data_set"]][key["pipeline"]] = result
    require(not report["interrupted"], "the run was interrupted")
    dead = [(step["bubble"], step["reason"]) for step in report["steps"]
            if step["status"] in DEAD]
    return tests, dead


def passes(results):
    return len(results) == 2 and all(result["status"] == "passed"
                                     for result in results.values())


tests, dead = outcome(CORPUS)
require(len({case for case, _ in tests}) >= 932, f"only {len(tests)} tests")
require(not dead, f"crashes or time-outs: {dead[:10]}")
passed = {case for (case, _) in tests
          if all(passes(results) for (other, _), results in tests.items()
                 if other == case)}
print(f"{len(passed)} of {len({case for case, _ in tests})} pass on both")
require(len(passed) >= FLOOR, f"fewer than {FLOOR} pass")

with tempfile.TemporaryDirectory() as folder:
    script("perturb-corpus.py", CORPUS, f"{folder}/data")
    wrong, _ = outcome(f"{folder}/data")
    require(len(wrong) == len(tests), "the perturbed corpus ran other tests")
    fooled = [key for key, results in wrong.items()
              if any(result["status"] == "passed"
                     for result in results.values())]
    require(not fooled, f"pass with wrong expectations: {fooled[:10]}")
print("with every expected output perturbed, none passes")
