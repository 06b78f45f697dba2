#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What CTest's report (--output-junit) comes to, skips counted: every test that
this machine skipped with its reason, and one last line. A skip must give a
reason, in a line "skipped: ..."; and not all tests may be skipped.

Usage: sum-up-tests.py REPORT.xml
"""
import re
import sys
import xml.etree.ElementTree


def reason_of(case):
    """Why the test skipped; None where it doesn't say."""
    output = case.findtext("system-out") or ""
    said = re.findall(r"^skipped: (.*\S)", output, re.M)
    return said[-1] if said else None


def unsupported(case):
    """How many of lit's tests this machine can't run."""
    found = re.search(r"^\s*Unsupported\s*:\s*(\d+)",
                      case.findtext("system-out") or "", re.M)
    return int(found[1]) if found else 0


def main():
    cases = xml.etree.ElementTree.parse(sys.argv[1]).getroot().findall(
        "testcase")
    skips = [case for case in cases if case.find("skipped") is not None]
    failures = [case for case in cases if case.find("failure") is not None]
    silent = [case.get("name") for case in skips if not reason_of(case)]
    for case in skips:
        print(f"skipped: {case.get('name')}: {reason_of(case) or 'no reason'}")
    if silent:
        print(f"FAILED: skipped without a reason: {', '.join(silent)}")
    passed = len(cases) - len(skips) - len(failures)
    parts = sum(map(unsupported, cases))
    print(f"{len(cases)} tests: {passed} passed, {len(failures)} failed, "
          f"{len(skips)} skipped" +
          (f", and {parts} of lit's" if parts else ""))
    return 1 if silent or failures or not passed else 0


sys.exit(main())
