# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Running an ONNX backend test corpus and reading what came of it."""
import collections

from support import ROOT, require, run_with_report

MANIFEST = ROOT / "manifests" / "onnx-conformance.yaml"
PIPELINES = ("optimized", "plain", "upstream")
DEAD = ("crashed", "timed out", "out of memory")


def run_corpus(lh_run, corpus, *flags, manifest=MANIFEST):
    """The report of one run over the corpus."""
    _, text, report = run_with_report(
        lh_run, manifest, "--keep-going", "--step-timeout", 60, "--set",
        f"corpus={corpus}", *flags)
    print(text[-600:])
    require(not report["interrupted"], "the run was interrupted")
    return report


def results_by(report, name):
    """The report's results by test and `name` ("pipeline", "sweep"); one per
    data set."""
    results = collections.defaultdict(list)
    for result in report["results"]:
        key = result["key"]
        results[key["case"], key[name]].append(result)
    return results


def all_passed(runs):
    return all(run["status"] == "passed" for run in runs)


def passing(results, pipelines=PIPELINES):
    """The tests that pass on all these pipelines."""
    good = [{case for (case, name), runs in results.items()
             if name == pipeline and all_passed(runs)}
            for pipeline in pipelines]
    return set.intersection(*good)


def require_no_deaths(report):
    """No step took its process with it."""
    dead = {step["id"]: step for step in report["steps"]
            if step["status"] in DEAD}
    deaths = [(result["key"]["case"], dead[step]["bubble"],
               dead[step]["reason"])
              for result in report["results"] for step in result["steps"]
              if step in dead]
    require(not deaths, f"crashes or time-outs: {deaths[:10]}")


def failure_reason(report, result):
    """Why a result did not pass, in one line."""
    said = [diagnostic["message"] for step in report["steps"]
            if step["id"] in result["steps"]
            for diagnostic in step.get("diagnostics", [])
            if diagnostic["severity"] == "error"]
    return (said or [result["reason"]])[0]
