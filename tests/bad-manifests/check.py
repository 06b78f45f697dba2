#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check.py LH_RUN: each bad manifest gives one error, of the kind and at the
place that its first line expects; warnings count with --strict only."""
import collections
import pathlib
import re
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
EXPECTED = re.compile(r"# (expect|expect-ir): (\S+) (\d+:\d+)(?: in (\S+))?")
SEEN = re.compile(r"^(\S+?):(\d+:\d+): (?:error|warning): .*\[([a-z0-9-]+)\]$",
                  re.M)


def check(lh_run, path):
    """What is wrong with lh-run's answer; empty if nothing."""
    _, kind, place, other = EXPECTED.match(path.read_text()).groups()
    done = subprocess.run([lh_run, "check", "--strict", path.name],
                          cwd=FOLDER, capture_output=True, text=True)
    expected = [(other or path.name, place, kind)]
    if done.returncode == 2 and SEEN.findall(done.stderr) == expected:
        return ""
    return (f"{path.name}: expected {expected}, exit code 2; got exit code "
            f"{done.returncode}\n{done.stdout}{done.stderr}")


def main():
    files = sorted(FOLDER.glob("*.yaml"))
    kinds = collections.Counter(
        EXPECTED.match(path.read_text()).group(2) for path in files)
    wrong = [text for path in files if (text := check(sys.argv[1], path))]
    wrong += [f"kind '{kind}' is used {count} times, more than 3"
              for kind, count in kinds.items() if count > 3]
    if len(files) < 40:
        wrong.append(f"only {len(files)} bad manifests")
    print("\n".join(wrong) or f"{len(files)} files of {len(kinds)} kinds")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
