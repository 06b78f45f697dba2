#!/usr/bin/env python3
"""How many mistakes in device code does the simulated device find? Makes one
mistake at a time in the kernels of the shipped GPU pipelines, right before they
are translated, runs what comes of it on simulated devices, and counts.

Usage: device.py LH_RUN PLUGIN [--mutants N] [--seed S] [--only GLOB...]
                 [--schedules K] [--keep FOLDER]

A mutant counts if it gives other bits than the sound kernel on any of its
inputs under any of K orders of threads, or is caught. Exit code 1: fewer such
mutants than asked for, less than 95 % of them detected, or a sound kernel that
is flagged under one of K orders.
"""
import argparse
import collections
import copy
import dataclasses
import fnmatch
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import yaml

from judges import same_bits

ROOT = pathlib.Path(__file__).resolve().parents[2]
MANIFESTS = ("matmul-to-gpu", "onnx-to-cuda", "onnx-to-rocm")
ENOUGH = 0.95
PROOF_INPUTS = 4
STEP_SECONDS = 60
# Operators of other files that device code has sites for, too.
SHARED = {"index-off-by-one", "lost-store", "swapped-operands",
          "predicate-flip", "dropped-guard"}


@dataclasses.dataclass(frozen=True)
class Route:
    """One shipped pipeline on one target with one case."""
    manifest: str
    pipeline: str
    target: str
    case: str

    def name(self):
        return f"{self.pipeline}/{self.target}/{self.case}"


@dataclasses.dataclass(frozen=True)
class Mutant:
    operator: str
    site: int

    def name(self):
        return f"{self.operator}-{self.site}"

    def bubble(self):
        return {"passes":
                f"lh-mutate{{operator={self.operator} seed={self.site}}}"}


def absolute(bubble, folder):
    bubble = dict(bubble)
    for key in ("use", "schedule"):
        if key in bubble and not bubble[key].startswith("lib:"):
            bubble[key] = str((folder / bubble[key]).resolve())
    return bubble


def absolute_case(case, folder):
    case = copy.deepcopy(case)
    if "golden" in case:
        case["golden"] = str((folder / case["golden"]).resolve())
    if "generate" in case:
        model = case["generate"]["model"]
        case["generate"]["model"] = str((folder / model).resolve())
    return case


class Job:
    """A manifest with one route, to which pipelines with mistakes are added."""

    def __init__(self, route, repeat=0):
        path = ROOT / "manifests" / f"{route.manifest}.yaml"
        shipped = yaml.safe_load(path.read_text())
        self.target = route.target
        self.path = shipped["pipelines"][route.pipeline]["path"]
        self.data = {
            "lighthouse": 1, "name": "mutants",
            "params": shipped.get("params", {}),
            "targets": shipped["targets"],
            "bubbles": {name: absolute(shipped["bubbles"][name], path.parent)
                        for name in self.path},
            "edges": [], "pipelines": {},
            "cases": {route.case: absolute_case(shipped["cases"][route.case],
                                                path.parent)},
            "verify": shipped["verify"]}
        if repeat:
            self.data["bubbles"][self.path[-1]] = {
                "execute": {"entry": "main", "repeat": repeat}}
        if not self.data["params"]:
            del self.data["params"]

    def add(self, name, path):
        self.data["pipelines"][name] = {"path": path}
        for edge in zip(path, path[1:]):
            text = " -> ".join(edge)
            if text not in self.data["edges"]:
                self.data["edges"].append(text)

    def add_sound(self):
        self.add("sound", self.path)

    def add_census(self):
        self.data["bubbles"]["census"] = {
            "passes": "lh-mutate{operator=census}"}
        self.add("census", [*self.path[:-1], "census"])

    def add_mutant(self, mutant):
        self.data["bubbles"][mutant.name()] = mutant.bubble()
        self.add(mutant.name(),
                 [*self.path[:-1], mutant.name(), self.path[-1]])


