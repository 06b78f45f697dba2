# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Manifests over the shipped bubbles, with a mistake in each pipeline."""
import copy
import dataclasses
import json
import pathlib
import re
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
from chains import unfolded  # noqa: E402

LOWER = ROOT / "schedules" / "cpu" / "lower-to-llvm.yaml"
# The bubbles of lower-to-llvm, one by one: a mistake can come after each.
LOWER_FILE = yaml.safe_load(LOWER.read_text())
LOWERING = [f"lower-{name}" for name in LOWER_FILE["bubbles"]]
# The manifest whose pipelines get a mistake: --manifest NAME.
MANIFEST = (sys.argv[sys.argv.index("--manifest") + 1]
            if "--manifest" in sys.argv else "onnx-to-cpu")
# Chains of bubbles likewise.
SHIPPED = unfolded(
    yaml.safe_load((ROOT / "manifests" / f"{MANIFEST}.yaml").read_text()),
    ROOT / "manifests")


def with_lowering(path):
    """A path with lower-to-llvm's bubbles in the place of the bubble."""
    at = path.index("lower")
    return [*path[:at], *LOWERING, *path[at + 1:]]


# The upstream path has a lowering of its own, to which these mistakes don't fit.
PATHS = {name: with_lowering(SHIPPED["pipelines"][name]["path"])
         for name in ("optimized", "plain")}


def points():
    """Where a mistake can come: pairs of a path and the bubble before it. What
    the paths begin with in common counts as the first's."""
    begun = set()
    for way, path in PATHS.items():
        for i, point in enumerate(path[:-1]):
            if tuple(path[:i + 1]) not in begun:
                begun.add(tuple(path[:i + 1]))
                yield way, point


@dataclasses.dataclass(frozen=True)
class Mutant:
    """One mistake: made after `point`'s bubble of the path `way`."""
    operator: str
    way: str
    point: str
    site: int

    def name(self):
        return f"{self.operator}-{self.way}-{self.point}-{self.site}"

    def path(self):
        path = list(PATHS[self.way])
        path.insert(path.index(self.point) + 1, self.name())
        return path

    def bubble(self):
        return (f'{{passes: "lh-mutate{{operator={self.operator} '
                f'seed={self.site}}}"}}')


def oracle_passes():
    """The engine's own reference lowering, as its source has it."""
    text = (ROOT / "engine/core/plan/OraclePipeline.cpp").read_text()
    start = text.index("lowering =")
    return "lh-widen, " + "".join(
        re.findall(r'"([^"]*)"', text[start:text.index(";", start)]))


def shipped_bubbles():
    """The bubbles of the shipped manifest, lower-to-llvm's one by one."""
    bubbles = copy.deepcopy(SHIPPED["bubbles"])
    del bubbles["lower"]
    bubbles["run"] = {"execute": "main"}
    for name, bubble in copy.deepcopy(LOWER_FILE["bubbles"]).items():
        if "schedule" in bubble:
            bubble["schedule"] = str(
                (LOWER.parent / bubble["schedule"]).resolve())
        bubbles[f"lower-{name}"] = bubble
    return bubbles


class Manifest:
    """Pipelines over the shipped bubbles, and models with generated inputs."""

    def __init__(self, name, verify="{against: [oracle]}"):
        self.name, self.verify = name, verify
        self.bubbles = shipped_bubbles()
        self.own, self.edges, self.pipelines = [], {}, []
        self.cases = []

    def add_pipeline(self, name, path):
        self.pipelines.append(f"  {name}: {{path: [{', '.join(path)}]}}")
        self.edges.update(dict.fromkeys(zip(path, path[1:])))

    def add_bubble(self, name, text):
        self.own.append(f"  {name}: {text}")

    def add_base(self):
        for way, path in PATHS.items():
            self.add_pipeline(way, path)

    def add_reference(self):
        """The oracle as a pipeline, for the sake of its outputs."""
        scatter = "" if MANIFEST == "onnx-to-cpu" else "lh-scatter-sparse, "
        self.add_bubble("reference-lower",
                        f'{{passes: "{scatter}{oracle_passes()}"}}')
        self.add_pipeline("reference", ["import", "reference-lower", "run"])

    def add_census(self):
        """A pipeline up to each point, where the sites are counted."""
        self.add_bubble("census", '{passes: "lh-mutate{operator=census}"}')
        for way, point in points():
            path = PATHS[way]
            self.add_pipeline(f"census-{way}-{point}",
                              [*path[:path.index(point) + 1], "census"])

    def add_mutant(self, mutant):
        self.add_bubble(mutant.name(), mutant.bubble())
        self.add_pipeline(mutant.name(), mutant.path())

    def add_case(self, name, model, path, seed, sets=None):
        words = f", sets: [{', '.join(sets)}]" if sets else ""
        if model.drawn():
            words += f", inputs: {{{model.drawn()}}}"
        self.cases.append(
            f"  {name}: {{generate: {{model: {path}, seed: {seed}{words}}}}}")

    def text(self):
        used = {name for edge in self.edges for name in edge}
        shipped = yaml.safe_dump({name: bubble for name, bubble
                                  in self.bubbles.items() if name in used},
                                 width=10 ** 6)
        edges = "".join(f"  - {a} -> {b}\n" for a, b in self.edges)
        return "\n".join([
            "lighthouse: 1", f"name: {self.name}", "targets: [host]",
            f"params: {json.dumps(LOWER_FILE['params'])}",
            "bubbles:", re.sub("^", "  ", shipped, flags=re.M).rstrip(),
            *self.own, "edges:", edges + "pipelines:", *self.pipelines,
            "cases:", *self.cases, f"verify: {self.verify}", ""])
