#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""No process and no file is left by a run, whatever ends a step or the run:
faults of passes, tools and code, timeouts, signals. What SIGKILL leaves in the
temporary folder the next run takes away.

Usage: leftovers.py LH_RUN FAULT_PLUGIN
"""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import uuid

from support import ROOT, require

INPUTS = ROOT / "tests" / "lit" / "Inputs"
TAG = "LH_LEFTOVERS_TEST"
# Long enough to be noticed; a number by which it is found.
SLEEP = "sleep 98.7654"
# So that a test that hangs ends: nothing here takes a hundredth of it.
PATIENCE = 120

MANIFEST = """lighthouse: 1
name: job
targets: [host]
bubbles:
  import: {{ingress: mlir, model: {model}}}
  fault: {fault}
  bufferize: {{use: lib:common/bufferize}}
  lower: {{use: lib:cpu/lower-to-llvm}}
  run: {{execute: main}}
edges: [import -> fault -> bufferize -> lower -> run]
verify: {{against: [oracle]}}
"""
SOUND = "{passes: cse}"


def tool(script):
    """A bubble that runs the script, which is on one line without quotes."""
    return f'{{command: [sh, -c, "{script}"]}}'


def fault(kind):
    return f'{{passes: "lh-test-fault{{kind={kind}}}"}}'


# By name: the bubble, the model, and flags. None of them ends the run early.
FAULTS = {
    "nothing": (SOUND, "matmul", ()),
    **{kind: (fault(kind), "matmul", ())
       for kind in ("crash", "abort", "fatal", "exit", "fail", "fork",
                    "daemon")},
    "hang": (fault("hang"), "matmul", ("--step-timeout", "1")),
    "memory": (fault("memory"), "matmul", ("--memory-limit", "512")),
    "code crashes": (SOUND, "null", ()),
    "code hangs": (SOUND, "endless", ("--step-timeout", "1")),
    "tool fails": (tool(f"mktemp; {SLEEP} & exit 3"), "matmul", ()),
    "tool passes": (tool(f"mktemp > /dev/null; {SLEEP} & cat"), "matmul", ()),
    "tool's daemon": (tool(f"setsid {SLEEP} & cat"), "matmul", ()),
    "tool hangs": (tool(f"mktemp -d; setsid {SLEEP} & {SLEEP}"), "matmul",
                   ("--step-timeout", "1")),
    "tool is killed": (tool(f"{SLEEP} & kill -KILL $$"), "matmul", ()),
}
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT,
           signal.SIGPIPE, signal.SIGXFSZ]


class Job:
    def __init__(self, lh_run, plugin, folder):
        self.lh_run, self.plugin = lh_run, plugin
        self.folder = pathlib.Path(folder)
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()
        self.tag = str(uuid.uuid4())

    def write(self, bubble, model="matmul"):
        manifest = self.folder / "job.yaml"
        manifest.write_text(MANIFEST.format(
            fault=bubble, model=INPUTS / f"{model}.mlir"))
        return manifest

    def start(self, manifest, *flags, **variables):
        environment = {**os.environ, **variables, TAG: self.tag, "LIGHTHOUSE_CACHE": "off",
                       "TMPDIR": str(self.temporary)}
        return subprocess.Popen(
            [self.lh_run, "run", manifest, "--plugin", self.plugin,
             "--allow-exec", "--no-failures", *flags], env=environment,
            cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL, text=True)

    def processes(self):
        """Command lines of what carries this test's tag, by number."""
        found = {}
        wanted = f"{TAG}={self.tag}".encode()
        for path in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if wanted in (path / "environ").read_bytes().split(b"\0"):
                    words = (path / "cmdline").read_bytes().split(b"\0")
                    found[int(path.name)] = b" ".join(words).decode().strip()
            except OSError:  # it has ended, or is another user's
                pass
        return found

    def files(self):
        return sorted(str(path.relative_to(self.folder))
                      for path in self.folder.rglob("*"))

    def wait_for(self, process, what, condition):
        """Until it is so; not longer than anything here takes."""
        end = time.monotonic() + PATIENCE
        while not condition():
            require(process is None or process.poll() is None,
                    f"{what}: the run has ended before")
            require(time.monotonic() < end, f"{what}: never seen")
            time.sleep(0.01)

    def check(self, what, text, before):
        left = self.processes()
        for number in left:
            os.kill(number, signal.SIGKILL)
        require(not left, f"{what}: left processes {left}\n{text}")
        require(self.files() == before,
                f"{what}: left files {set(self.files()) - set(before)}\n{text}")


