# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
MOST_ATTEMPTS = 4 * KILLS
SIZES = range(1, 7)
# What an entry begins with; then come the bytes of what it says of itself, the
# bytes it holds, and a hash of each.
MAGIC = b"lighthouse cache entry 3\n"

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
        return sorted(path for path in self.cache.glob("3/*/*")
                      if path.is_file())

    def names(self):
        """All files of the cache, also those that are being written."""
        return {os.path.join(folder, name)
                for folder, _, names in os.walk(self.cache)
                for name in names}

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
    """After SIGKILL at any point of a run's progress, what is found is right.
    Progress is the number of files that it has made, whole or in part."""
    rng = random.Random(1)
    killed = 0
    for attempt in range(MOST_ATTEMPTS):
        # Most runs should have something left to do when they are killed.
        if attempt % 5 == 0:
            for entry in job.entries():
                if rng.random() < 0.5:
                    entry.unlink()
        before = job.names()
        point = rng.randrange(6)
        process = job.start(rng.choice(SIZES))
        while process.poll() is None and len(job.names() - before) < point:
            time.sleep(0)
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            process.wait()
            killed += 1
        if attempt % 40 == 39:
            check_same(job, expected, f"after {killed} kills")
        if killed == KILLS:
            break
    require(killed == KILLS, f"only {killed} of {attempt + 1} runs were "
            "killed: the others ended before they had made that many files")
    check_same(job, expected, f"after {killed} kills")
    print(f"{killed} of {attempt + 1} runs killed")


def damage(data, rng):
    """Cut anywhere, or with a changed bit where a look-up reads: before what
    the entry holds, but for the hash of that."""
    about = int.from_bytes(data[len(MAGIC):][:8], "little")
    if rng.random() < 0.5:
        del data[rng.randrange(len(data)):]
        return
    hash_of_content = range(len(MAGIC) + 48, len(MAGIC) + 80)
    place = rng.choice([i for i in range(len(MAGIC) + 80 + about)
                        if i not in hash_of_content])
    data[place] ^= 1 << rng.randrange(8)


def check_damage(job, expected):
    """Each entry cut or changed is told of, by its bubble, and made again."""
    rng = random.Random(2)
    for entry in job.entries():
        entry.unlink()
    job.report(1)
    entries = job.entries()
    for entry in entries:
        data = bytearray(entry.read_bytes())
        require(data.startswith(MAGIC), f"{entry} begins otherwise")
        damage(data, rng)
        entry.write_bytes(data)
    text, report = job.report(1)
    told = text.count("[exec-cache-damaged]")
    require(told == len(entries),
            f"{len(entries)} entries are damaged, {told} are told of:\n{text}")
    require(essence(report) == expected[1], "another report after damage")
    require(job.entries() == entries, "not all were made again")
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
    (job.cache / "3" / "bytes").unlink(missing_ok=True)
    require(size() > 1 << 20 or job.entries(), "nothing is kept")
    filler = job.cache / "3" / "ff" / "filler"
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
