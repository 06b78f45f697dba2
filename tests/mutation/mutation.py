#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many mistakes do the checks find? Makes one mistake at a time at seeded
random places of the IR that the importer and each shipped schedule produce,
runs what comes of it, and counts.

Usage: mutation.py LH_RUN PLUGIN [--mutants N] [--seed S] [--cases GLOB...]
                   [--manifest NAME] [--keep FOLDER]

Models are this suite's own for onnx-to-cpu, else the manifest's generated cases.

Exit code 1: fewer mutants than asked for, or the checks found less than 95 %
of those that differ from the unmutated code on any of 50 inputs of each kind.
"""
import collections
import fnmatch
import math
import pathlib
import random
import sys

from cases import all_models, payloads
from counting import option_parser, require_enough, working_folder
from judges import CLASSICAL, accepts
from pipelines import MANIFEST, PATHS, ROOT, SHIPPED, Manifest, Mutant, points
from runs import SOUND, run, set_of

PROOF_INPUTS = 50


class Suite:
    """Runs manifests and keeps what came of each mutant."""

    def __init__(self, options, folder):
        self.options, self.folder = options, pathlib.Path(folder)
        self.random = random.Random(options.seed)
        self.verdicts = {}

    def run(self, manifest):
        return run(self.options.lh_run, manifest, self.folder,
                   "--plugin", self.options.plugin)

    def census(self, model, path):
        """{operator: [(way, point, sites)]}; the sound pipelines must pass."""
        manifest = Manifest(f"{model.name}-census")
        manifest.add_base()
        manifest.add_census()
        manifest.add_case("case", model, path, self.options.seed)
        report = self.run(manifest)
        for way in PATHS:
            for result in report.results[way]:
                if result["status"] not in SOUND:
                    sys.exit(f"{model.name}: without a mistake, {way} is "
                             f"{result['status']}: {result['reason']}")
        found = collections.defaultdict(list)
        for way, point in points():
            for operator, sites in report.counts(f"census-{way}-{point}"):
                found[operator].append((way, point, sites))
        return found

    def draw(self, census, count, seen):
        """Mutants not seen yet: each operator is as likely as any other."""
        drawn = []
        for _ in range(20 * count):
            if len(drawn) == count:
                break
            operator = self.random.choice(sorted(census))
            way, point, sites = self.random.choice(census[operator])
            mutant = Mutant(operator, way, point, self.random.randrange(sites))
            if mutant not in seen:
                seen.add(mutant)
                drawn.append(mutant)
        return drawn

    def judge(self, model, path, mutants, name):
        manifest = Manifest(name)
        manifest.add_reference()
        for mutant in mutants:
            manifest.add_mutant(mutant)
        manifest.add_case("case", model, path, self.options.seed)
        report = self.run(manifest)
        verdicts = [Verdict(model.name, mutant, report) for mutant in mutants]
        self.prove(model, path, [each for each in verdicts
                                 if each.outcome == "undetected"], name)
        return verdicts

    def prove(self, model, path, verdicts, name):
        """Tells mutants that compute the same from those that got away."""
        if not verdicts:
            return
        manifest = Manifest(f"{name}-proof", "{against: [optimized]}")
        manifest.add_base()
        for verdict in verdicts:
            manifest.add_mutant(verdict.mutant)
        for i in range(PROOF_INPUTS):
            manifest.add_case(f"case{i}", model, path, 1000 + i,
                              sets=("drawn", "exact", "specials"))
        report = self.run(manifest)
        for verdict in verdicts:
            verdict.differs = report.differing(verdict.mutant.name(),
                                               verdict.mutant.way)
            if not verdict.differs:
                verdict.outcome = "equivalent"


class Verdict:
    """What became of one mutant: `stillborn` (it never was a program),
    `crashed`, `detected`, `undetected` or `equivalent`."""

    def __init__(self, case, mutant, report):
        self.case, self.mutant, self.differs = case, mutant, 0
        self.judges, self.sets, self.classical = set(), set(), set()
        results = report.results[mutant.name()]
        notes = report.diagnostics(results[0], mutant.name())
        self.note = notes[0] if notes else ""
        self.outcome = self.outcome_of(results, report)
        if self.outcome == "crashed":
            self.classical = set(CLASSICAL)
        elif self.outcome != "stillborn":
            self.ask_others(report)

    def outcome_of(self, results, report):
        results = [result for result in results
                   if result["status"] != "not applicable"]
        for result in results:
            step = report.broken(result)
            if step:
                self.note += f" [{step['bubble']}: {step.get('reason', '')}]"
                return "crashed" if step["bubble"] == "run" else "stillborn"
        for result in results:
            if result["status"] == "failed":
                self.judges |= criteria_of(result)
                self.sets.add(set_of(result))
        return "detected" if self.judges else "undetected"

    def ask_others(self, report):
        """On the data that a user would have drawn."""
        for result, reference in report.pairs(self.mutant.name(), "reference"):
            if set_of(result) != "drawn":
                continue
            actual, expected = report.files(result), report.files(reference)
            for rule in CLASSICAL:
                if not all(accepts(rule, actual[name], expected[name])
                           for name in actual):
                    self.classical.add(rule)


def criteria_of(result):
    """By which criteria a result failed."""
    failed = {output["criterion"] for output in result["outputs"]
              if not output["passed"]}
    return failed or {output["criterion"] for output in result["outputs"]}


def percent(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "-"


def print_table(title, rows):
    print(f"\n| {title} | mutants | detected | |\n| --- | --- | --- | --- |")
    for name, (part, whole) in rows:
        print(f"| {name} | {whole} | {part} | {percent(part, whole)} |")


def print_findings(verdicts):
    """The tables and every mutant that got away; the share detected."""
    outcomes = collections.Counter(each.outcome for each in verdicts)
    print(", ".join(f"{count} {name}"
                    for name, count in sorted(outcomes.items())))
    mattering = [each for each in verdicts
                 if each.outcome in ("detected", "crashed", "undetected")]

    def found(some):
        return sum(each.outcome != "undetected" for each in some), len(some)

    rows = [("**lh-run's defaults**", found(mattering))]
    for noun, of in (("by", lambda each: each.judges),
                     ("on the set", lambda each: each.sets)):
        for word in sorted({word for each in mattering for word in of(each)}):
            rows.append((f"- {noun} {word}",
                         (sum(word in of(each) for each in mattering),
                          len(mattering))))
    rows.append(("- crashed or trapped", (outcomes["crashed"],
                                          len(mattering))))
    for rule in CLASSICAL:
        rows.append((rule, (sum(rule in each.classical for each in mattering),
                            len(mattering))))
    print_table("check", rows)
    for title, key in (
            ("operator", lambda each: each.mutant.operator),
            ("after", lambda each: each.mutant.way + " " + each.mutant.point),
            ("family", lambda each: each.case.split("-")[0])):
        groups = collections.defaultdict(list)
        for each in mattering:
            groups[key(each)].append(each)
        print_table(title, [(name, found(some))
                            for name, some in sorted(groups.items())])
    print("\nundetected:")
    for each in mattering:
        if each.outcome == "undetected":
            print(f"  {each.case} {each.mutant.name()}: differs on "
                  f"{each.differs} inputs; {each.note}")
    part, whole = found(mattering)
    return part, whole


def parse():
    parser = option_parser(__doc__, mutants=300, seed=4)
    parser.add_argument("--cases", nargs="*", default=["*"])
    parser.add_argument("--manifest", default=MANIFEST,
                        help="whose pipelines get a mistake (pipelines.py)")
    return parser.parse_args()


def chosen(options):
    known = (all_models() if MANIFEST == "onnx-to-cpu"
             else payloads(SHIPPED, ROOT / "manifests"))
    models = {name: model for name, model in known.items()
              if any(fnmatch.fnmatch(name, glob) for glob in options.cases)}
    return models or sys.exit(f"no case matches {options.cases}")


def run_suite(options, folder):
    suite = Suite(options, folder)
    models = chosen(options)
    paths = {name: model.write(suite.folder) for name, model in models.items()}
    census = {name: suite.census(model, paths[name])
              for name, model in models.items()}
    seen, verdicts, rounds = collections.defaultdict(set), [], 0
    while rounds < 8:
        alive = sum(each.outcome in ("detected", "crashed", "undetected")
                    for each in verdicts)
        if alive >= options.mutants:
            break
        share = math.ceil((options.mutants - alive) * 1.2 / len(models))
        for name, model in models.items():
            drawn = suite.draw(census[name], share, seen[name])
            if drawn:
                verdicts += suite.judge(model, paths[name], drawn,
                                        f"{name}-{rounds}")
        rounds += 1
    return verdicts


def main():
    options = parse()
    with working_folder(options) as folder:
        verdicts = run_suite(options, folder)
    part, whole = print_findings(verdicts)
    require_enough(part, whole, options.mutants)


if __name__ == "__main__":
    main()
