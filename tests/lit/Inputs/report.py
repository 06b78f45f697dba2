#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads a JSON report and, if given, a JUnit one; checks that they agree with
themselves and each other, and prints a line per result for FileCheck."""
import collections
import json
import sys
import xml.etree.ElementTree as xml


def read_json(path):
    with open(path) as file:
        report = json.load(file)
    assert report["schema"] == 1
    counts = collections.Counter(r["status"].replace(" ", "_")
                                 for r in report["results"])
    for status, count in report["summary"].items():
        assert counts.pop(status, 0) == count, (status, report["summary"])
    assert not counts, counts
    for result in report["results"]:
        assert isinstance(result["seconds"], dict)
        for output in result["outputs"]:
            assert {"output", "against", "passed"} <= set(output), output
    return report


def check_junit(path, report):
    suites = xml.parse(path).getroot()
    cases = list(suites.iter("testcase"))
    assert len(cases) == len(report["results"]), len(cases)
    failures = [case for case in cases if case.find("failure") is not None]
    assert len(failures) >= report["summary"]["failed"]
    suite = next(suites.iter("testsuite"))
    assert int(suite.get("tests")) == len(cases)
    assert int(suite.get("failures")) == len(failures)


def main():
    report = read_json(sys.argv[1])
    if len(sys.argv) > 2:
        check_junit(sys.argv[2], report)
    for result in report["results"]:
        key = result["key"]
        print(f"{key['case'] or '-'} {key['pipeline']}: {result['status']}: "
              f"{result['reason']}")
        for output in result["outputs"]:
            print(f"  {output['output']} against {output['against']}: "
                  f"{'passed' if output['passed'] else 'failed'}")
    print("interrupted:", report["interrupted"])
    print("summary:", ", ".join(f"{count} {status}" for status, count
                                in report["summary"].items() if count))


if __name__ == "__main__":
    main()
