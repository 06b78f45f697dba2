#!/usr/bin/env python3
"""fuzz.py LH_RUN [--seed N] [--scale N]: damages valid inputs in repeatable
ways and sees that lh-run always ends with an exit code and a word about it.
What it stumbles over is kept in the folder fuzz-failures."""
import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile

from mutate import damaged_bytes, damaged_text
from protobuf import damaged_message

ROOT = pathlib.Path(__file__).resolve().parents[2]
INPUTS = ROOT / "tests" / "lit" / "Inputs"
CORPUS = pathlib.Path("/usr/share/libonnx-testdata/data/node")
MEMORY = 8 << 30  # bytes of address space; MLIR itself maps about one GiB
SECONDS = 60      # for one command; they take a tenth of a second
MODELS_AT_ONCE = 60

MANY_MODELS = """\
lighthouse: 1
name: fuzz
targets: [host]
bubbles:
  import: {{ingress: onnx, model: "${{case.model}}"}}
  loops: {{passes: "linalg-generalize-named-ops,canonicalize"}}
edges: [import -> loops]
cases:
{cases}
"""


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


class Trial:
    """One command on one damaged file (or folder of them)."""

    def __init__(self, lh_run, words, kept, report=None):
        self.words = [lh_run, *map(str, words)]
        self.kept = kept
        self.report = report

    def run(self):
        """What went wrong; empty if nothing."""
        try:
            done = subprocess.run(self.words, capture_output=True,
                                  timeout=SECONDS, preexec_fn=limit_memory)
        except subprocess.TimeoutExpired:
            return f"took longer than {SECONDS} s"
        said = (done.stdout + done.stderr).decode(errors="replace")
        tail = said[-2000:]
        if done.returncode not in (0, 1, 2, 77):
            return f"exit code {done.returncode}\n{tail}"
        if done.returncode != 0 and not re.search(
                r"error: |failed|differ|skipped", said):
            return f"exit code {done.returncode} without a word\n{tail}"
        if "internal error" in said:
            return tail
        return self.crashes()

    def crashes(self):
        if self.report is None or not self.report.exists():
            return ""
        report = json.loads(self.report.read_text())
        return "\n".join(f"{result['key']['case']}: {result['reason']}"
                         for result in report["results"]
                         if re.search("crashed|ended its process|out of memory"
                                      "|without saying", result["reason"]))


class Workshop:
    """Makes trials in a folder where relative paths lead to the library."""

    def __init__(self, lh_run, folder, seed):
        self.lh_run = lh_run
        self.folder = folder
        self.seed = seed
        self.count = 0
        for name in ("schedules", "targets", "golden"):
            (folder / name).symlink_to(ROOT / name)

    def random(self):
        self.count += 1
        return random.Random(f"{self.seed}/{self.count}")

    def place(self, suffix):
        folder = self.folder / f"trial-{self.count}"
        folder.mkdir()
        return folder / f"damaged{suffix}"

    def damage(self, source, mutate):
        generator = self.random()
        place = self.place(source.suffix)
        place.write_bytes(mutate(source.read_bytes(), generator))
        return place

    def trial(self, words, place, report=None):
        return Trial(self.lh_run, words, place.parent, report)

    def manifest(self, source):
        place = self.damage(source, damaged_text)
        (place.parent / "matmul.mlir").symlink_to(INPUTS / "matmul.mlir")
        return self.trial(["check", place], place)

    def bubble(self, source):
        place = self.damage(source, damaged_text)
        for sibling in source.parent.glob("*.mlir"):
            (place.parent / sibling.name).symlink_to(sibling)
        return self.trial(["apply", place, INPUTS / "matmul.mlir", "-o",
                           place.with_suffix(".out")], place)

    def schedule(self, source):
        entry = re.search(r"named_sequence @(\w+)", source.read_text())[1]
        place = self.damage(source, damaged_text)
        return self.trial(["apply", place, INPUTS / "matmul.mlir", "--entry",
                           entry, "-o", place.with_suffix(".out")], place)

    def payload(self, source):
        place = self.damage(source, damaged_text)
        return self.trial(["apply", "canonicalize,cse", place, "-o",
                           place.with_suffix(".out")], place)

    def tensor(self, source):
        framed = source.suffix == ".pb" and self.count % 4
        place = self.damage(source,
                            damaged_message if framed else damaged_bytes)
        return self.trial(["compare", place, source], place)

    def models(self, sources):
        """Many models in one run: each is a case of its own."""
        generator = self.random()
        place = self.place(".yaml")
        cases = []
        for i in range(MODELS_AT_ONCE):
            model = place.parent / f"{i}.onnx"
            source = sources[generator.randrange(len(sources))]
            mutate = damaged_message if i % 8 else damaged_bytes
            model.write_bytes(mutate(source.read_bytes(), generator))
            cases.append(f"  c{i}: {{generate: {{model: {model.name}}}}}")
        place.write_text(MANY_MODELS.format(cases="\n".join(cases)))
        report = place.parent / "report.json"
        return self.trial(["run", place, "--keep-going", "--step-timeout", 20,
                           "--json", report], place, report)


def existing(*patterns):
    found = [path for folder, pattern in patterns
             for path in sorted(folder.glob(pattern))]
    if not found:
        sys.exit(f"nothing to damage in {patterns}")
    return found


def all_trials(workshop, scale):
    golden = ROOT / "golden" / "digits-cnn"
    models = existing((golden, "*.onnx"), (CORPUS, "test_*/model.onnx"))
    kinds = [
        (workshop.manifest, 90, existing((ROOT / "manifests", "*.yaml"),
                                         (INPUTS, "matmul.yaml"))),
        (workshop.bubble, 40, existing((ROOT / "schedules", "*/*.yaml"))),
        (workshop.schedule, 60, existing((ROOT / "schedules", "*/*.mlir"))),
        (workshop.payload, 40, existing((INPUTS, "*.mlir"),
                                        (ROOT / "golden", "*/*.mlir"))),
        (workshop.tensor, 60, existing(
            (golden, "labels.npy"), (golden, "outputs/*.npy"),
            (CORPUS, "test_relu/*/*.pb"), (CORPUS, "test_cast_*/*/*.pb"))),
    ]
    for make, count, sources in kinds:
        for i in range(count * scale):
            yield make(sources[i % len(sources)])
    for i in range(5 * scale):
        yield workshop.models(models)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lh_run", type=os.path.abspath)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scale", type=int, default=1,
                        help="how many times the quick amount")
    options = parser.parse_args()
    failures = pathlib.Path("fuzz-failures")
    shutil.rmtree(failures, ignore_errors=True)
    wrong = 0
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        workshop = Workshop(options.lh_run, pathlib.Path(folder),
                            options.seed)
        trials = list(all_trials(workshop, options.scale))
        for trial, problem in zip(trials, pool.map(Trial.run, trials)):
            if not problem:
                continue
            wrong += 1
            kept = failures / trial.kept.name
            shutil.copytree(trial.kept, kept)
            print(f"{' '.join(trial.words)}\n  kept in {kept.resolve()}\n"
                  f"{problem}\n")
    print(f"{len(trials)} runs, {wrong} went wrong (seed {options.seed})")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
