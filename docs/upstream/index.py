#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""README.md of this folder, from the headers of the reproducers.

index.py [--check]

Each file begins with lines "Kind:", "Fault:", "Expected:", "Ours:", "Change:"
and "Upstream:". What a fault costs is said in a line "Costs:", or else it is what
the ledger (../upstream-gaps.md) measured without the passes that "Ours:" names.
"""
import pathlib
import re
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
FIELDS = ("Kind", "Fault", "Expected", "Ours", "Change", "Upstream")
LEDGER = FOLDER.parent / "upstream-gaps.md"
UNKNOWN = ("not used by these", "never left out", "-")
KINDS = {
    "wrong code": "Wrong code: the tool succeeds, and what it made is wrong.",
    "crash": "Crashes.",
    "refusal": "Refusals: what could be done isn't.",
    "slow code": "Slow code: upstream has no better way to it.",
    "slow compilation": "Slow compilation.",
}
SEEN = "22.1.8"

TOP = f"""# What LLVM 22 lacks, reproduced

Each file here shows one fault or gap of upstream MLIR or LLVM, seen in {SEEN} (Debian's release build, without assertions), by upstream's own tools and without a plugin of ours. The passes and schedules of this project that work round it are in [upstream-gaps.md](../upstream-gaps.md). This page is made from the files' headers: `docs/upstream/index.py`.

**To run one**, copy the command behind `RUN:` in its first lines, with the file's name in place of `%s`:
```
mlir-opt docs/upstream/unroll-short-loop.mlir -transform-interpreter
```
`ctest --test-dir build -R upstream` runs all, in half a minute, and `lit -a build/tests/upstream --filter NAME` prints the commands of one in full.

**The checks assert what {SEEN} does, faults included.** A test that fails with a later LLVM says that upstream changed: see whether the fault is mended, and if so retire what works round it here.

**What one costs** is what [the ledger](../upstream-gaps.md) measured without the pass that works round it: how many times as long a call takes, and the share of FLOPs in nodes at less than half of their speed. A pass may work round more than one fault, so the figure is of all of them.

**To report one upstream:** look whether the table names a report; if not, try the file with the newest `mlir-opt`, search https://github.com/llvm/llvm-project/issues for the pass and the op, then file an issue with the module, the command, what came out, what you expected, and the version that `mlir-opt --version` prints. The section below the table sketches a change, with the file and the function in upstream's tree. File and function names are of LLVM 22 or near it, and no sketch was tried.
"""


class Reproducer:
    def __init__(self, path):
        self.name = path.stem
        self.file = path.name
        comment = ";" if path.suffix == ".ll" else "//"
        self.fields = {}
        for line in path.read_text().splitlines():
            found = re.match(rf"{comment} (\w+): (.*)", line)
            if not found or found[1] not in (*FIELDS, "Costs"):
                break
            self.fields[found[1]] = found[2]
        missing = [field for field in FIELDS if field not in self.fields]
        if missing or self.fields["Kind"] not in KINDS:
            sys.exit(f"{path.name}: header lacks {missing or 'a known kind'}")

    def first_sentence(self):
        return re.split(r"(?<=[a-z0-9`)])[.:] ", self.fields["Fault"])[0]


def cell(text):
    return text.replace("|", "\\|")


def ledger():
    """What each pass and transform op of ours was found to be worth."""
    rows = re.findall(r"^\| `([\w.-]+)` \| ([^|]+) \|", LEDGER.read_text(), re.M)
    return {name: worth for name, worth in rows if worth not in UNKNOWN}


def cost(reproducer, worths):
    said = reproducer.fields.get("Costs")
    if said:
        return said
    names = re.findall(r"`([\w.-]+)`", reproducer.fields["Ours"])
    return ". ".join(f"Without `{name}`: {worths[name]}"
                     for name in names if name in worths)


def page(reproducers, worths):
    lines = [TOP]
    for kind, says in KINDS.items():
        lines += [f"## {says.split(':')[0].rstrip('.')}", ""]
        if ":" in says:
            lines += [says.split(": ")[1].capitalize(), ""]
        lines += ["| file | what happens | what it costs | worked round by | upstream |",
                  "| --- | --- | --- | --- | --- |"]
        ours = [r for r in reproducers if r.fields["Kind"] == kind]
        for r in ours:
            lines.append(
                f"| [{r.name}]({r.file}) | {cell(r.first_sentence())}"
                f" | {cell(cost(r, worths)) or 'not measured'} | {cell(r.fields['Ours'])}"
                f" | {cell(r.fields['Upstream'])} |")
        lines.append("")
        for r in ours:
            lines += [f"### {r.name}", "", r.fields["Fault"], "",
                      f"*Expected:* {r.fields['Expected']}", "",
                      f"*A change upstream:* {r.fields['Change']}", ""]
    return "\n".join(lines).rstrip() + "\n"


def main():
    reproducers = [Reproducer(path) for path in sorted(FOLDER.iterdir())
                   if path.suffix in (".mlir", ".ll", ".test")]
    text = page(reproducers, ledger())
    readme = FOLDER / "README.md"
    if "--check" not in sys.argv:
        readme.write_text(text)
        return 0
    if readme.exists() and readme.read_text() == text:
        print(f"README.md lists {len(reproducers)} reproducers")
        return 0
    print("docs/upstream/README.md isn't what its files' headers say:"
          " run docs/upstream/index.py")
    return 1


if __name__ == "__main__":
    sys.exit(main())
