#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many mistakes in device code does the simulated device find? Makes one
mistake at a time in the kernels of the shipped GPU pipelines, right before they
are translated, runs what comes of it on simulated devices, and counts.

Usage: device.py LH_RUN PLUGIN [--mutants N] [--seed S] [--only GLOB...]
                 [--schedules K] [--shipped] [--keep FOLDER]

A mutant is found if the device refuses what it does or the oracle its numbers:
at once, on drawn inputs in the first order of threads; or later, on all sets of
inputs in K more orders (`repeat: K`, which refuses any change of a bit). It counts if it is found, or if on other inputs it gives
other bits than the sound kernel. A wait that is missing or waits for less counts
in any case: no kernel waits twice, so that whether it matters isn't for the
simulation to say.
Exit code 1: fewer such mutants than asked for, less than 95 % of them found, or
a sound kernel that is flagged in one of the orders; with --shipped also of the
shipped cases.
"""
import collections
import dataclasses
import fnmatch
import pathlib
import random
import sys
import tempfile

from counting import option_parser, require_enough, working_folder
from device_jobs import Job, Mutant, run, shipped
from device_routes import Route, routes, write_case

PROOF_INPUTS = 2
# Operators of other files that are worth their while in kernels.
SHARED = {"index-off-by-one", "lost-store", "swapped-operands",
          "predicate-flip", "dropped-guard"}
# These are mistakes whatever comes of them.
ALWAYS_COUNT = {"device-weak-wait"}
FOUND, FOUND_LATER, MISSED = "found at once", "found later", "undetected"
COUNTS = (FOUND, FOUND_LATER, MISSED)


@dataclasses.dataclass(frozen=True)
class Verdict:
    """What became of a mutant; besides the above `stillborn`, `same code` or
    `equivalent`."""
    route: Route
    mutant: Mutant
    outcome: str
    by: str = ""    # what found it
    note: str = ""  # what was changed


class Suite:
    def __init__(self, options):
        self.options = options
        self.random = random.Random(options.seed)
        self.verdicts = []
        self.drawn = collections.Counter()  # by operator

    def job(self, route, repeat=0):
        return Job(route.manifest, route.target, repeat)

    def add_case(self, job, route, seed=1, sets=("drawn",)):
        name = route.case if seed == 1 else f"{route.case}-{seed}"
        job.cases[name] = write_case(route.case, self.options.folder, seed,
                                     sets)

    def run(self, job, *words):
        return run(self.options, job, *words)

    def census(self, route):
        """The sound kernel passes under K orders; {operator: sites}."""
        job = self.job(route, self.options.schedules)
        self.add_case(job, route)
        job.add_sound(route.pipeline)
        job.add_census(route.pipeline)
        report = self.run(job)
        count = require_sound(report, "sound", route.name())
        print(f"{route.name()}: {count} sound", flush=True)
        return {operator: sites for operator, sites in report.census().items()
                if sites and (operator.startswith("device-") or
                              operator in SHARED)}

    def draw(self, census, count, seen):
        """The operators drawn least so far come first."""
        mutants = []
        for _ in range(count):
            left = {operator: [site for site in range(sites)
                               if Mutant(operator, site) not in seen]
                    for operator, sites in census.items()}
            left = {operator: sites for operator, sites in left.items()
                    if sites}
            if not left:
                break
            least = min(self.drawn[operator] for operator in left)
            operator = self.random.choice(sorted(
                each for each in left if self.drawn[each] == least))
            mutant = Mutant(operator, self.random.choice(left[operator]))
            self.drawn[operator] += 1
            seen.add(mutant)
            mutants.append(mutant)
        return mutants

    def judge(self, route, mutants):
        job = self.job(route)
        self.add_case(job, route)
        for mutant in mutants:
            job.add_mutant(route.pipeline, mutant)
        report = self.run(job)
        notes = {mutant: report.note(mutant.name()) for mutant in mutants}

        def decide(mutant, outcome, by=""):
            self.verdicts.append(
                Verdict(route, mutant, outcome, by, notes[mutant]))
            print(f"{route.name()} {outcome} {by}: {notes[mutant]}",
                  flush=True)

        left = []
        for mutant in mutants:
            finding = report.finding(mutant.name())
            if finding == "stillborn":
                decide(mutant, "stillborn")
            elif finding:
                decide(mutant, FOUND, finding)
            else:
                left.append(mutant)
        for step in (self.drop_same_code, self.drop_found_later,
                     self.count_waits, self.tell_equivalent):
            left = step(route, left, decide) if left else []

    def drop_same_code(self, route, mutants, decide):
        """What LLVM makes the same code of is no mistake."""
        job = self.job(route)
        self.add_case(job, route)
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.options.folder))
        job.add_sound(route.pipeline)
        for mutant in mutants:
            job.add_mutant(route.pipeline, mutant)
        job.emit_instead()
        self.run(job, "--out", folder)
        sound = (folder / "sound.ll").read_text() or sys.exit("no device code")
        left = []
        for mutant in mutants:
            if (folder / f"{mutant.name()}.ll").read_text() == sound:
                decide(mutant, "same code")
            else:
                left.append(mutant)
        return left

    def drop_found_later(self, route, mutants, decide):
        """The same inputs and their other sets, in other orders."""
        job = self.job(route, self.options.schedules)
        self.add_case(job, route, sets=("drawn", "exact", "specials"))
        for mutant in mutants:
            job.add_mutant(route.pipeline, mutant)
        report = self.run(job)
        left = []
        for mutant in mutants:
            if finding := report.finding(mutant.name()):
                decide(mutant, FOUND_LATER, finding)
            else:
                left.append(mutant)
        return left

    def count_waits(self, route, mutants, decide):
        """What the simulation lets pass may be the simulation's mistake."""
        for mutant in mutants:
            if mutant.operator in ALWAYS_COUNT:
                decide(mutant, MISSED, "nothing")
        return [mutant for mutant in mutants
                if mutant.operator not in ALWAYS_COUNT]

    def tell_equivalent(self, route, mutants, decide):
        job = self.job(route)
        for seed in range(1000, 1000 + PROOF_INPUTS):
            self.add_case(job, route, seed)
        job.add_sound(route.pipeline)
        for mutant in mutants:
            job.add_mutant(route.pipeline, mutant)
        report = self.run(job)
        require_sound(report, "sound", route.name())
        for mutant in mutants:
            finding = report.finding(mutant.name())
            if finding or report.differ("sound", mutant.name()):
                decide(mutant, MISSED, finding or "other bits")
            else:
                decide(mutant, "equivalent")


