#!/usr/bin/env python3
"""ONNX's own backend tests, of every kind: of those whose models hold nothing
but tensors of numbers a floor must pass, the others must be refused by name,
and none may crash. With --perturbed, on a copy of them whose every expected
output is wrong: not one pass. With --own, this project's own operator cases
(golden/onnx-ops): all must pass.

Usage: conformance.py LH_RUN [--perturbed | --own]
"""
import collections
import json
import sys
import tempfile

from corpus import (PIPELINES, failure_reason, passing, require_no_deaths,
                    results_by, run_corpus)
from support import CORPUS, ROOT, SKIPPED, output_of, require, script

KINDS = ("node", "pytorch-converted", "pytorch-operator", "simple")
TESTS, PLAIN = 1072, 1001  # in Debian 12's libonnx-testdata
FLOOR = 990  # of PLAIN, those that must pass on both pipelines
VECTORISED = 0.9  # of the work in CONTRACTIONS' tests, at least
CONTRACTIONS = {"Conv", "ConvTranspose", "Gemm", "MatMul"}
REFUSALS = ("ingress-unsupported-op", "ingress-unsupported-type")


def by_pipeline(report):
    return results_by(report, "pipeline")


def refused(report, results):
    """The tests whose import says by name what it does not support."""
    refusing = {step["id"] for step in report["steps"]
                for said in step.get("diagnostics", [])
                if said["kind"] in REFUSALS and "'" in said["message"]}
    return {case for (case, _), runs in results.items()
            if all(refusing.intersection(run["steps"]) for run in runs)}


def vectorised_share(results, tests):
    """Of the floating-point work in these tests, on the optimised pipeline,
    the part in vector code."""
    total = collections.Counter()
    for (case, pipeline), runs in results.items():
        if pipeline == "optimized" and case in tests:
            for run in runs:
                total.update({key: (run["flops"] or {}).get(key, 0)
                              for key in ("vectorised", "scalar")})
    return total["vectorised"] / max(1, sum(total.values()))


def check_corpus(lh_run):
    report = run_corpus(lh_run, CORPUS)
    require_no_deaths(report)
    results = by_pipeline(report)
    tests = {case for case, _ in results}
    require(len(tests) >= TESTS, f"only {len(tests)} tests ran")
    models = json.loads(output_of("describe-onnx-tests.py", CORPUS))
    foreign = {case: model["foreign"] for case, model in models.items()
               if model["foreign"]}
    plain = tests - foreign.keys()
    require(len(plain) >= PLAIN, f"only {len(plain)} tests are plain")
    good = passing(results)
    for case in sorted(plain - good):
        runs = [run for name in PIPELINES for run in results[case, name]
                if run["status"] != "passed"]
        print(f"  {case}: {failure_reason(report, runs[0])}")
    for kind in KINDS:
        of_kind = {case for case in plain if case.startswith(kind + "/")}
        print(f"{kind}: {len(of_kind & good)} of {len(of_kind)} pass")
    share = vectorised_share(results, {
        case for case, model in models.items()
        if CONTRACTIONS.intersection(model["ops"])})
    print(f"{len(plain & good)} of {len(plain)} tests of numeric tensors pass "
          f"on both pipelines in {report['seconds']:.0f} s; {share:.1%} of the "
          "contractions' work is vectorised")
    # What is drawn at random may run; it cannot be expected to agree.
    drawn = {case for case, why in foreign.items() if "random" in why}
    silent = foreign.keys() - good - drawn - refused(report, results)
    require(not silent, f"not refused by name: "
            f"{[(case, foreign[case]) for case in sorted(silent)]}")
    require(len(plain & good) >= FLOOR,
            f"fewer than {FLOOR} pass on both pipelines")
    require(share >= VECTORISED, f"less than {VECTORISED} is vectorised")


def check_perturbed(lh_run):
    with tempfile.TemporaryDirectory() as folder:
        for kind in KINDS:
            script("perturb-corpus.py", CORPUS / kind, f"{folder}/{kind}")
        results = by_pipeline(run_corpus(lh_run, folder))
    require(len(results) >= 2 * TESTS, f"only {len(results)} results")
    fooled = [key for key, runs in results.items()
              if any(run["status"] == "passed" for run in runs)]
    require(not fooled, f"pass with wrong expectations: {fooled[:10]}")
    compared = sum(any(run["outputs"] for run in runs)
                   for runs in results.values())
    print(f"{compared} results were compared, none passes")
    # Those that pass with the right expectations; not failures before that.
    require(compared >= 2 * FLOOR, f"only {compared} results were compared")


def check_own(lh_run):
    corpus = ROOT / "golden" / "onnx-ops"
    report = run_corpus(lh_run, corpus, "--case", "node/*")
    results = by_pipeline(report)
    written = {f"node/{path.parent.name}"
               for path in corpus.glob("node/*/model.onnx")}
    bad = [f"{case}: {failure_reason(report, run)}"
           for (case, name), runs in results.items() for run in runs
           if run["status"] != "passed"]
    require(not bad, "some fail:\n  " + "\n  ".join(bad))
    missing = written - passing(results)
    require(written and not missing, f"did not run: {sorted(missing)[:10]}")
    print(f"all {len(written)} cases pass on both pipelines")


CHECKS = {"--perturbed": check_perturbed, "--own": check_own}
if "--own" not in sys.argv and not (CORPUS / "node").is_dir():
    skip("the package libonnx-testdata is not installed")
CHECKS.get(sys.argv[-1], check_corpus)(sys.argv[1])
