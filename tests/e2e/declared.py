#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a bubble declares under `numerics:` is let pass; the same, undeclared, is
flagged.

    declared.py LH_RUN MUTATION_PLUGIN
"""
import sys

from support import ROOT, require, run_with_report

# Which modes flag the undeclared pipeline. A bound allows for the worst that
# summing may do, so it doesn't see Winograd's algorithm; a polynomial's last
# digits are too few for a ratio of norms; a sum in another order is as accurate
# as any, and only differs on the data set that is exact in one order alone.
FLAGGED_BY = {
    "winograd": {"auto", "ratio"},
    "math": {"auto", "bound"},
    "bfloat16": {"auto", "bound", "ratio"},
    "sum": {"auto", "ratio"},
}
MODES = ("auto", "bound", "ratio")


def check(lh_run, plugin, name, mode):
    _, text, report = run_with_report(
        lh_run, ROOT / "tests" / "e2e" / "declared" / f"{name}.yaml",
        "--oracle", mode, "--keep-going", "--plugin", plugin)
    statuses = {"declared": set(), "undeclared": set()}
    for result in report["results"]:
        statuses[result["key"]["pipeline"]].add(result["status"])
    require(statuses["declared"] <= {"passed", "not applicable"} and
            "passed" in statuses["declared"],
            f"{name}, declared, is {statuses['declared']} by {mode}:\n{text}")
    flagged = "failed" in statuses["undeclared"]
    require(flagged == (mode in FLAGGED_BY[name]),
            f"{name}, undeclared, is {statuses['undeclared']} by {mode}:"
            f"\n{text}")
    print(f"{name} by {mode}: declared passes, undeclared "
          f"{'is flagged' if flagged else 'passes too'}")


def main():
    lh_run, plugin = sys.argv[1:]
    for name in FLAGGED_BY:
        for mode in MODES:
            check(lh_run, plugin, name, mode)


main()