def require_sound(report, pipeline, name):
    """Ends the suite at a flagged kernel; how many results passed."""
    results = report.results[pipeline]
    for result in results:
        if result["status"] != "passed":
            sys.exit(f"FAILED: {name}: without a mistake it is "
                     f"{result['status']}: {result.get('reason')}")
    return len(results) or sys.exit(f"FAILED: {name}: nothing ran")


def check_shipped(options):
    """The shipped cases on all targets under K orders."""
    print(f"\n| shipped | results that pass under 1 + {options.schedules} "
          "orders |\n| --- | --- |")
    for manifest in sorted({route.manifest for route in routes()}):
        for target in shipped(manifest)["targets"]:
            job = Job(manifest, target, options.schedules)
            job.add_shipped()
            report = run(options, job)
            count = sum(require_sound(report, pipeline,
                                      f"{manifest}/{target}/{pipeline}")
                        for pipeline in report.results)
            print(f"| {manifest} on {target} | {count} |", flush=True)


def print_table(title, key, verdicts):
    groups = collections.defaultdict(collections.Counter)
    for each in verdicts:
        groups[key(each)][each.outcome] += 1
    print(f"\n| {title} | mutants | found at once | later | not |\n"
          "| --- | --- | --- | --- | --- |")
    for name, counts in sorted(groups.items()):
        print(f"| {name} | {sum(counts.values())} | {counts[FOUND]} | "
              f"{counts[FOUND_LATER]} | {counts[MISSED]} |")


def print_findings(verdicts):
    outcomes = collections.Counter(each.outcome for each in verdicts)
    print("\n" + ", ".join(f"{count} {word}"
                           for word, count in sorted(outcomes.items())))
    counting = [each for each in verdicts if each.outcome in COUNTS]
    print_table("operator", lambda each: each.mutant.operator, counting)
    print_table("route", lambda each: each.route.name(), counting)
    print_table("found by", lambda each: each.by, counting)
    for outcome in (MISSED, "equivalent", "stillborn"):
        print(f"\n{outcome}:")
        for each in verdicts:
            if each.outcome == outcome:
                print(f"  {each.route.name()} {each.note} {each.by}")
    return sum(each.outcome != MISSED for each in counting), len(counting)


def run_suite(options):
    suite = Suite(options)
    chosen = [route for route in routes()
              if any(fnmatch.fnmatch(route.name(), glob)
                     for glob in options.only)]
    if not chosen:
        sys.exit(f"no route matches {options.only}")
    censuses, seen = {}, collections.defaultdict(set)
    for _ in range(8):
        alive = sum(each.outcome in COUNTS for each in suite.verdicts)
        if alive >= options.mutants:
            break
        share = -(-(options.mutants - alive) // len(chosen))
        for route in chosen:
            if route not in censuses:
                censuses[route] = suite.census(route)
            suite.judge(route, suite.draw(censuses[route], share, seen[route]))
    return suite.verdicts


def parse():
    parser = option_parser(__doc__, mutants=100, seed=8)
    parser.add_argument("--schedules", type=int, default=20)
    parser.add_argument("--only", nargs="*", default=["*"])
    parser.add_argument("--shipped", action="store_true")
    return parser.parse_args()


def main():
    options = parse()
    with working_folder(options) as options.folder:
        verdicts = run_suite(options)
        if options.shipped:
            check_shipped(options)
    part, whole = print_findings(verdicts)
    require_enough(part, whole, options.mutants)


if __name__ == "__main__":
    main()
