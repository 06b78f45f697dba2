#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures every floor of floors.yaml on this CPU and prints a table.

    floors.py BUILD_DIR [--only NAME]... [--rounds N] [--ort DIR]

The works, their checks and the sampling are peers.py's. A floor set for
another maker's CPU, or beside a library that isn't installed, is listed as
skipped, with the reason. A missed floor or a wrong result makes the exit code
1. Nothing here is a test."""
import pathlib
import sys

import yaml

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "peers"))
import peers  # noqa: E402  (its folder was only just named)
import works  # noqa: E402
import workers  # noqa: E402

MAKES = {"AuthenticAMD": "AMD", "GenuineIntel": "Intel"}
ORT = "onnxruntime"


def parse_arguments():
    parser = peers.base_parser(__doc__)
    parser.add_argument("--ort", type=pathlib.Path, metavar="DIR")
    return parser.parse_args()


class Measured:
    """peers.py's figures of works, each measured once."""

    def __init__(self, options):
        self.options, self.known = options, {}
        self.recipes = {recipe.name: recipe for recipe in works.recipes()}

    def of(self, work, threads=1):
        if (work, threads) not in self.known:
            self.options.threads = threads
            self.known[work, threads] = peers.measure(self.recipes[work],
                                                      self.options)
        return self.known[work, threads]


class Missing(Exception):
    """What a floor needs and there isn't."""


def candidate(figures, name):
    for each in figures["candidates"]:
        if each["name"] == name:
            return each
    raise Missing("; ".join(figures["complaints"]) or f"no {name}")


def is_ort(name):
    return name.lower().replace("-", "").startswith(ORT)


def against_libraries(floor, figures):
    """The fastest library's time by ours, ONNX Runtime or the others."""
    ours = candidate(figures, floor["ours"])
    alike = {"plain": ("plain",), "prepacked": ("plain", "prepacked")}
    times = [each["median"] for each in figures["candidates"]
             if not each["ours"] and each["packing"] in alike[ours["packing"]]
             and is_ort(each["name"]) == (floor["figure"] == "ort")]
    if not times:
        raise Missing("no such library is installed")
    return min(times) / ours["median"]


def value_of(floor, measured):
    figures = measured.of(floor["work"])
    if floor["figure"] == "of_peak":
        return candidate(figures, floor["ours"])["of_peak"]
    if floor["figure"] == "threads":
        two = candidate(measured.of(floor["work"], 2), floor["ours"])
        return candidate(figures, floor["ours"])["median"] / two["median"]
    return against_libraries(floor, figures)


def row(floor, measured, make):
    """A line of the table, and whether the floor was missed."""
    text = f"| {floor['work']} | {floor['ours']} | {floor['figure']} "
    text += f"| {floor['least']} "
    if floor.get("make", make) != make:
        return text + f"| | skipped: set for {floor['make']} |", False
    try:
        value = value_of(floor, measured)
    except Missing as missing:
        return text + f"| | skipped: {missing} |", False
    missed = value < floor["least"]
    return text + f"| {value:.3f} | {'MISSED' if missed else 'held'} |", missed


def main():
    options = parse_arguments()
    floors = yaml.safe_load((HERE / "floors.yaml").read_text())
    if options.only:
        floors = [floor for floor in floors
                  if any(part in floor["work"] for part in options.only)]
    peers.build_workers(options.build)
    vendor = workers.cpu_facts().get("vendor_id", "")
    make = MAKES.get(vendor, vendor)
    print(workers.describe_machine(1))
    print("| work | ours | figure | floor | measured | |\n"
          "|---|---|---|---|---|---|", flush=True)
    measured, missed = Measured(options), 0
    for floor in floors:
        line, is_missed = row(floor, measured, make)
        missed += is_missed
        print(line, flush=True)
    wrong = [text for figures in measured.known.values()
             for text in figures["complaints"]]
    print("\n".join(wrong))
    return 1 if missed or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
