#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the browser tests: run.py LH_RUN OUTPUT_DIR [TEST.mjs ...]

The tests and the one package that they need are put into OUTPUT_DIR, where
screenshots land too. Exits 77, with the reason, where node, npm, Chromium or
the package are not to be had.
"""
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def chromium():
    for name in ("chromium", "chromium-browser", "google-chrome"):
        found = shutil.which(name)
        if found:
            return found
    return skip("there is no Chromium (package chromium)")


def install(folder):
    """The package as the lock file has it, unless it is there already."""
    lock = (HERE / "package-lock.json").read_text()
    stamp = folder / "node_modules" / ".installed"
    if stamp.exists() and stamp.read_text() == lock:
        return
    done = subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit",
                           "--no-fund"], cwd=folder, text=True,
                          capture_output=True)
    if done.returncode != 0:
        skip("npm could not install playwright-core:\n" + done.stderr[-1500:])
    stamp.write_text(lock)


def main():
    lh_run, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    for tool in ("node", "npm"):
        if not shutil.which(tool):
            skip(f"there is no {tool} (packages nodejs and npm)")
    browser = chromium()
    folder.mkdir(parents=True, exist_ok=True)
    for pattern in ("package*.json", "*.mjs"):
        for path in HERE.glob(pattern):
            shutil.copy(path, folder)
    install(folder)
    tests = sys.argv[3:] or sorted(p.name for p in HERE.glob("*.test.mjs"))
    environment = dict(os.environ, LH_RUN=lh_run, LH_CHROMIUM=browser,
                       LH_ROOT=str(HERE.parents[1]), LH_PYTHON=sys.executable)
    return subprocess.run(["node", "--test", *tests], cwd=folder,
                          env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
