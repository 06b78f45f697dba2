#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Does lh-run bisect name the mistake? Makes one mistake at a time, as the
mutation suite does, and asks lh-run bisect for the bubble and the pass of each
that the checks detect.

A mistake is a bubble of its own, whose only pass it is; or, of one in --inside,
it stands amid the passes of the bubble before it, so that the pass has to be
found as well.

Usage: blame.py LH_RUN PLUGIN [--mutants N] [--seed S] [--inside N]
                 [--cases GLOB...] [--json FILE]

Exit code 1: fewer mutants than asked for, or less than 90 % of them named.
"""
import argparse
import collections
import copy
import json
import math
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

from mutation import Suite, chosen, percent
from pipelines import Manifest

ENOUGH = 0.9


class Planted(Manifest):
    """A manifest with one mutant as its only pipeline."""

    def __init__(self, name, mutant, inside):
        super().__init__(name)
        self.mutant, self.inside = mutant, inside
        path = mutant.path()
        if inside:
            self.hide(path)
        else:
            self.add_bubble(mutant.name(), mutant.bubble())
            self.guilty = mutant.name()
        self.add_pipeline("mutant", path)

    def hide(self, path):
        """The mistake amid the passes of the bubble before it."""
        path.remove(self.mutant.name())
        bubble = copy.deepcopy(self.bubbles[self.mutant.point])
        passes = re.search('"(.*)"', self.mutant.bubble()).group(1)
        bubble["passes"] = f'{bubble["passes"]}, {passes}, canonicalize'
        self.bubbles[self.mutant.point] = bubble
        self.guilty = self.mutant.point


def hides(mutant):
    """Whether the bubble before the mistake is a pass string."""
    return "passes" in Manifest("any").bubbles[mutant.point]


class Answer:
    """What bisect said of one mutant."""

    def __init__(self, case, mutant, inside):
        self.case, self.mutant, self.inside = case, mutant, inside
        self.found, self.error, self.seconds = {}, "", 0

    def names_bubble(self, guilty):
        """A mistake that nothing completes is named together with others."""
        suspects = [self.found.get("bubble", ""), *self.found.get("beside", [])]
        return any(name.split("/")[0] == guilty for name in suspects)

    def is_alone(self):
        return not self.found.get("beside")

    def names_pass(self):
        return self.found.get("part", {}).get("name") == "lh-mutate"


def ask(options, folder, model, path, mutant, inside):
    manifest = Planted("planted", mutant, inside)
    manifest.add_case("case", model, path, options.seed)
    file, found = folder / "planted.yaml", folder / "found.json"
    file.write_text(manifest.text())
    found.unlink(missing_ok=True)
    begin = time.monotonic()
    done = subprocess.run(
        [options.lh_run, "bisect", file, "--plugin", options.plugin,
         "--json", found, "--out", folder / "fault", "--step-timeout", "20"],
        capture_output=True, text=True, env={**os.environ, "NO_COLOR": "1"})
    answer = Answer(model.name, mutant, inside)
    answer.seconds = time.monotonic() - begin
    answer.output = done.stdout + done.stderr
    if found.exists():
        answer.found = json.loads(found.read_text())
    else:
        kinds = re.findall(r"\[([a-z-]+)\]\n", done.stderr)
        answer.error = kinds[0] if kinds else f"exit code {done.returncode}"
    answer.bubble = answer.names_bubble(manifest.guilty)
    answer.exact = answer.bubble and answer.is_alone()
    answer.part = answer.names_pass()
    answer.shown = "driver-not-reproduced" not in done.stderr
    return answer


def detected(suite, models, paths, count):
    """Mutants that the checks find, from all models by turns."""
    found, seen = [], collections.defaultdict(set)
    census = {name: suite.census(model, paths[name])
              for name, model in models.items()}
    for turn in range(8):
        if len(found) >= count:
            break
        share = math.ceil((count - len(found)) * 1.5 / len(models))
        for name, model in models.items():
            drawn = suite.draw(census[name], share, seen[name])
            if not drawn:
                continue
            verdicts = suite.judge(model, paths[name], drawn,
                                   f"{name}-{turn}")
            found += [(model, each) for each in verdicts
                      if each.outcome in ("detected", "crashed")]
    suite.random.shuffle(found)
    return found[:count]


def report(answers):
    """The table; the share of mutants whose bubble was named."""
    rows = [("bubble named", [each.bubble for each in answers]),
            ("- and no other beside it", [each.exact for each in answers]),
            ("pass named", [each.part for each in answers]),
            ("- amid others", [each.part for each in answers if each.inside]),
            ("reproducer shows it", [each.shown for each in answers
                                     if each.found])]
    print("\n| of detected mutants | mutants | yes | |\n| --- | --- | --- | --- |")
    for name, flags in rows:
        print(f"| {name} | {len(flags)} | {sum(flags)} | "
              f"{percent(sum(flags), len(flags))} |")
    probes = sorted(each.found["bubble_probes"] for each in answers
                    if each.found)
    seconds = sorted(each.seconds for each in answers)
    if probes:
        print(f"probes of bubbles: median {probes[len(probes) // 2]}, at most "
              f"{probes[-1]}; seconds: median "
              f"{seconds[len(seconds) // 2]:.1f}, at most {seconds[-1]:.1f}")
    print("\nnot named:")
    for each in answers:
        if not each.bubble:
            print(f"  {each.case} {each.mutant.name()}: "
                  f"{each.error or each.found.get('bubble')}")
    return sum(each.bubble for each in answers) / max(1, len(answers))


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("lh_run")
    parser.add_argument("plugin")
    parser.add_argument("--mutants", type=int, default=100)
    parser.add_argument("--inside", type=float, default=0.5,
                        help="the share hidden amid other passes")
    parser.add_argument("--seed", type=int, default=4)
    parser.add_argument("--cases", nargs="*", default=["*"])
    parser.add_argument("--verbose", action="store_true")
    return parser.parse_args()


def main():
    options = parse()
    hidden = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        suite = Suite(options, folder)
        models = chosen(options)
        paths = {name: model.write(folder) for name, model in models.items()}
        answers = []
        for model, verdict in detected(suite, models, paths, options.mutants):
            mutant = verdict.mutant
            inside = hides(mutant) and hidden.random() < options.inside
            answers.append(ask(options, folder, model, paths[model.name],
                               mutant, inside))
            if options.verbose and not answers[-1].bubble:
                print(answers[-1].output, flush=True)
    share = report(answers)
    if len(answers) < options.mutants:
        sys.exit(f"FAILED: {len(answers)} mutants, {options.mutants} were "
                 "asked for")
    if share < ENOUGH:
        sys.exit(f"FAILED: the bubble of {100 * share:.1f} % was named")


if __name__ == "__main__":
    main()
