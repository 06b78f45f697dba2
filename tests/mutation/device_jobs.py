# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Manifests of shipped GPU pipelines with mistakes in them, and what came of
their runs."""
import collections
import copy
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import yaml

from judges import same_bits

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What never ends is found by the simulation's own limits, long before.
STEP_SECONDS = "120"
# The device's code never became a program.
STILLBORN = {"backend-compile-failed", "backend-not-lowered",
             "backend-not-simulated"}


@dataclasses.dataclass(frozen=True)
class Mutant:
    operator: str
    site: int

    def name(self):
        return f"{self.operator}-{self.site}"

    def bubble(self):
        return {"passes": f"lh-mutate{{operator={self.operator} "
                          f"seed={self.site} in-kernels}}"}


def shipped(manifest):
    """The manifest's data, with paths that hold anywhere."""
    folder = ROOT / "manifests"
    data = yaml.safe_load((folder / f"{manifest}.yaml").read_text())
    for bubble in data["bubbles"].values():
        if "use" in bubble:
            bubble["use"] = str((folder / bubble["use"]).resolve())
    for case in data["cases"].values():
        if "golden" in case:
            case["golden"] = str((folder / case["golden"]).resolve())
        else:
            model = folder / case["generate"]["model"]
            case["generate"]["model"] = str(model.resolve())
    # What a budget finds is not the simulated device's; ptxas takes its time.
    data["bubbles"].pop("budget", None)
    for pipeline in data["pipelines"].values():
        pipeline["path"] = [name for name in pipeline["path"]
                            if name != "budget"]
    return data


class Job:
    """A shipped manifest on one target. Pipelines and cases are added; those
    shipped can be taken over."""

    def __init__(self, manifest, target, repeat=0):
        self.shipped = shipped(manifest)
        self.target, self.paths, self.cases = target, {}, {}
        self.bubbles = copy.deepcopy(self.shipped["bubbles"])
        if repeat:
            self.bubbles["run"] = {"execute": {"entry": "main",
                                               "repeat": repeat}}

    def path_of(self, pipeline):
        return list(self.shipped["pipelines"][pipeline]["path"])

    def add_shipped(self):
        for name in self.shipped["pipelines"]:
            self.paths[name] = self.path_of(name)
        self.cases = dict(self.shipped["cases"])

    def add_sound(self, pipeline):
        self.paths["sound"] = self.path_of(pipeline)

    def add_census(self, pipeline):
        self.bubbles["census"] = {
            "passes": "lh-mutate{operator=census in-kernels}"}
        self.paths["census"] = [*self.path_of(pipeline)[:-1], "census"]

    def add_mutant(self, pipeline, mutant):
        self.bubbles[mutant.name()] = mutant.bubble()
        *before, run = self.path_of(pipeline)
        self.paths[mutant.name()] = [*before, mutant.name(), run]

    def emit_instead(self):
        """All pipelines but write the device's code, PIPELINE.ll."""
        for name, path in self.paths.items():
            self.bubbles[f"emit-{name}"] = {
                "emit": "llvm-ir", "path": f"{name}.ll"}
            path[-1] = f"emit-{name}"

    def text(self):
        edges = dict.fromkeys(
            f"{one} -> {other}" for path in self.paths.values()
            for one, other in zip(path, path[1:]))
        used = {name for path in self.paths.values() for name in path}
        return json.dumps({
            "lighthouse": 1, "name": "mutants",
            "targets": self.shipped["targets"],
            "bubbles": {name: bubble for name, bubble in self.bubbles.items()
                        if name in used},
            "edges": list(edges),
            "pipelines": {name: {"path": path}
                          for name, path in self.paths.items()},
            "cases": self.cases, "verify": self.shipped["verify"]}, indent=1)


def run(options, job, *words):
    """What came of the job, in a folder of its own."""
    folder = pathlib.Path(tempfile.mkdtemp(dir=options.folder))
    path, record = folder / "job.json", folder / "report.json"
    path.write_text(job.text())
    done = subprocess.run(
        [options.lh_run, path, "--plugin", options.plugin, "--device", "sim",
         "--target", job.target, "--keep-going", "--jobs", "2",
         "--step-timeout", STEP_SECONDS, "--json", record,
         "--save-outputs", folder / "outputs", *words],
        capture_output=True, text=True, env={**os.environ, "NO_COLOR": "1",
                               "LIGHTHOUSE_CACHE": "off"})
    if not record.exists():
        sys.exit(f"{path}: no report\n{done.stdout[-3000:]}"
                 f"{done.stderr[-3000:]}")
    return Report(json.loads(record.read_text()), folder)


class Report:
    """Results by pipeline, without those that have no meaning there."""

    def __init__(self, data, folder):
        self.steps, self.actions = data["steps"], data["actions"]
        self.folder = folder
        self.results = collections.defaultdict(list)
        for result in data["results"]:
            if result["status"] != "not applicable":
                self.results[result["key"]["pipeline"]].append(result)

    def census(self):
        """{operator: sites}."""
        return {operator: int(sites) for step in self.steps
                if step["bubble"] == "census"
                for each in step.get("diagnostics", [])
                for operator, sites in re.findall(r"([\w-]+)=(\d+)",
                                                  each["message"])}

    def note(self, mutant):
        """What the mistake is."""
        for step in self.steps:
            if step["bubble"] == mutant:
                for each in step.get("diagnostics", []):
                    return each["message"]
        return ""

    def finding(self, pipeline, case=None):
        """How the pipeline's mistake shows (in the case alone): `stillborn`, a
        kind of diagnostic, `timed out`, `crashed`, `numbers`; None: not at all."""
        results = [result for result in self.results[pipeline]
                   if case in (None, result["key"]["case"])]
        for result in results:
            for number in result["steps"]:
                step = self.steps[number]
                if step["status"] != "passed":
                    return self.finding_of_step(step)
        if any(result["status"] != "passed" for result in results):
            return "numbers"
        return None

    def finding_of_step(self, step):
        if self.actions[step["action"]]["kind"] not in ("compile", "run"):
            return "stillborn"
        if step["status"] != "failed":
            return step["status"]
        kinds = [each["kind"] for each in step.get("diagnostics", [])
                 if each["severity"] == "error"]
        return "stillborn" if set(kinds) & STILLBORN else kinds[0]

    def outputs(self, pipeline):
        """Files of outputs by case, data set and name."""
        files = {}
        for path in sorted((self.folder / "outputs").rglob("*.npy")):
            parts = path.relative_to(self.folder / "outputs").parts
            if pipeline in parts:
                files[tuple(part for part in parts if part != pipeline)] = path
        return files

    def differ(self, one, other):
        """Whether two pipelines have other bits in any output."""
        left, right = self.outputs(one), self.outputs(other)
        if not left:
            sys.exit(f"'{one}' has no outputs in {self.folder}")
        return left.keys() != right.keys() or not all(
            same_bits(left[name], right[name]) for name in left)
