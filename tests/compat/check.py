#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check.py LH_RUN: what users had written at commit a0c9215b still works.

The manifests and targets in this folder are those that shipped then, as a user
would have copied them, and a strategy of one's own with its bubble, its test,
its target and its payload. They stay as they are: where a later version must
refuse something, docs/CHANGELOG.md says so and the file changes with it."""
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
# What runs here in a second or two; the others are checked without running.
RUN = ("own-strategy", "onnx-to-cpu")


def complaint(lh_run, *words):
    """What lh-run printed when it refused; empty when it didn't."""
    done = subprocess.run([lh_run, *words], cwd=FOLDER, capture_output=True,
                          text=True, check=False)
    if done.returncode == 0:
        return ""
    return (f"lh-run {' '.join(words)}: exit code {done.returncode}\n"
            f"{done.stdout}{done.stderr}")


def main():
    lh_run = sys.argv[1]
    manifests = sorted(path.name for path in FOLDER.glob("*.yaml"))
    if len(manifests) < 8:
        sys.exit(f"only {len(manifests)} manifests")
    attempts = [("check", "--strict", name) for name in manifests]
    attempts += [("run", f"{name}.yaml") for name in RUN]
    attempts += [("test", "bubbles/tile-rows.yaml")]
    wrong = [text for words in attempts if (text := complaint(lh_run, *words))]
    print("\n".join(wrong) or f"{len(attempts)} commands work as they did")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
