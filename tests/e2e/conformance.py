#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX's own backend tests, of every kind: of those whose models hold nothing
but numbers all must pass but those in FAILURES, the others must be
refused by name, and none may crash; docs/onnx.md must say what came out. With
--write it is made to. With --perturbed, on a copy of them whose every expected
output is wrong: not one pass. With --own, this project's own operator cases
(golden/onnx-ops): all must pass. --every N: a sample, every Nth test of a kind.

Usage: conformance.py LH_RUN [--write | --perturbed | --own] [--every N]
"""
import argparse
import collections
import contextlib
import json
import pathlib
import shutil
import sys
import tempfile

from corpus import (PIPELINES, failure_reason, passing, require_no_deaths,
                    results_by, run_corpus)
from support import CORPUS, ROOT, output_of, require, script, skip

KINDS = ("node", "pytorch-converted", "pytorch-operator", "simple")
TESTS, PLAIN = 1072, 1039  # in Debian 12's libonnx-testdata
# Of PLAIN, all that fail, by the reason.
FAILURES = {
    "the data holds uint16 where the model says bfloat16": [
        "node/test_cast_BFLOAT16_to_FLOAT", "node/test_cast_FLOAT_to_BFLOAT16"],
    "the data of `like` has rank 1, the model says rank 2": [
        "node/test_castlike_BFLOAT16_to_FLOAT",
        "node/test_castlike_BFLOAT16_to_FLOAT_expanded",
        "node/test_castlike_FLOAT_to_BFLOAT16",
        "node/test_castlike_FLOAT_to_BFLOAT16_expanded"],
    "zeros would pass, because all expected values are so close to 0: "
    "*unverified*": [
        "pytorch-operator/test_operator_add_size1_broadcast"],
    "ones would pass, because all expected values are so close to 1: "
    "*unverified*": [
        "node/test_rnn_seq_length",
        "pytorch-converted/test_MaxPool2d_stride_padding_dilation"],
}
DOCS = ROOT / "docs" / "onnx.md"
BEGIN = "<!-- Made by tests/e2e/conformance.py LH_RUN --write. -->\n"
END = "<!-- So far. -->\n"
# Of the arithmetic in CONTRACTIONS' tests, at least: their tensors are so small
# that most lanes are idle.
VECTORISED = 0.35
CONTRACTIONS = {"Conv", "ConvTranspose", "Gemm", "MatMul"}
# What these draw is judged by its distribution, which no change by 1 % shows.
DRAWS = {"Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike",
         "RandomUniform", "RandomUniformLike"}
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
    """Of the arithmetic in these tests, on the optimised pipeline, the part in
    vectors."""
    total = collections.Counter()
    for (case, pipeline), runs in results.items():
        if pipeline == "optimized" and case in tests:
            for run in runs:
                total.update({key: (run["arithmetic"] or {}).get(key, 0)
                              for key in ("vectorised", "operations")})
    return total["vectorised"] / max(1, total["operations"])


def described(tests, plain, good):
    """What docs/onnx.md says of a run."""
    lines = [f"Of its {len(tests)} tests, {len(plain)} hold nothing but numbers "
             "(`tests/e2e/conformance.py` has the rule), and "
             f"{len(plain & good)} pass on all pipelines; the others are "
             "refused by name.", "",
             "| kind | pass on all | of |", "| --- | --- | --- |"]
    for kind in KINDS:
        of_kind = {case for case in plain if case.startswith(kind + "/")}
        lines.append(f"| {kind} | {len(of_kind & good)} | {len(of_kind)} |")
    lines += ["", "| fails | because |", "| --- | --- |"]
    for reason, cases in FAILURES.items():
        names = (f"`{case.split('/test_')[-1]}`" for case in cases)
        lines.append(f"| {', '.join(names)} | {reason} |")
    return "\n".join(lines) + "\n"


def check_docs(text, writes):
    """The part of docs/onnx.md that a run decides."""
    page = DOCS.read_text()
    begin, end = page.index(BEGIN) + len(BEGIN), page.index(END)
    if writes:
        DOCS.write_text(page[:begin] + text + page[end:])
    elif page[begin:end] != text:
        sys.exit(f"FAILED: docs/onnx.md does not say (--write makes it):\n"
                 f"{text}")


@contextlib.contextmanager
def sample_of(corpus, every):
    """A corpus of every Nth test of each kind."""
    if every == 1:
        yield corpus
        return
    with tempfile.TemporaryDirectory() as folder:
        for kind in KINDS:
            for test in sorted(corpus.glob(f"{kind}/test_*"))[::every]:
                shutil.copytree(test, f"{folder}/{kind}/{test.name}")
        yield pathlib.Path(folder)


def check_corpus(lh_run, every, writes):
    with sample_of(CORPUS, every) as corpus:
        report = run_corpus(lh_run, corpus)
        models = json.loads(output_of("describe-onnx-tests.py", corpus))
    require_no_deaths(report)
    results = by_pipeline(report)
    tests = {case for case, _ in results}
    require(tests == models.keys() and len(tests) >= TESTS // every,
            f"only {len(tests)} tests ran")
    foreign = {case: model["foreign"] for case, model in models.items()
               if model["foreign"]}
    plain = tests - foreign.keys()
    good = passing(results)
    for case in sorted(plain - good):
        runs = [run for name in PIPELINES for run in results[case, name]
                if run["status"] != "passed"]
        print(f"  {case}: {failure_reason(report, runs[0])}")
    share = vectorised_share(results, {
        case for case, model in models.items()
        if CONTRACTIONS.intersection(model["ops"])})
    print(f"{len(plain & good)} of {len(plain)} tests of numbers pass "
          f"on all pipelines in {report['seconds']:.0f} s; {share:.1%} of the "
          "contractions' tests' arithmetic is vectorised")
    # What is dropped at random may run; it cannot be expected to agree.
    drops = {case for case, why in foreign.items() if "random" in why}
    silent = foreign.keys() - good - drops - refused(report, results)
    require(not silent, f"not refused by name: "
            f"{[(case, foreign[case]) for case in sorted(silent)]}")
    known = {case for cases in FAILURES.values() for case in cases} & tests
    require(plain - good <= known,
            f"fail, and not in FAILURES: {sorted(plain - good - known)}")
    require(known <= plain - good,
            f"in FAILURES, and do not fail: {sorted(known - (plain - good))}")
    require(share >= VECTORISED, f"less than {VECTORISED} is vectorised")
    if every == 1:
        require(len(plain) >= PLAIN, f"only {len(plain)} tests are plain")
        check_docs(described(tests, plain, good), writes)


def thin_out(folder, every):
    """Leaves every Nth test of a corpus."""
    for i, test in enumerate(sorted(folder.glob("*/test_*"))):
        if i % every:
            shutil.rmtree(test)


def check_perturbed(lh_run, every):
    with tempfile.TemporaryDirectory() as folder:
        for kind in KINDS:
            script("perturb-corpus.py", CORPUS / kind, f"{folder}/{kind}")
        thin_out(pathlib.Path(folder), every)
        results = by_pipeline(run_corpus(lh_run, folder))
    require(len(results) >= 2 * TESTS // every, f"only {len(results)} results")
    models = json.loads(output_of("describe-onnx-tests.py", CORPUS))
    fooled = [(case, name) for (case, name), runs in results.items()
              if any(run["status"] == "passed" for run in runs)
              and not DRAWS.intersection(models[case]["ops"])]
    require(not fooled, f"pass with wrong expectations: {fooled[:10]}")
    compared = sum(any(run["outputs"] for run in runs)
                   for runs in results.values())
    print(f"{compared} results were compared, none passes that doesn't draw")
    # Those that pass with the right expectations; not failures before that.
    # A sample may hold more of the others.
    right = (PLAIN - sum(map(len, FAILURES.values()))) / every
    require(compared >= (2 if every == 1 else 1.8) * right,
            f"only {compared} results were compared")


def is_upstreams(case, pipeline, reason):
    """Whether a failure is upstream's: fold_unit_extent_dims_via_slices takes a
    slice out of bounds of a tensor without elements (22.1.8)."""
    return (pipeline == "upstream" and case.endswith("_of_nothing")
            and "out-of-bounds" in reason)


def check_own(lh_run, every):
    with sample_of(ROOT / "golden" / "onnx-ops", every) as corpus:
        report = run_corpus(lh_run, corpus, "--case", "node/*")
        written = {f"node/{path.parent.name}"
                   for path in corpus.glob("node/*/model.onnx")}
    results = by_pipeline(report)
    bad = [f"{case}: {failure_reason(report, run)}"
           for (case, name), runs in results.items() for run in runs
           if run["status"] != "passed"
           and not is_upstreams(case, name, failure_reason(report, run))]
    require(not bad, "some fail:\n  " + "\n  ".join(bad))
    missing = written - {case for case, _ in results}
    require(written and not missing, f"did not run: {sorted(missing)[:10]}")
    print(f"all {len(written)} cases pass on both pipelines")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lh_run")
    parser.add_argument("--every", type=int, default=1)
    kinds = parser.add_mutually_exclusive_group()
    for kind in ("--write", "--perturbed", "--own"):
        kinds.add_argument(kind, action="store_true")
    options = parser.parse_args()
    if options.write and options.every > 1:
        parser.error("--write needs them all")
    if options.own:
        check_own(options.lh_run, options.every)
        return
    if not (CORPUS / "node").is_dir():
        skip("the package libonnx-testdata is not installed")
    if options.perturbed:
        check_perturbed(options.lh_run, options.every)
    else:
        check_corpus(options.lh_run, options.every, options.write)


main()
