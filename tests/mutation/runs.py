# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs manifests and reads what came of them."""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys

from judges import same_bits

STEP_SECONDS = "20"
# A data set may have no meaning for a model.
SOUND = ("passed", "not applicable")


def run(lh_run, manifest, folder, *words):
    """The report of a run in `folder`, which keeps its files too."""
    folder = pathlib.Path(folder)
    path = folder / f"{manifest.name}.yaml"
    path.write_text(manifest.text())
    outputs, report = folder / f"{manifest.name}.out", f"{path}.json"
    done = subprocess.run(
        [lh_run, path, "--keep-going", "--jobs", "2", "--no-failures",
         "--step-timeout", STEP_SECONDS, "--json", report, "--save-outputs", outputs, *words],
        capture_output=True, text=True, env={**os.environ, "NO_COLOR": "1",
                                              "LIGHTHOUSE_CACHE": "off"})
    if not os.path.exists(report):
        sys.exit(f"{path}: no report\n{done.stdout[-3000:]}{done.stderr}")
    with open(report) as file:
        return Report(json.load(file), outputs)


def set_of(result):
    """Which kind of inputs a result had, whichever draw of them."""
    return re.sub(r"-\d+$", "", result["key"]["data_set"]) or "drawn"


class Report:
    """A report by pipeline, and the outputs that it tells of."""

    def __init__(self, data, outputs):
        self.steps = data["steps"]
        self.results = collections.defaultdict(list)
        self.outputs = outputs
        for result in data["results"]:
            self.results[result["key"]["pipeline"]].append(result)

    def diagnostics(self, result, bubble):
        return [diagnostic["message"] for step in result["steps"]
                for diagnostic in self.steps[step].get("diagnostics", [])
                if self.steps[step]["bubble"] == bubble]

    def counts(self, pipeline):
        """The census' pairs (operator, sites) where there are any."""
        for result in self.results[pipeline][:1]:
            for message in self.diagnostics(result, "census"):
                for operator, sites in re.findall(r"([\w-]+)=(\d+)", message):
                    if int(sites):
                        yield operator, int(sites)

    def broken(self, result):
        """The first step of a result that did not pass, if any."""
        for step in result["steps"]:
            if self.steps[step]["status"] != "passed":
                return self.steps[step]
        return None

    def files(self, result):
        """The output files of a result, by name."""
        key = result["key"]
        parts = [key[part] for part in ("case", "data_set", "target", "sweep",
                                        "pipeline") if key[part]]
        return {path.name: path for path in
                sorted(self.outputs.joinpath(*parts).glob("*.npy"))}

    def pairs(self, pipeline, other):
        """The results of two pipelines on the same data."""
        by_data = {(result["key"]["case"], result["key"]["data_set"]): result
                   for result in self.results[other]}
        for result in self.results[pipeline]:
            key = result["key"]
            yield result, by_data[key["case"], key["data_set"]]

    def differing(self, pipeline, other):
        """How many inputs lead to other bits in any output."""
        count = 0
        for one, two in self.pairs(pipeline, other):
            left, right = self.files(one), self.files(two)
            count += left.keys() != right.keys() or not all(
                same_bits(left[name], right[name]) for name in left)
        return count
