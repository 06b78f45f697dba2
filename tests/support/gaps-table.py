#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes what gaps are worth into the tables of docs/upstream-gaps.md.

gaps-table.py [--page FILE] NAME=RECORD.json ...: records are of
`lh-run gaps --json`, names are what the page calls the models. The tables of
passes and operations get a column "worth" and are sorted by it; their other
columns, which people write, stay. Between the page's marks stands where, when
and on what that was measured, and what topics and pairs are worth.
"""
import argparse
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BEGIN, END = "<!-- gaps-table.py -->", "<!-- /gaps-table.py -->"
RANKS = ["breaks", "wrong", "slower", "nothing", "faster", "unknown"]
UNTRIED = "not used by these"
NEVER = {"transform.lh.if": "never left out"}
HEADS = ("pass", "operation")


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--page", type=pathlib.Path,
                        default=ROOT / "docs" / "upstream-gaps.md")
    parser.add_argument("records", nargs="+", metavar="NAME=RECORD.json")
    return parser.parse_args()


def read_records(arguments):
    records = {}
    for argument in arguments:
        name, equals, file = argument.partition("=")
        if not equals:
            sys.exit(f"{argument}: expected NAME=RECORD.json")
        record = json.loads(pathlib.Path(file).read_text())
        if record.get("schema") != 1 or "gaps" not in record:
            sys.exit(f"{file}: not a record of 'lh-run gaps --json'")
        if record["interrupted"]:
            sys.exit(f"{file}: it was interrupted; run it again")
        records[name] = record
    return records


def digits(times):
    return f"{times:.2f}" if times < 10 else f"{times:.1f}" \
        if times < 100 else f"{times:.0f}"


def seconds_text(seconds):
    for unit, factor in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 1:
            return f"{digits(seconds * factor)} {unit}"
    return f"{digits(seconds * 1e9)} ns"


def outcome(trial):
    """What one trial came to, without its model: equal ones are told once."""
    worth = trial["worth"]
    if worth not in ("slower", "faster"):
        return {"unknown": "runs"}.get(worth, worth)
    text = f"{digits(trial['slowdown']['times'])}x"
    if worth == "slower" and (trial["lost_work"] or 0) >= 0.005:
        text += f", {100 * trial['lost_work']:.0f} % of the work"
    return text


def trials_of(gap, records, kind="gaps"):
    """(model, trial) of those that use the gap, the worthiest first."""
    found = [(model, trial) for model, record in records.items()
             for trial in record[kind] if trial["name"] == gap]
    return sorted(found, key=lambda each: worth_of(each[1]))


def worth_of(trial):
    times = trial["slowdown"]["times"] if trial["slowdown"] else 0
    return RANKS.index(trial["worth"]), -times


def cell_of(found):
    if not found:
        return UNTRIED
    models = {}
    for model, trial in found:
        models.setdefault(outcome(trial), []).append(model)
    return "; ".join(f"{text}: {', '.join(names)}"
                     for text, names in models.items())


def sort_key(found):
    """The worst trial, then how many are as bad."""
    if not found:
        return len(RANKS), 0, 0
    rank, times = worth_of(found[0][1])
    alike = sum(worth_of(trial)[0] == rank for _, trial in found)
    return rank, -alike if rank < 2 else 0, times


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split(" | ")]


def line_of(row):
    return "| " + " | ".join(row) + " |"


def with_worth(table, records):
    """The lines of one table, its column of worth new, its rows sorted."""
    header = cells(table[0])
    had = header[1] == "worth"
    rows = []
    for line in table[2:]:
        row = cells(line)
        name = re.match(r"`([^`]+)`", row[0])
        found = trials_of(name[1], records) if name else []
        rest = row[2:] if had else row[1:]
        if len(rest) != len(header) - (2 if had else 1):
            sys.exit(f"{row[0]}: {len(rest)} cells where the table has "
                     f"{len(header)} columns")
        worth = NEVER.get(name[1], cell_of(found)) if name else "-"
        rows.append((sort_key(found), [row[0], worth] + rest))
    rows.sort(key=lambda each: each[0])
    head = [header[0], "worth"] + header[2 if had else 1:]
    return [line_of(head), "|" + "---|" * len(head)] + \
        [line_of(row) for _, row in rows]


def summary(records):
    """What stands between the marks."""
    lines = ["Worth is what happens without a gap: times are those of a call "
             "to the full pipeline's, work is the share of FLOPs in nodes that "
             "run at less than half of their speed. By `lh-run gaps`:", "",
             "| model | pipeline | a call | date | CPU, as LLVM names it | "
             "target | LLVM | not missed together |", "|" + "---|" * 8]
    for model, record in records.items():
        call = seconds_text(record["seconds"]) if record["seconds"] else "-"
        free = ", ".join(f"`{name}`" for name in
                         record["redundancy"]["removable"]) or "none"
        lines.append(line_of([
            model, f"{record['manifest']}, {record['pipeline']}", call,
            record["started_at"][:10], record["cpu"], record["target"],
            record["llvm"], free]))
    pairs = [f"- One of two is enough for {model}: `{pair['one']}`, "
             f"`{pair['other']}`." for model, record in records.items()
             for pair in record["redundancy"]["pairs"]]
    topics = sorted({trial["name"] for record in records.values()
                     for trial in record["topics"]},
                    key=lambda name: sort_key(trials_of(name, records,
                                                        "topics")))
    lines += [""] + pairs + ([""] if pairs else [])
    lines += ["| topic, all of it left out | worth |", "|---|---|"]
    lines += [line_of([name, cell_of(trials_of(name, records, "topics"))])
              for name in topics]
    return lines


def rewritten(text, records):
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit(f"the page lacks the marks {BEGIN} and {END}")
    text = before + "\n".join([BEGIN, *summary(records), END]) + after
    lines, done, at = text.split("\n"), [], 0
    known = set()
    while at < len(lines):
        if not lines[at].startswith("| ") or \
                cells(lines[at])[0] not in HEADS:
            done.append(lines[at])
            at += 1
            continue
        end = at
        while end < len(lines) and lines[end].startswith("|"):
            end += 1
        known |= {cells(line)[0].strip("`") for line in lines[at:end]}
        done += with_worth(lines[at:end], records)
        at = end
    lacking = {trial["name"] for record in records.values()
               for trial in record["gaps"]} - known
    if lacking:
        sys.exit(f"the page has no row for {', '.join(sorted(lacking))}")
    return "\n".join(done)


if __name__ == "__main__":
    arguments = parse_arguments()
    page = arguments.page
    page.write_text(rewritten(page.read_text(),
                              read_records(arguments.records)))
