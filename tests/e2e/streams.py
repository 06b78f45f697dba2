#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""streams.py LH_RUN PLUGIN: exit code 0 means that everything was written.
Every command of `lh-run --help` is run with a full device as standard output,
so that a new one is asked for here. And commands work without standard
streams."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
INPUTS = ROOT / "tests" / "lit" / "Inputs"
MATMUL = INPUTS / "matmul.yaml"
MODULE = INPUTS / "matmul.mlir"
ONE = [MATMUL, "--pipeline", "plain", "--case", "one"]
RECORD = "record/report.json"
PLUGIN = "PLUGIN"
ENVIRONMENT = {"LIGHTHOUSE_CACHE": "off", "NO_COLOR": "1",
               "PATH": os.environ["PATH"]}

# Words with which a command says something on standard output, where a manifest
# and a selection of one result aren't.
WORDS = {
    "run": [[*ONE], [*ONE, "--dry-run"],
            [*ONE, "--until", "clean", "-o", "-"],
            [*ONE, "--until", "clean", "--in-process"]],
    "watch": [[*ONE, "--runs", "1"]],
    "bench": [[*ONE, "--time-limit", "0"]],
    "test": [["lib:common/generalize"]],
    "record": [[INPUTS / "record.yaml", "--case", "drawn", "--out", "new"]],
    "check": [[MATMUL]],
    "list": [[MATMUL], ["--space", MATMUL]],
    "graph": [[MATMUL, "--format", "dot", "-o", "-"]],
    "apply": [["canonicalize", MODULE]],
    "schema": [[]],
    "ops": [["Relu"]],
    "doctor": [[]],
    "help": [[], ["run"]],
    "targets": [["host"]],
    "compare": [["x.npy", "x.npy"],
                [MATMUL, "--pipelines", "plain,fused", "--case", "one"]],
    "report": [[RECORD, "-o", "/dev/stdout"]],
    "completion": [["bash"]],
    "ci": [[MATMUL], [MATMUL, "--format", "github"]],
    "work": [["jobs"]],
    "merge": [["--expect", "jobs/plan.json", "jobs/results"]],
    "coverage": [[MATMUL, "--runs", RECORD]],
    "bisect": [["faulty.yaml", "--pipeline", "faulty", "--set",
                "kind=fail", "--plugin", PLUGIN]],
    "reduce": [["failures/faulty", "--allow-exec"]],
    "contract": [["--on", MODULE]],
    "infer": [["lib:common/generalize"]],
    "init": [["-o", "-"]],
    "plan": [["--from", "linalg", "--to", "memref"]],
}

FAULTY = """\
lighthouse: 1
name: faulty
params: {kind: {type: string, default: none, doc: how the pass fails}}
targets: [host]
bubbles:
  import: {ingress: mlir, model: MODULE}
  clean: {passes: canonicalize}
  fault: {passes: "lh-test-fault{kind=${params.kind}}"}
edges: [import -> clean -> fault]
pipelines: {faulty: {path: [import, clean, fault]}}
"""


class Streams:
    def __init__(self, lh_run, plugin, folder):
        self.lh_run, self.plugin, self.folder = lh_run, plugin, folder
        self.wrong = []

    def call(self, *words, redirections="> said"):
        """The exit code, and what was said on standard error."""
        words = [str(word) for word in (self.lh_run, *words)]
        done = subprocess.run(
            ["sh", "-c", f'"$@" {redirections}', "sh", *words],
            cwd=self.folder, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True, timeout=300,
            env=ENVIRONMENT)
        return done.returncode, done.stderr

    def prepare(self):
        """What some commands read."""
        (self.folder / "faulty.yaml").write_text(
            FAULTY.replace("MODULE", str(MODULE)))
        (self.folder / "x.npy").write_bytes(
            (ROOT / "golden/digits-cnn/labels.npy").read_bytes())
        for words in (
                [*ONE, "--json", RECORD, "--snapshots", "record/modules"],
                ["faulty.yaml", "--plugin", self.plugin, "--set", "kind=fail",
                 "--failures", "failures"]):
            self.call("run", *words)
        self.call("ci", MATMUL, "--pipeline", "plain", "--case", "one",
                  "--format", "local", "-o", "jobs", "--program", self.lh_run)
        (failure,) = (self.folder / "failures").iterdir()
        failure.rename(self.folder / "failures" / "faulty")

    def check_full(self, *words):
        code, said = self.call(*words, redirections="> /dev/full")
        if code != 1 or "[support-cannot-write]" not in said:
            self.wrong.append(f"{words} > /dev/full: exit code {code}\n{said}")

    def check_commands(self):
        help_text = subprocess.run([self.lh_run, "--help"], text=True,
                                   capture_output=True).stdout
        commands = re.findall(r"^  ([a-z]+) ", help_text, re.M)
        if not set(commands) >= set(WORDS):
            self.wrong.append("WORDS and `lh-run --help` disagree on the "
                              f"commands: {set(WORDS) - set(commands)}")
        self.check_full("--help")
        self.check_full("--version")
        for command in commands:
            self.check_full(command, "--help")
            for words in WORDS.get(command, [ONE]):
                self.check_full(command, *(self.plugin if word == PLUGIN
                                           else word for word in words))

    def check_error_stream(self):
        """A warning that nobody can read."""
        code, _ = self.call("list", "none.yaml", redirections="2> /dev/full")
        if code == 0:
            self.wrong.append("an error was lost, and the exit code is 0")
        code, _ = self.call("run", *ONE, redirections="> said 2> /dev/full")
        if code != 1:
            self.wrong.append(f"progress was lost: exit code {code}")

    def check_closed(self):
        """Nothing that is opened is taken for a stream that is closed."""
        for redirections in ("<&- >&- 2>&-", ">&-", "<&-", "2>&-"):
            report = self.folder / "closed.json"
            report.unlink(missing_ok=True)
            code, said = self.call("run", *ONE, "--json", report,
                                   redirections=redirections)
            reasons = {result["reason"] for result
                       in json.loads(report.read_text())["results"]
                       if result["status"] != "passed"}
            if code != 0 or any("ended early" in why for why in reasons):
                self.wrong.append(f"{redirections}: exit code {code}\n"
                                  f"{said}{reasons}")


def main():
    lh_run, plugin = map(os.path.abspath, sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        streams = Streams(lh_run, plugin, pathlib.Path(folder))
        streams.prepare()
        streams.check_commands()
        streams.check_error_stream()
        streams.check_closed()
    print("\n".join(streams.wrong))
    return 1 if streams.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
