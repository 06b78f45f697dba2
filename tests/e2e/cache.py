"""The cache never changes what a run reports: killed at any moment, cut, full,
or used by several runs at once."""
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

from support import ROOT, require, run_with_report

KILLS = 200
SIZES = range(1, 7)

MANIFEST = """lighthouse: 1
name: job
targets: [host]
params: {size: {type: int, default: 2}}
bubbles:
  import: {ingress: mlir, model: "${case.model}"}
  clean: {passes: "canonicalize,cse"}
  tile: {schedule: tile.mlir, entry: tile, with: {size: "${params.size}"}}
  bufferize: {use: "lib:common/bufferize"}
  lower: {use: "lib:cpu/lower-to-llvm"}
  run: {execute: main}
edges:
  - import -> clean -> tile -> bufferize -> lower -> run
cases:
  one: {generate: {model: matmul.mlir, seed: 1, sets: [drawn], draws: 1}}
verify: {against: [oracle]}
"""

SCHEDULE = """module attributes {transform.with_named_sequence} {
  transform.named_sequence @tile(
      %root: !transform.any_op {transform.readonly},
      %size: !transform.param<i64> {transform.readonly, lh.name = "size"}) {
    %matmul = transform.structured.match ops{["linalg.matmul"]} in %root
      : (!transform.any_op) -> !transform.any_op
    %tiled, %loops = transform.structured.tile_using_for %matmul
      tile_sizes [%size] : (!transform.any_op, !transform.param<i64>)
      -> (!transform.any_op, !transform.any_op)
    %none = transform.structured.match ops{["linalg.matvec"]} in %root
      : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
"""

# What differs between two runs of the same work.
OF_ONE_RUN = {"begin", "seconds", "peak_bytes", "worker", "cache", "path",
              "started_at"}


def essence(value):
    """A report without what differs from run to run."""
    if isinstance(value, dict):
        return {name: essence(inner) for name, inner in value.items()
                if name not in OF_ONE_RUN}
    if isinstance(value, list):
        return [essence(inner) for inner in value]
    return value


def known(report):
    return sum("cache" in step for step in report["steps"])


class Job:
    def __init__(self, lh_run, folder):
        self.lh_run = lh_run
        self.folder = pathlib.Path(folder)
        self.cache = self.folder / "cache"
        self.manifest = self.folder / "job.yaml"
        self.manifest.write_text(MANIFEST)
        (self.folder / "tile.mlir").write_text(SCHEDULE)
        payload = ROOT / "tests" / "lit" / "Inputs" / "matmul.mlir"
        (self.folder / "matmul.mlir").write_text(payload.read_text())

    def words(self, size):
        return [str(self.manifest), "--set", f"size={size}",
                "--cache", str(self.cache)]

    def report(self, size, *words):
        code, text, report = run_with_report(self.lh_run, *self.words(size),
                                             *words)
        require(code == 0, f"exit code {code}\n{text}")
        return text, report

    def uncached(self, size):
        code, text, report = run_with_report(
            self.lh_run, self.manifest, "--set", f"size={size}", "--no-cache")
        require(code == 0, f"exit code {code}\n{text}")
        require(known(report) == 0, "--no-cache took steps from a cache")
        return essence(report)

    def entries(self):
        return sorted(path for path in self.cache.glob("1/*/*")
                      if path.is_file())

    def start(self, size):
        return subprocess.Popen(
            [self.lh_run, *self.words(size)], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True)


def check_same(job, expected, what):
    for size in SIZES:
        text, report = job.report(size)
        require(essence(report) == expected[size],
                f"{what}: another report for size {size}")
        require("exec-cache" not in text, f"{what}:\n{text}")


def check_killed(job, expected):
    """After SIGKILL at any moment, what is found is right."""
    begin = time.monotonic()
    job.report(1)
    whole = time.monotonic() - begin
    rng = random.Random(1)
    killed = 0
    for attempt in range(KILLS):
        # Most runs should have something left to do when they are killed.
        if attempt % 5 == 0:
            for entry in job.entries():
                if rng.random() < 0.5:
                    entry.unlink()
        process = job.start(rng.choice(SIZES))
        try:
            process.wait(rng.uniform(0, whole))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            killed += 1
        if attempt % 40 == 39:
            check_same(job, expected, f"after {killed} kills")
    require(killed > KILLS / 2, f"only {killed} of {KILLS} runs were killed")
    print(f"{killed} of {KILLS} runs killed")


def check_damage(job, expected):
    """Each entry cut or changed is told of, and made again."""
    rng = random.Random(2)
    job.report(1)
    for entry in job.entries():
        data = bytearray(entry.read_bytes())
        if rng.random() < 0.5:
            del data[rng.randrange(len(data)):]
        else:
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        entry.write_bytes(data)
    text, report = job.report(1)
    require("[exec-cache-damaged]" in text, f"damage was not told:\n{text}")
    require(essence(report) == expected[1], "another report after damage")
    for size in SIZES:
        job.report(size)
    check_same(job, expected, "after damage")


def check_together(job, expected):
    """Several runs that do, keep and drop the same things at once."""
    for entry in job.entries():
        entry.unlink()
    processes = [job.start(size) for size in list(SIZES) * 2]
    for process in processes:
        require(process.wait() == 0, "a run failed beside others")
    check_same(job, expected, "after runs at once")


def check_bound(job, expected):
    """What is kept stays within the bound, and the newest is kept."""
    def size():
        return sum(path.stat().st_size for path in job.entries())
    # As if nobody had looked for long.
    (job.cache / "1" / "bytes").unlink(missing_ok=True)
    require(size() > 1 << 20 or job.entries(), "nothing is kept")
    filler = job.cache / "1" / "ff" / "filler"
    filler.parent.mkdir(exist_ok=True)
    filler.write_bytes(bytes(2 << 20))
    os.utime(filler, (1, 1))
    job.report(99, "--cache-size", "1")
    require(size() <= 1 << 20, f"{size()} bytes are kept")
    require(not filler.exists(), "the oldest entry is still there")
    _, report = job.report(99, "--cache-size", "1")
    require(known(report) > 0, "the newest entries are gone")


def main():
    with tempfile.TemporaryDirectory() as folder:
        job = Job(sys.argv[1], folder)
        expected = {size: job.uncached(size) for size in SIZES}
        _, first = job.report(1)
        require(known(first) == 0, "a new cache knew something")
        _, second = job.report(1)
        require(known(second) == len(second["steps"]) - 3,
                f"{known(second)} of {len(second['steps'])} steps were known")
        require(essence(first) == essence(second) == expected[1],
                "the cache changed a report")
        for check in (check_killed, check_damage, check_together, check_bound):
            begin = time.monotonic()
            check(job, expected)
            print(f"{check.__name__}: {time.monotonic() - begin:.1f} s")


main()
