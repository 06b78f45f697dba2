#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Spells linalg's named elementwise ops as LLVM 23 does, which has no others.

    respell.py --to 23 FILE...          rewrites files in place
    respell.py --check MLIR_OPT [DIR]   with this LLVM: all files below DIR that
                                        it reads mean the same respelled

`linalg.add ins(...)` becomes `linalg.elementwise <add> ins(...)`; with LLVM 22
the same is `linalg.elementwise kind=#linalg.elementwise_kind<add>`, by which
the check compares (docs/llvm-versions.md).
"""
import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The kinds of LinalgEnums.td where they are called otherwise than the ops.
KINDS = {"max": "max_signed", "min": "min_signed"}
NAMES = ("abs add ceil div div_unsigned erf exp floor log max min mul negf powf "
         "reciprocal round rsqrt select sqrt square sub tanh").split()
OP = re.compile(r"linalg\.(" + "|".join(NAMES) + r")\b(?!_)")
# What a schedule matches is its own business: lists of names have overlays.
USE = re.compile(OP.pattern + r"\s+ins\(")
QUOTED = re.compile(r'"linalg\.(?:' + "|".join(NAMES) + r')"')
SUFFIXES = {".mlir", ".test"}


def respelled(text, version):
    """The text with other names; in lists of names the new one stands once."""
    def one(found):
        kind = KINDS.get(found[1], found[1])
        if version >= 23:
            return f"linalg.elementwise <{kind}>"
        return f"linalg.elementwise kind=#linalg.elementwise_kind<{kind}>"

    text = QUOTED.sub('"linalg.elementwise"', text)
    text = re.sub(r'("linalg\.elementwise")(?:,\s*\1)+', r"\1", text)
    return OP.sub(one, text)


def spelling_files(folder):
    for path in sorted(folder.rglob("*")):
        if path.suffix in SUFFIXES and path.is_file():
            text = path.read_text(errors="replace")
            if USE.search(text):
                yield path, text


def generic(mlir_opt, text):
    """What the module means, or None where this LLVM alone can't read it: other
    dialects, or a script with modules in it."""
    done = subprocess.run(
        [mlir_opt, "--split-input-file", "--allow-unregistered-dialect",
         "--linalg-generalize-named-ops", "--canonicalize", "-"],
        input=text, text=True, capture_output=True)
    return done.stdout if done.returncode == 0 else None


def check(mlir_opt, folder):
    compared = 0
    for path, text in spelling_files(folder):
        # Comments are texts for FileCheck, not the module's.
        before = generic(mlir_opt, text)
        if before is None:
            continue
        after = generic(mlir_opt, respelled(text, 22))
        if after != before:
            sys.exit(f"FAILED: {path} means something else, respelled")
        if OP.search(respelled(text, 23)):
            sys.exit(f"FAILED: {path} has a name left")
        compared += 1
    return compared


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--to", type=int, metavar="VERSION")
    parser.add_argument("--check", metavar="MLIR_OPT")
    parser.add_argument("paths", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    if options.check:
        folders = options.paths or [ROOT / "schedules", ROOT / "tests"]
        compared = sum(check(options.check, folder) for folder in folders)
        print(f"{compared} files mean the same, respelled")
        if compared == 0:
            sys.exit("FAILED: nothing was compared")
        return
    if not options.to or not options.paths:
        parser.error("--to VERSION FILE..., or --check MLIR_OPT")
    for path in options.paths:
        path.write_text(respelled(path.read_text(), options.to))


if __name__ == "__main__":
    main()
