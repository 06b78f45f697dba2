#!/usr/bin/env python3
"""ONNX's own backend tests: a floor of passes and no crash. With --perturbed,
on a copy of them whose every expected output is wrong: not one pass.

Usage: conformance.py LH_RUN [--perturbed]
"""
import collections
import sys
import tempfile

from support import CORPUS, ROOT, SKIPPED, require, run_with_report, script

TESTS = 932  # node tests in Debian 12's libonnx-testdata
FLOOR = 787  # of them, those that must pass on both pipelines
DEAD = ("crashed", "timed out", "out of memory")


def outcome(lh_run, corpus):
    """The report's results by test and pipeline, and the steps that took their
    process with them."""
    _, text, report = run_with_report(
        lh_run, ROOT / "manifests" / "onnx-conformance.yaml", "--keep-going",
        "--step-timeout", 60, "--set", f"corpus={corpus}")
    print(text[-600:])
    require(not report["interrupted"], "the run was interrupted")
    results = collections.defaultdict(list)
    for result in report["results"]:
        key = result["key"]
        results[key["case"], key["pipeline"]].append(result)
    dead = {step["id"]: step for step in report["steps"]
            if step["status"] in DEAD}
    deaths = [(result["key"]["case"], dead[step]["bubble"],
               dead[step]["reason"])
              for result in report["results"] for step in result["steps"]
              if step in dead]
    count = len({case for case, _ in results})
    require(count >= TESTS, f"only {count} tests ran")
    return results, deaths


def check_corpus(lh_run):
    results, deaths = outcome(lh_run, CORPUS)
    require(not deaths, f"crashes or time-outs: {deaths[:10]}")
    good = {pipeline: {case for (case, name), runs in results.items()
                       if name == pipeline and
                       all(run["status"] == "passed" for run in runs)}
            for pipeline in ("optimized", "plain")}
    both = good["optimized"] & good["plain"]
    print(f"of {len(results) // 2} tests {len(good['optimized'])} pass "
          f"optimized, {len(good['plain'])} plain, {len(both)} both")
    require(len(both) >= FLOOR, f"fewer than {FLOOR} pass on both pipelines")


def check_perturbed(lh_run):
    with tempfile.TemporaryDirectory() as folder:
        script("perturb-corpus.py", CORPUS / "node", f"{folder}/node")
        results, _ = outcome(lh_run, folder)
    fooled = [key for key, runs in results.items()
              if any(run["status"] == "passed" for run in runs)]
    require(not fooled, f"pass with wrong expectations: {fooled[:10]}")
    compared = sum(any(run["outputs"] for run in runs)
                   for runs in results.values())
    print(f"{compared} results were compared, none passes")
    # Those that pass with the right expectations; not failures before that.
    require(compared >= 2 * FLOOR, f"only {compared} results were compared")


if not (CORPUS / "node").is_dir():
    print("skipped: the package libonnx-testdata is not installed")
    sys.exit(SKIPPED)
(check_perturbed if "--perturbed" in sys.argv else check_corpus)(sys.argv[1])
