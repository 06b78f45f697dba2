#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX's node tests where code is emulated or simulated, beside this machine:
nearly all that pass here must pass there, at each length of vectors; the others
are listed with their reasons. Every Nth test.

Usage: foreign_conformance.py LH_RUN TARGET [BYTES...] [--every N]
                              [--job MANIFEST]

--job: a GPU's manifest, whose bubbles and `optimized` take the place of
onnx-conformance's.
"""
import resource
import statistics
import tempfile

from corpus import (all_passed, failure_reason, require_no_deaths, results_by,
                    run_corpus)
from support import (CORPUS, copy_manifest, narrow_sweep, parser_of, require,
                     require_ran, skip)

CORPUS_JOB = "onnx-conformance"
SHARE = 0.95  # of the tests that pass here


def child_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run_tests(lh_run, tests, *flags, **options):
    """The report of the optimized pipeline on these tests."""
    before = child_seconds()
    chosen = [word for test in tests for word in ("--case", test)]
    report = run_corpus(lh_run, CORPUS, "--pipeline", "optimized", *chosen,
                        *flags, **options)
    require_ran(report)
    print(f"{len(tests)} tests in {report['seconds']:.0f} s, "
          f"{child_seconds() - before:.0f} s of processor time")
    return report


def conformance_job(job, folder):
    """The corpus' cases and comparisons by this manifest's pipelines."""
    path = copy_manifest(CORPUS_JOB, folder)
    if job == CORPUS_JOB:
        return path
    corpus = path.read_text()
    params = corpus[corpus.index("\nparams:"):corpus.index("\ntargets:")]
    cases = corpus[corpus.index("\ncases:"):]
    bubbles = copy_manifest(job, folder).read_text()
    bubbles = bubbles[:bubbles.index("\ncases:")]
    path.write_text(bubbles.replace("\ntargets:", params + "\ntargets:", 1) +
                    cases)
    return path


def differences(report, there, good, length):
    """Of the tests that pass here, those that don't there, with reasons."""
    return [f"{test}: {failure_reason(report, run)}"
            for test in sorted(good) for run in there[test, length]
            if run["status"] != "passed"]


def median_run(report):
    """What a case costs once it is compiled: the emulator's start, the call
    and its checks."""
    runs = [step["seconds"] for step in report["steps"]
            if step["bubble"] == "run" and "outputs" in step]
    return statistics.median(runs)


def main():
    parser = parser_of(__doc__)
    parser.add_argument("lh_run")
    parser.add_argument("target")
    parser.add_argument("lengths", type=int, nargs="*", metavar="BYTES")
    parser.add_argument("--every", type=int, default=10, metavar="N")
    parser.add_argument("--job", default=CORPUS_JOB)
    options = parser.parse_intermixed_args()
    tests = sorted(f"node/{path.name}"
                   for path in (CORPUS / "node").glob("test_*"))
    tests = tests[::options.every]
    here = results_by(run_tests(options.lh_run, tests), "case")
    good = {test for test, _ in here if all_passed(here[test, test])}
    # Else it is the corpus that fails, not the target.
    require(len(good) >= 0.9 * len(tests), f"only {len(good)} pass here")
    with tempfile.TemporaryDirectory() as folder:
        if options.lengths:
            narrow_sweep(options.target, options.lengths, folder)
        # Its target file is a copy.
        report = run_tests(options.lh_run, tests, "--target", options.target,
                           "--allow-exec",
                           manifest=conformance_job(options.job, folder))
    require_no_deaths(report)
    there = results_by(report, "sweep")
    print(f"a run takes {1000 * median_run(report):.0f} ms (median)")
    lengths = sorted({length for _, length in there})
    require(len(lengths) == max(1, len(options.lengths)),
            f"the sweep is {lengths}")
    for length in lengths:
        lost = differences(report, there, good, length)
        print(f"{len(good) - len(lost)} of {len(good)} tests that pass here "
              f"pass on {options.target} {length or ''}")
        print("".join(f"  {line}\n" for line in lost), end="")
        require(len(lost) <= (1 - SHARE) * len(good),
                f"fewer than {SHARE:.0%} pass at {length}")


if not (CORPUS / "node").is_dir():
    skip("the package libonnx-testdata is not installed")
main()