def run(options, job, folder, *words):
    """The report, with the outputs in the folder."""
    path = folder / "job.json"
    path.write_text(json.dumps(job.data))
    report, outputs = folder / "report.json", folder / "outputs"
    done = subprocess.run(
        [options.lh_run, path, "--plugin", options.plugin, "--device", "sim",
         "--target", job.target,
         "--keep-going", "--jobs", "2", "--step-timeout", str(STEP_SECONDS),
         "--json", report, "--save-outputs", outputs, *map(str, words)],
        capture_output=True, text=True, env={**os.environ, "NO_COLOR": "1"})
    if not report.exists():
        sys.exit(f"no report\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return json.loads(report.read_text())


def results_by_pipeline(report):
    results = collections.defaultdict(list)
    for result in report["results"]:
        results[result["key"]["pipeline"]].append(result)
    return results


def census_of(report):
    """{operator: sites} of operators that suit device code."""
    counts = {}
    for step in report["steps"]:
        for diagnostic in step.get("diagnostics", []):
            if "mutation sites:" in diagnostic["message"]:
                for word in diagnostic["message"].split(":", 1)[1].split():
                    operator, sites = word.split("=")
                    if int(sites) and (operator.startswith("device-") or
                                       operator in SHARED):
                        counts[operator] = int(sites)
    return counts


def outputs_of(folder, pipeline):
    return {str(path.relative_to(folder)).replace(f"/{pipeline}/", "/"): path
            for path in sorted((folder / "outputs").rglob("*.npy"))
            if f"/{pipeline}/" in str(path)}


def outcome_of(report, result):
    """`stillborn`, `caught` (by the device), `compared` or `unnoticed`."""
    for number in result["steps"]:
        step = report["steps"][number]
        if step["status"] != "passed":
            return "caught" if step["bubble"] == "run" else "stillborn"
    return "unnoticed" if result["status"] == "passed" else "compared"


class Suite:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.random = random.Random(options.seed)
        self.verdicts = []  # (route, mutant, outcome)

    def scratch(self):
        return pathlib.Path(tempfile.mkdtemp(dir=self.folder))

    def check_sound(self, route):
        """The shipped kernels under K orders; the census of their sites."""
        job = Job(route, self.options.schedules)
        job.add_sound()
        job.add_census()
        report = run(self.options, job, self.scratch())
        for result in results_by_pipeline(report)["sound"]:
            if result["status"] not in ("passed", "not applicable"):
                sys.exit(f"{route.name()}: without a mistake it is "
                         f"{result['status']}: {result.get('reason')}")
        return census_of(report)

    def draw(self, census, count):
        drawn = set()
        for _ in range(20 * count):
            if len(drawn) == count:
                break
            operator = self.random.choice(sorted(census))
            drawn.add(Mutant(operator,
                             self.random.randrange(census[operator])))
        return sorted(drawn, key=Mutant.name)

    def judge(self, route, mutants):
        job = Job(route)
        for mutant in mutants:
            job.add_mutant(mutant)
        report = run(self.options, job, self.scratch())
        results = results_by_pipeline(report)
        suspects = []
        for mutant in mutants:
            outcomes = {outcome_of(report, result)
                        for result in results[mutant.name()]
                        if result["status"] != "not applicable"}
            for outcome in ("stillborn", "caught", "compared"):
                if outcome in outcomes:
                    self.verdicts.append((route, mutant, outcome))
                    break
            else:
                suspects.append(mutant)
        for mutant in suspects:
            differs = self.differs(route, mutant)
            self.verdicts.append((route, mutant,
                                  "undetected" if differs else "equivalent"))

    def differs(self, route, mutant):
        """Whether it gives other bits, or is caught, under any order."""
        for seed in range(1000, 1000 + PROOF_INPUTS):
            job = Job(route, self.options.schedules)
            job.add_sound()
            job.add_mutant(mutant)
            folder = self.scratch()
            report = run(self.options, job, folder, "--seed", seed)
            if any(outcome_of(report, result) != "unnoticed"
                   for result in
                   results_by_pipeline(report)[mutant.name()]
                   if result["status"] != "not applicable"):
                return True
            sound = outputs_of(folder, "sound")
            wrong = outputs_of(folder, mutant.name())
            if sound.keys() != wrong.keys() or not sound or not all(
                    same_bits(sound[name], wrong[name]) for name in sound):
                return True
        return False


def routes():
    """Every pipeline, target and case that a shipped GPU manifest offers."""
    for name in MANIFESTS:
        path = ROOT / "manifests" / f"{name}.yaml"
        if not path.exists():
            continue
        shipped = yaml.safe_load(path.read_text())
        for pipeline in shipped["pipelines"]:
            for target in shipped["targets"]:
                for case in shipped["cases"]:
                    yield Route(name, pipeline, target, case)


def print_findings(verdicts):
    outcomes = collections.Counter(outcome for _, _, outcome in verdicts)
    print(", ".join(f"{count} {word}"
                    for word, count in sorted(outcomes.items())))
    mattering = [each for each in verdicts
                 if each[2] in ("caught", "compared", "undetected")]
    for title, key in (("operator", lambda each: each[1].operator),
                       ("pipeline", lambda each: each[0].pipeline),
                       ("target", lambda each: each[0].target)):
        groups = collections.defaultdict(list)
        for each in mattering:
            groups[key(each)].append(each[2] != "undetected")
        print(f"\n| {title} | mutants | detected |\n| --- | --- | --- |")
        for name, found in sorted(groups.items()):
            print(f"| {name} | {len(found)} | {sum(found)} |")
    print("\nundetected:")
    for route, mutant, outcome in mattering:
        if outcome == "undetected":
            print(f"  {route.name()} {mutant.name()}")
    return sum(each[2] != "undetected" for each in mattering), len(mattering)


def run_suite(options, folder):
    suite = Suite(options, folder)
    chosen = [route for route in routes()
              if any(fnmatch.fnmatch(route.name(), glob)
                     for glob in options.only)]
    censuses = {}
    for route in chosen:
        census = suite.check_sound(route)
        if census:  # the path suits the target
            censuses[route] = census
    if not censuses:
        sys.exit(f"no route matches {options.only}")
    for _ in range(8):
        alive = sum(outcome in ("caught", "compared", "undetected")
                    for _, _, outcome in suite.verdicts)
        if alive >= options.mutants:
            break
        share = -(-(options.mutants - alive) // len(censuses)) + 1
        for route, census in censuses.items():
            suite.judge(route, suite.draw(census, share))
    return suite.verdicts


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("lh_run")
    parser.add_argument("plugin")
    parser.add_argument("--mutants", type=int, default=100)
    parser.add_argument("--seed", type=int, default=8)
    parser.add_argument("--schedules", type=int, default=20)
    parser.add_argument("--only", nargs="*", default=["*"])
    parser.add_argument("--keep", help="a folder for manifests and outputs")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(options.keep or scratch)
        folder.mkdir(parents=True, exist_ok=True)
        verdicts = run_suite(options, folder)
    part, whole = print_findings(verdicts)
    if whole < options.mutants:
        sys.exit(f"FAILED: {whole} mutants, {options.mutants} were asked for")
    if part < ENOUGH * whole:
        sys.exit(f"FAILED: {part} of {whole} detected")


if __name__ == "__main__":
    main()
