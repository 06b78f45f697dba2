#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes golden/onnx-ops from the references in op_cases/. What it writes is
committed; nothing but its test needs it to run.

Usage: make-op-cases.py [--check] [FAMILY...]

--check: writes to a scratch folder instead, and compares that with what is
committed: all files must be there, equal but for the rounding of references
that other versions of libraries compute.
"""
import argparse
import importlib
import pathlib
import sys
import tempfile

SKIPPED = 77
HERE = pathlib.Path(__file__).resolve().parent

try:
    import onnx
    from op_cases import case
except ImportError as error:
    print(f"skipped: {error} (packages python3-numpy and python3-onnx)")
    sys.exit(SKIPPED)


def families():
    """The modules that write cases; the others help them."""
    names = sorted(path.stem for path in (HERE / "op_cases").glob("*.py")
                   if path.stem != "__init__")
    modules = {name: importlib.import_module(f"op_cases.{name}")
               for name in names}
    return {name: module for name, module in modules.items()
            if hasattr(module, "write_cases")}


def files_in(folder):
    return {path.relative_to(folder): path
            for path in folder.rglob("*") if path.is_file()}


def differences(made, committed, all_are_made):
    """What is wrong with the folder `committed`, in lines."""
    mine, theirs = files_in(made), files_in(committed)
    for name in sorted(mine.keys() - theirs.keys()):
        yield f"{name}: not committed"
    for name in sorted(theirs.keys() - mine.keys()) if all_are_made else ():
        yield f"{name}: no family writes it"
    for name in sorted(mine.keys() & theirs.keys()):
        reason = case.difference(mine[name], theirs[name])
        if reason:
            yield f"{name}: {reason}"


def check(modules, all_are_made):
    with tempfile.TemporaryDirectory() as scratch:
        committed, case.FOLDER = case.FOLDER, pathlib.Path(scratch)
        for module in modules:
            module.write_cases()
        wrong = list(differences(case.FOLDER, committed, all_are_made))
        count = len(files_in(case.FOLDER))
    print("\n".join(wrong[:50]))
    print(f"{count} files by {len(modules)} families with onnx "
          f"{onnx.__version__}, {len(wrong)} differ from those committed")
    return 1 if wrong or not count else 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("families", nargs="*", metavar="FAMILY")
    options = parser.parse_args()
    known = families()
    modules = [known[name] for name in options.families or known]
    if options.check:
        return check(modules, all_are_made=not options.families)
    for module in modules:
        module.write_cases()
    return 0


sys.exit(main())
