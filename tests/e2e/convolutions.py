#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Single convolutions of every class, with odd sizes, by every pipeline that
takes them: against sums in f64 that are computed here, and against the oracle.
Reports each class's largest error and how much of its work is in vectors.

Usage: convolutions.py LH_RUN [--full] [--only CLASS] [--threads N] [TARGET...]

Without --full: one or two of each class, on AVX-512, or on AVX2 where there is
none. With --threads, N threads share every loop that they can share, however
short.
"""
import collections
import pathlib
import re
import sys
import tempfile

import yaml

from support import (ROOT, SUPPORT, Targets, copy_manifest, parser_of,
                     require, run_with_report, script)

sys.path.insert(0, str(SUPPORT))
from chains import unfolded  # noqa: E402

JOBS = {"onnx-to-cpu": ("optimized", "plain", "upstream"),
        "convnet-to-cpu": ("winograd", "direct")}
# Upstream's passes leave grouped windows as loops, and depthwise ones of other
# steps whose channels fill no vectors.
SCALAR = ("plain", "upstream")
# The largest error, as a share of the largest result, by the type of results.
# Sums of about one; Winograd's transforms lose a digit and a half.
LIMITS = {"direct": 2e-6, "winograd": 4e-5, "half": 1e-3, "integer": 0}
# Of each class's arithmetic, at least, by pipelines that vectorise: channels of
# odd numbers leave lanes idle, but single elements would count nothing.
VECTORISED = 0.2


def parse_arguments():
    parser = parser_of(__doc__)
    parser.add_argument("lh_run")
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--only", metavar="CLASS")
    parser.add_argument("--threads", type=int, default=1, metavar="N")
    options = parser.parse_intermixed_args()
    options.targets = options.targets or (
        ["x86-avx512", "x86-avx2"] if options.full
        else ["x86-avx512|x86-avx2"])
    return options


def job_over(name, folder, classes):
    """The shipped manifest with each class's tests as a case. Its least work for
    sharing a loop is none."""
    path = copy_manifest(name, folder)
    job = unfolded(yaml.safe_load(path.read_text()), ROOT / "manifests")
    job["bubbles"]["run"] = {"execute": "main"}
    job["bubbles"]["threads"]["with"] = {"least_work": 0}
    text = yaml.safe_dump(job, sort_keys=False)
    cases = "".join(f'  {each}: {{onnx-test: "{folder}/{each}/*"}}\n'
                    for each in classes)
    path.write_text(text[:text.index("\ncases:")] + "\ncases:\n" + cases + """
verify: {against: [golden, oracle], oracle: auto, atol: 1.0e-4, rtol: 1.0e-3,
         dtypes: {int32: {atol: 0, rtol: 0}, float16: {atol: 2.0e-3}}}
""")
    return path


def limit_of(kind, pipeline):
    if kind in LIMITS:
        return LIMITS[kind]
    return LIMITS["winograd" if pipeline == "winograd" else "direct"]


def error_of(result, report):
    """Against the golden output, as a share of its largest number."""
    (golden,) = [output for output in result["outputs"]
                 if output["against"] == "golden"]
    require("oracle" in {output["against"] for output in result["outputs"]},
            f"{result['key']} was not judged by the oracle")
    return golden["max_abs"] / max(golden["max_norm"], 1e-30)


class Table:
    """What came out, by class, pipeline and target."""

    def __init__(self):
        self.errors = collections.defaultdict(list)
        self.work = collections.defaultdict(collections.Counter)
        self.bad = []

    def add(self, result, report):
        key = result["key"]
        kind = key["case"].split("/")[0]
        line = (kind, key["pipeline"], key["target"])
        if result["status"] != "passed":
            self.bad.append(f"{key['case']} {line[1:]}: {result['status']}: "
                            f"{result['reason']}")
            return
        error = error_of(result, report)
        if not error <= limit_of(kind, key["pipeline"]):
            self.bad.append(f"{key['case']} {line[1:]}: an error of "
                            f"{error:.1e} of the largest number")
        self.errors[line].append(error)
        count = result["arithmetic"] or {}
        for name in ("vectorised", "operations"):
            self.work[line][name] += count.get(name, 0)
        if key["pipeline"] not in SCALAR and (
                count.get("vectorised_share") or 0) < VECTORISED:
            print(f"{key['case']} {' '.join(line[1:])}: "
                  f"{count.get('vectorised_share')} in vectors")

    def print(self):
        for line, errors in sorted(self.errors.items()):
            work = self.work[line]
            share = work["vectorised"] / max(1, work["operations"])
            print(f"{' '.join(line):42} {len(errors):4} right, error "
                  f"{max(errors):.1e}, {share:4.0%} in vectors")
            if share < VECTORISED and line[1] not in SCALAR:
                self.bad.append(f"{line}: {share:.0%} in vectors")


def run(options, folder):
    script("make-convolutions.py", folder, *["--full"] * options.full)
    classes = sorted(path.name for path in folder.iterdir())
    if options.only:
        classes = [each for each in classes if re.match(options.only, each)]
    tests = sum(len(list((folder / each).iterdir())) for each in classes)
    require(tests > (200 if options.full else 12) or options.only,
            f"only {tests} convolutions")
    table, targets = Table(), Targets()
    for job, pipelines in JOBS.items():
        path = job_over(job, folder, classes)
        for wanted in options.targets:
            found = targets.first(wanted, lambda target: run_with_report(
                options.lh_run, path, "--keep-going", "--target", target,
                *(f"--pipeline={name}" for name in pipelines),
                "--threads", str(options.threads)))
            if not found:
                continue
            _, code, text, report = found
            for result in report["results"]:
                table.add(result, report)
            require(len(report["results"]) == tests * len(pipelines),
                    f"{len(report['results'])} results of {tests}:\n{text}")
            if code and not table.bad:
                table.bad.append(f"{job}: exit code {code}\n{text[-3000:]}")
    table.print()
    require(not table.bad, "\n" + "\n".join(table.bad))
    targets.finish()


def main():
    options = parse_arguments()
    with tempfile.TemporaryDirectory() as folder:
        run(options, pathlib.Path(folder))


main()
