#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads a JSON report with measurements and the LNT report of the same run;
checks that they agree, and prints what doesn't depend on the machine."""
import datetime
import json
import sys


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def show_row(case, row):
    name = f"{case} {row['pipeline']} {row['target']}"
    if not row["measured"]:
        print(f"{name}: not measured: {row['reason']}")
        return
    seconds, samples = row["seconds"], row["samples"]
    assert seconds["count"] == len(samples) > 0
    assert 0 < seconds["min"] == min(samples) <= seconds["median"]
    assert seconds["median"] <= seconds["p95"] <= seconds["max"]
    assert row["clock"] in ("wall", "cpu") and row["calls_per_sample"] > 0
    ratio = "a ratio" if row["ratio"] else "no ratio"
    print(f"{name}: {row['bytes']} bytes, {ratio}")


def main():
    bench = load(sys.argv[1])["bench"]
    assert bench["schema"] == 1
    for case in bench["cases"]:
        work = ", ".join(f"{count:g} {dtype} operations"
                         for dtype, count in case["operations"].items())
        probes = ", ".join(probe["of"] for probe in case["probes"])
        print(f"{case['case']}: {work}, probes of {probes}")
        for row in case["rows"]:
            show_row(case["case"], row)
    if len(sys.argv) < 3:
        return
    lnt = load(sys.argv[2])
    assert lnt["format_version"] == "2" and lnt["machine"]["name"]
    for key in ("start_time", "end_time"):
        datetime.datetime.strptime(lnt["run"][key], "%Y-%m-%dT%H:%M:%S")
    assert lnt["run"]["llvm_project_revision"]
    measured = [row for case in bench["cases"] for row in case["rows"]
                if row["measured"]]
    for test, row in zip(lnt["tests"], measured, strict=True):
        assert test["execution_time"] == row["samples"]
        print(f"lnt {test['name']}")


main()
