# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the checks of generated jobs share."""
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MANIFESTS = sorted(ROOT.glob("manifests/*.yaml"))


def require(condition, message):
    if not condition:
        sys.exit(f"FAILED: {message}")


class LhRun:
    """One lh-run; every call is checked for the exit code that is expected."""

    def __init__(self, path):
        self.path = str(pathlib.Path(path).resolve())

    def run(self, *words, cwd=None, code=0):
        done = subprocess.run([self.path, *map(str, words)], cwd=cwd,
                              capture_output=True, text=True, timeout=600,
                              env={**os.environ, "NO_COLOR": "1",
                               "LIGHTHOUSE_CACHE": "off"})
        require(done.returncode == code,
                f"lh-run {' '.join(map(str, words))} ended with "
                f"{done.returncode}, not {code}:\n{done.stdout}{done.stderr}")
        return done

    def ci(self, form, *words, cwd=None):
        return self.run("ci", "--format", form, *words, cwd=cwd).stdout

    def jobs(self, *words, cwd=None):
        return json.loads(self.ci("json", *words, cwd=cwd))["jobs"]
