# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What mutation.py and device.py share: their options, the folder they work
in, and how they end."""
import argparse
import contextlib
import pathlib
import sys
import tempfile

ENOUGH = 0.95


def option_parser(doc, mutants, seed):
    result = argparse.ArgumentParser(description=doc.split("\n")[0])
    result.add_argument("lh_run")
    result.add_argument("plugin")
    result.add_argument("--mutants", type=int, default=mutants)
    result.add_argument("--seed", type=int, default=seed)
    result.add_argument("--keep", help="a folder for manifests and outputs")
    return result


@contextlib.contextmanager
def working_folder(options):
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(options.keep or scratch)
        folder.mkdir(parents=True, exist_ok=True)
        yield folder


def require_enough(found, mutants, asked):
    if mutants < asked:
        sys.exit(f"FAILED: {mutants} mutants, {asked} were asked for")
    if found < ENOUGH * mutants:
        sys.exit(f"FAILED: {found} of {mutants} found")
