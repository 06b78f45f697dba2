#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of gaps is sorted by worth and keeps what people wrote."""
import json
import pathlib
import subprocess
import sys
import tempfile

SCRIPT = pathlib.Path(__file__).resolve().parents[1] / "support" / \
    "gaps-table.py"
PAGE = """# Gaps
By hand.

<!-- gaps-table.py -->
old
<!-- /gaps-table.py -->

| pass | lacks | retired by |
|---|---|---|
| `lh-a` | all of `a` | upstream a |
| `lh-b` | b | upstream b |
| `lh-c` | c | upstream c |
| (no pass) | d | upstream d |

| gap | how |
|---|---|
| other | table |
"""


def trial(name, worth, times=None, lost=None):
    slowdown = {"times": times} if times else None
    return {"name": name, "worth": worth, "slowdown": slowdown,
            "lost_work": lost}


def record(*trials, interrupted=False):
    return {"schema": 1, "manifest": "m", "pipeline": "fast", "target": "t",
            "cpu": "zen4", "llvm": "22.1.8", "started_at": "2026-11-28T01:02:03",
            "seconds": 0.00074, "gaps": trials, "interrupted": interrupted,
            "topics": [trial("memory", "slower", 3.0)],
            "redundancy": {"removable": ["lh-c"], "needed": [],
                           "pairs": [{"one": "lh-c", "other": "lh-d"}]}}


def run(folder, text, *records):
    page = folder / "page.md"
    page.write_text(text)
    names = []
    for number, each in enumerate(records):
        file = folder / f"{number}.json"
        file.write_text(json.dumps(each))
        names.append(f"net {number}={file}")
    done = subprocess.run([sys.executable, str(SCRIPT), "--page", str(page),
                           *names], capture_output=True, text=True)
    return done.returncode, done.stderr.strip(), page.read_text()


TABLE = """| pass | worth | lacks | retired by |
|---|---|---|---|
| `lh-b` | breaks: net 0; nothing: net 1 | b | upstream b |
| `lh-c` | 31.2x, 98 % of the work: net 1; 0.78x: net 0 | c | upstream c |
| `lh-a` | not used by these | all of `a` | upstream a |
| (no pass) | - | d | upstream d |
"""

wrong = []


def check(holds, what):
    if not holds:
        wrong.append(what)


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    first = record(trial("lh-b", "breaks"), trial("lh-c", "faster", 0.78))
    second = record(trial("lh-b", "nothing", 1.0),
                    trial("lh-c", "slower", 31.2, 0.98))
    code, error, text = run(folder, PAGE, first, second)
    check(code == 0, error)
    check(TABLE in text, text)
    check("old" not in text and "By hand." in text, "the marks")
    check("| net 0 | m, fast | 740 µs | 2026-11-28 | zen4 | t | 22.1.8 | "
          "`lh-c` |" in text, "the summary:\n" + text)
    check("One of two is enough for net 1: `lh-c`, `lh-d`." in text, "pairs")
    check("| memory | 3.00x: net 0, net 1 |" in text, "topics")
    check("| other | table |" in text, "the other table")
    again = run(folder, text, first, second)
    check(again == (0, "", text), "a second run changes the page:\n" + again[2])
    for records, why in [
            ([record(trial("lh-z", "breaks"))], "the page has no row for lh-z"),
            ([record(interrupted=True)], "it was interrupted; run it again"),
            ([{"schema": 1}], "not a record of 'lh-run gaps --json'")]:
        code, error, left = run(folder, PAGE, *records)
        check(code == 1 and error.endswith(why), f"{code}: {error}")
        check(left == PAGE, "a failure changed the page")
    code, error, _ = run(folder, "# Gaps\n", first)
    check(code == 1 and "lacks the marks" in error, f"{code}: {error}")

print("\n".join(wrong) or "gaps-table.py writes what it is to write")
sys.exit(1 if wrong else 0)
