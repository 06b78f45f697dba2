# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the end-to-end checks share: running lh-run and reading its report."""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SUPPORT = ROOT / "tests" / "support"
CORPUS = pathlib.Path("/usr/share/libonnx-testdata/data")
SKIPPED = 77


def parser_of(doc):
    """Of a check's arguments; `doc`, its module's, says what it does."""
    return argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)


def run(lh_run, *words, cwd=None, timeout=3000):
    """lh-run's exit code and what it printed."""
    done = subprocess.run([lh_run, *map(str, words)], cwd=cwd,
                          capture_output=True, text=True, timeout=timeout,
                          env={**os.environ, "NO_COLOR": "1",
                               "LIGHTHOUSE_CACHE": "off"})
    return done.returncode, done.stdout + done.stderr


def run_with_report(lh_run, *words, cwd=None):
    """Exit code, printed text and the JSON report of one run."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "report.json")
        code, text = run(lh_run, *words, "--json", path, cwd=cwd)
        if not os.path.exists(path):
            sys.exit(f"no report was written; exit code {code}\n{text}")
        with open(path) as file:
            return code, text, json.load(file)


def narrow_sweep(target, lengths, folder):
    """A copy of the target's file for the manifests in `folder`, swept over
    these lengths alone."""
    text = (ROOT / "targets" / f"{target}.yaml").read_text()
    declared = re.search(r"(sweep: \{\w+: \[)([\d, ]+)\]", text)
    require(declared and
            set(lengths) <= set(map(int, declared[2].split(","))),
            f"{target} is not swept over {lengths}")
    targets = pathlib.Path(folder) / "targets"
    targets.mkdir(exist_ok=True)
    (targets / f"{target}.yaml").write_text(text.replace(
        declared[0], f"{declared[1]}{', '.join(map(str, lengths))}]"))


def copy_manifest(name, folder):
    """The shipped manifest `name` in another folder; its path."""
    text = (ROOT / "manifests" / f"{name}.yaml").read_text()
    path = pathlib.Path(folder) / f"{name}.yaml"
    path.write_text(text.replace("../schedules", str(ROOT / "schedules")))
    return path


def skip(reason):
    """Ends the test: this machine runs nothing of it."""
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def why_skipped(report):
    """Why none of the report's results could run here; "" where they did. They
    are of one target, so that all run or none."""
    results = [result for result in report["results"]
               if result["status"] != "not applicable"]
    reasons = [result["reason"] for result in results
               if result["status"] == "skipped"]
    require(len(reasons) in (0, len(results)),
            f"{len(reasons)} of {len(results)} were skipped: {reasons[:1]}")
    return reasons[0] if reasons else ""


def require_ran(report):
    """Ends the test as skipped when its target could not run here."""
    if reason := why_skipped(report):
        skip(reason)


class Targets:
    """Which of a test's targets this machine runs. One at least must; the
    others are told with the reason."""

    def __init__(self):
        self.ran, self.skipped = set(), {}

    def first(self, targets, run):
        """The first of `targets`, "x86-avx512|x86-avx2", that runs here, and
        what `run(target)` gave: exit code, text and report. Nothing where none
        runs."""
        for target in targets.split("|"):
            code, text, report = run(target)
            reason = why_skipped(report)
            if not reason:
                self.ran.add(target)
                return target, code, text, report
            self.skipped[target] = reason
        return None

    def finish(self):
        """The test's last line."""
        for target, reason in self.skipped.items():
            print(f"skipped: {target}: {reason}")
        print(f"targets: {len(self.ran)} ran, {len(self.skipped)} skipped")
        if not self.ran:
            sys.exit(SKIPPED)


def require_right_images(results):
    """Each pipeline's results are as exact as the job says, and name the right
    digit of nearly every image."""
    for result in results:
        name = result["key"]["pipeline"]
        require(result["status"] == "passed", f"{name} is {result['status']}")
        right, images = (result["classified"][word]
                         for word in ("rightly", "of"))
        require(images >= 64, f"{name}: only {images} images")
        require(right >= 0.97 * images, f"{name}: {right} of {images}")
        against = {comparison["against"] for comparison in result["outputs"]}
        require(against == {"golden", "oracle"}, f"{name}: against {against}")


def script(name, *words):
    """Runs one of tests/support's Python scripts."""
    subprocess.run(["/usr/bin/python3", str(SUPPORT / name),
                    *map(str, words)], check=True, stdout=subprocess.DEVNULL)


def output_of(name, *words):
    """What one of tests/support's Python scripts prints."""
    return subprocess.run(["/usr/bin/python3", str(SUPPORT / name),
                           *map(str, words)], check=True, text=True,
                          capture_output=True).stdout


def require(condition, message):
    if not condition:
        sys.exit(f"FAILED: {message}")
