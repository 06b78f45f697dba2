#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Do the checks cry wolf? Runs correct models drawn at random (every family,
odd shapes, all types) through the shipped pipelines: none may fail. Prints how
often other tools' tolerances would.

Usage: false_alarms.py LH_RUN [--models N] [--seed S] [--keep FOLDER]
"""
import argparse
import collections
import pathlib
import random
import sys
import tempfile

from judges import CLASSICAL, accepts
from pipelines import PATHS, Manifest
from random_models import random_models
from runs import SOUND, run, set_of

BATCH = 60
# Others have no outputs, or nothing to compare them with.
JUDGED = ("passed", "failed")


def batches(models, size):
    for start in range(0, len(models), size):
        yield start, models[start:start + size]


def alarms_of_others(report, count):
    """Which tolerances refuse a correct result, by model and pipeline."""
    for way in PATHS:
        for result, reference in report.pairs(way, "reference"):
            if set_of(result) != "drawn" or result["status"] not in JUDGED:
                continue
            count["results"] += 1
            actual, expected = report.files(result), report.files(reference)
            for rule in CLASSICAL:
                count[rule] += not all(
                    accepts(rule, actual[name], expected[name])
                    for name in actual)


def check(report, criteria):
    """What failed, as lines; counts how the others were decided."""
    for way in PATHS:
        for result in report.results[way]:
            for output in result["outputs"]:
                criteria[output["criterion"]] += 1
            if result["status"] not in SOUND:
                key = result["key"]
                yield (f"{key['case']} {key['data_set']} {way}: "
                       f"{result['status']}: {result['reason']}")


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("lh_run")
    parser.add_argument("--models", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=4)
    parser.add_argument("--keep", help="a folder for manifests and outputs")
    return parser.parse_args()


def main():
    options = parse()
    models = list(random_models(random.Random(options.seed), options.models))
    failures, criteria = [], collections.Counter()
    others = collections.Counter()
    for start, some in batches(models, BATCH):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(options.keep or scratch)
            folder.mkdir(parents=True, exist_ok=True)
            manifest = Manifest(f"models-{start}")
            manifest.add_base()
            manifest.add_reference()
            for i, model in enumerate(some):
                manifest.add_case(model.name, model, model.write(folder),
                                  options.seed + start + i)
            report = run(options.lh_run, manifest, folder)
            failures += check(report, criteria)
            alarms_of_others(report, others)
    print(f"{len(models)} models by {len(PATHS)} pipelines, outputs by "
          + ", ".join(f"{name}: {count}"
                      for name, count in sorted(criteria.items())))
    print(f"false alarms: lh-run {len(failures)}, of {others['results']} "
          "results of drawn inputs: "
          + ", ".join(f"{rule} {others[rule]}" for rule in CLASSICAL))
    print("\n".join(failures))
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
