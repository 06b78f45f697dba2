#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Skips are counted and told with their reason; one without fails the tests."""
import pathlib
import subprocess
import sys
import tempfile

SUM_UP = pathlib.Path(__file__).resolve().parents[1] / "support" / \
    "sum-up-tests.py"
PASSED = '<testcase name="a"><system-out/></testcase>'
LIT = '<testcase name="lit"><system-out>\n  Unsupported: 3 (2%)\n' \
      '  Passed     : 9</system-out></testcase>'
FAILED = '<testcase name="f"><failure/></testcase>'
SKIPPED = '<testcase name="s"><skipped/><system-out>more\nskipped: no GPU\n' \
          '</system-out></testcase>'
SILENT = '<testcase name="q"><skipped/><system-out>x</system-out></testcase>'
WANTED = [
    # report, exit code, what is printed
    ([PASSED, SKIPPED, LIT], 0,
     "skipped: s: no GPU\n"
     "3 tests: 2 passed, 0 failed, 1 skipped, and 3 of lit's\n"),
    ([PASSED, FAILED], 1, "2 tests: 1 passed, 1 failed, 0 skipped\n"),
    ([PASSED, SILENT], 1,
     "skipped: q: no reason\nFAILED: skipped without a reason: q\n"
     "2 tests: 1 passed, 0 failed, 1 skipped\n"),
    ([SKIPPED], 1,
     "skipped: s: no GPU\n1 tests: 0 passed, 0 failed, 1 skipped\n"),
]

wrong = []
for cases, code, text in WANTED:
    with tempfile.NamedTemporaryFile("w", suffix=".xml") as report:
        report.write(f"<testsuite>{''.join(cases)}</testsuite>")
        report.flush()
        done = subprocess.run([sys.executable, str(SUM_UP), report.name],
                              capture_output=True, text=True)
    if (done.returncode, done.stdout) != (code, text):
        wrong.append(f"{done.returncode}, not {code}:\n{done.stdout}"
                     f"{done.stderr}")
print("\n".join(wrong) or f"{len(WANTED)} reports are summed up rightly")
sys.exit(1 if wrong else 0)
