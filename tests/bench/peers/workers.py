# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The processes that run the candidates, and the machine they run on."""
import collections
import contextlib
import os
import pathlib
import re
import signal
import subprocess

Sample = collections.namedtuple("Sample", "seconds before after preempted")
FLAGS = ["avx2", "fma", "avx512f", "avx512_vnni", "avx512_bf16", "avx512_fp16",
         "amx_tile"]


def cpu_facts():
    """The first processor's lines of /proc/cpuinfo."""
    first = pathlib.Path("/proc/cpuinfo").read_text().split("\n\n")[0]
    return {key.strip(): value.strip() for key, _, value in
            (line.partition(":") for line in first.splitlines())}


def best_target():
    flags = cpu_facts().get("flags", "").split()
    if "avx512f" not in flags:
        return "x86-avx2"
    if "avx512_vnni" not in flags:
        return "x86-avx512"
    if "amx_tile" in flags:
        return "x86-amx"
    fast_bf16 = {"avx512_bf16", "sse4a"}
    return "x86-zen4" if fast_bf16 <= set(flags) else "x86-avx512-vnni"


def caches():
    folder = pathlib.Path("/sys/devices/system/cpu/cpu0/cache")
    for index in sorted(folder.glob("index*")):
        kind = (index / "type").read_text().strip()
        if kind != "Instruction":
            yield (f"L{(index / 'level').read_text().strip()} "
                   f"{(index / 'size').read_text().strip()}")


def describe_machine(threads):
    facts = cpu_facts()
    flags = facts.get("flags", "").split()
    has = " ".join(flag for flag in FLAGS if flag in flags)
    return "\n".join([
        f"{facts.get('model name')}, family {facts.get('cpu family')} model "
        f"{facts.get('model')}, {len(os.sched_getaffinity(0))} CPUs, {has}",
        f"caches: {', '.join(caches())}; load {os.getloadavg()[0]:.1f}; "
        f"{threads} thread{'s' if threads > 1 else ''}", ""])


def program(build, peer):
    return pathlib.Path(build) / "bench" / f"peer-{peer}"


def options_of(peer, options):
    """Words of this peer alone; None when it can't run."""
    if peer != "onnxruntime":
        return []
    if not options.ort:
        return None
    machine = {"x86_64": "x64", "aarch64": "arm64"}[os.uname().machine]
    found = sorted(options.ort.glob(
        f"**/linux/{machine}/libonnxruntime.so*"))
    return [f"library={found[0]}"] if found else None


def environment(threads):
    """The caller's, but for what would tune one library and not another."""
    tuning = ("OPENBLAS_", "OMP_", "GOMP_", "KMP_", "DNNL_", "ONEDNN_",
              "LIBXSMM_")
    known = {name: value for name, value in os.environ.items()
             if not name.startswith(tuning)}
    if "avx512f" in cpu_facts().get("flags", "").split():
        # A release older than the CPU may take kernels for a much older one.
        known["OPENBLAS_CORETYPE"] = "SkylakeX"
    known["OMP_NUM_THREADS"] = str(threads)
    return known


class Died(Exception):
    """A worker that doesn't answer any more."""


class Candidate:
    """One line of the table, run by its worker."""

    def __init__(self, worker, index, right, name, error):
        self.worker, self.index = worker, index
        self.right, self.name, self.error = right, name, error
        self.samples = []

    @property
    def packing(self):
        for word in ("prepacked", "blocked"):
            if "-" + word in self.name:
                return word
        return "plain"

    def time(self, seconds):
        words = self.worker.ask(f"time {self.index} {seconds}")
        return Sample(*map(float, words))

    def check_again(self, limit):
        """What was timed must still be right."""
        (self.error,) = map(float, self.worker.ask(f"check {self.index}"))
        if not self.error <= limit:
            self.worker.complaints.append(
                f"WRONG after it was timed: {self.name}, error {self.error}")


class Worker:
    """A library's process; stopped but while it answers."""

    def __init__(self, build, peer, threads, words):
        def pin():
            if threads == 1:
                os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
        self.peer, self.threads = peer, threads
        self.candidates, self.complaints = [], []
        self.process = subprocess.Popen(
            [program(build, peer), *words], text=True, env=environment(threads),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, preexec_fn=pin)
        self.read_candidates()
        self.stop()

    def read_candidates(self):
        for line in self.process.stdout:
            word, _, rest = line.strip().partition(" ")
            if word == "ready":
                return
            if word in ("candidate", "wrong"):
                name, error = rest.split()
                self.candidates.append(Candidate(
                    self, len(self.candidates), word == "candidate", name,
                    float(error)))
                if word == "wrong":
                    self.complaints.append(f"WRONG: {name}, error {error}")
            elif word == "unusable":
                self.complaints.append(f"{self.peer}: {rest}")
                return
        if not self.complaints:
            self.complaints.append(f"{self.peer} died while it started")

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGSTOP)

    def ask(self, question):
        """The numbers of the answer."""
        answer = ""
        with contextlib.suppress(BrokenPipeError):
            self.process.send_signal(signal.SIGCONT)
            self.process.stdin.write(question + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        self.stop()
        if not re.match(r"(sample|error) ", answer):
            raise Died(f"{self.peer} answers '{answer.strip()}' to "
                       f"'{question}'")
        return answer.split()[1:]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        with contextlib.suppress(BrokenPipeError):
            self.process.communicate()