def check_faults(job):
    """Steps that fail in every way, in a run that goes to its end."""
    for what, (bubble, model, flags) in FAULTS.items():
        manifest = job.write(bubble, model)
        before = job.files()
        process = job.start(manifest, *flags)
        # What is left holds the pipe: to read it to its end would wait.
        try:
            text, _ = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            text = "somebody still has its standard output"
        job.check(what, text, before)
        require(process.returncode in (0, 1),
                f"{what}: exit code {process.returncode}\n{text}")
        print(f"{what}: {process.returncode}")


def registered():
    """What OpenMP's runtime has left in /dev/shm of processes that ended."""
    found = pathlib.Path("/dev/shm").glob("__KMP_REGISTERED_LIB_*")
    return {path for path in found
            if not pathlib.Path("/proc", path.name.split("_")[-2]).exists()}


def check_threads(job):
    """It registers each process there that shares loops between threads."""
    before, files = registered(), job.files()
    for flags in ((), ("--in-process",)):
        process = job.start(
            ROOT / "manifests" / "matmul-to-cpu.yaml", "--threads", "2",
            "--pipeline", "optimized", "--case", "odd", *flags)
        text, _ = process.communicate(timeout=PATIENCE)
        require(process.returncode in (0, 77), f"threads: it failed\n{text}")
        require(registered() <= before,
                f"threads: left {registered() - before}")
        job.check("threads", text, files)
        print(f"threads {flags}: {process.returncode}")


def sleepers(job):
    return [line for line in job.processes().values() if line == SLEEP]


def check_signals(job):
    """Signals while a tool works that has children of its own."""
    for number in SIGNALS:
        manifest = job.write(tool(f"mktemp; setsid {SLEEP} & {SLEEP}"))
        before = job.files()
        process = job.start(manifest)
        job.wait_for(process, number.name, lambda: len(sleepers(job)) == 2)
        process.send_signal(number)
        text, _ = process.communicate(timeout=PATIENCE)
        job.check(number.name, text, before)
        require("interrupted" in text, f"{number.name}: no report\n{text}")
        print(f"{number.name}: {process.returncode}")


def check_signals_before(job):
    """Signals while plugins are loaded, when nothing runs yet."""
    manifest = job.write(SOUND)
    before = job.files()
    for number in SIGNALS:
        process = job.start(manifest, LH_TEST_LOADS_SLOWLY="yes")
        job.wait_for(process, number.name,
                     lambda: any(job.temporary.iterdir()))
        process.send_signal(number)
        text, _ = process.communicate(timeout=PATIENCE)
        job.check(f"{number.name} before the run", text, before)
        require(process.returncode == -number,
                f"{number.name}: exit code {process.returncode}")
    print("signals before the run")


def check_killed(job):
    """After SIGKILL no process is left, and the next run clears up; it takes
    nothing from a run that goes on."""
    manifest = job.write(tool(f"mktemp; {SLEEP}"))
    before = job.files()
    first, second = job.start(manifest), job.start(manifest)
    job.wait_for(first, "tools", lambda: len(sleepers(job)) == 2)
    first.kill()
    first.communicate(timeout=PATIENCE)
    job.wait_for(None, "the end of the tools",
                 lambda: len(sleepers(job)) == 1)
    require(second.poll() is None, "the other run has ended")
    # Each holds what its tool has made.
    scratch = {path: list(path.glob("tmp.*"))
               for path in job.temporary.iterdir()}
    require(len(scratch) == 2, f"there are the folders {scratch}")
    (job.folder / "other.yaml").write_text(
        MANIFEST.format(fault=SOUND, model=INPUTS / "matmul.mlir"))
    third = job.start(job.folder / "other.yaml")
    text, _ = third.communicate(timeout=PATIENCE)
    require(third.returncode == 0, f"the next run failed:\n{text}")
    left = list(job.temporary.iterdir())
    require(len(left) == 1, f"left {left} of {scratch}")
    require(list(left[0].glob("tmp.*")) == scratch[left[0]] != [],
            "files of a run were taken that goes on")
    second.send_signal(signal.SIGINT)
    text, _ = second.communicate(timeout=PATIENCE)
    (job.folder / "other.yaml").unlink()
    job.check("SIGKILL", text, before)


def main():
    with tempfile.TemporaryDirectory() as folder:
        job = Job(sys.argv[1], sys.argv[2], folder)
        for check in (check_faults, check_threads, check_signals,
                      check_signals_before, check_killed):
            check(job)


main()
