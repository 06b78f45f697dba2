#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks lh-run's kernels on a GPU and measures them beside cuBLAS.

    gpu_bench.py BUILD_DIR            a build tree with lh-run and the workers
    gpu_bench.py lh-gpu.tar.xz        what pack.py made of one: nothing else of
                                      the project is needed there
    gpu_bench.py WHERE --device sim   checks alone, on small sizes, simulated

Needs a driver, CUDA's libcublas and Python with numpy; no network. Options:

    --only TEXT     works whose name has it ("f16", "4096x4096"); may be repeated
    --rounds N      measured turns of each (default 9)
    --minutes M     begin no work after so long (default 9)
    --seed S        of the numbers; drawn afresh without
    --cublas FILE   libcublas where the loader doesn't find it
    --json FILE     all samples

Correct first: each kernel's result is compared with one computed in f64; what
is WRONG isn't measured, and makes the exit code 1. Then ours and the library
take turns, in processes of their own, each turn as many calls as fill 20 ms
and one wait for the device; a time is the median of the turns, and a ratio the
median over the rounds of the library's time by ours. Softmax and layer
normalization are compared with a copy on the device of as many bytes. What is
measured last is checked again. The card's clocks are left as they are.
"""
import argparse
import contextlib
import ctypes
import datetime
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "peers")]
# pylint: disable=wrong-import-position
try:
    import numpy
    import gpu_works
except ImportError as missing:
    sys.exit(f"gpu_bench.py needs Python's {missing.name}")
import workers

SECONDS_PER_TURN = 0.02


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("where", type=pathlib.Path)
    parser.add_argument("--device", choices=("real", "sim"), default="real")
    parser.add_argument("--only", action="append", default=[], metavar="TEXT")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--minutes", type=float, default=9)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--cublas", default="libcublas.so")
    parser.add_argument("--json", type=pathlib.Path)
    return parser.parse_args()


# What lh-run is here.

class Place:
    """The programs, and the folders with manifests and targets."""

    def __init__(self, folder):
        bundled = folder / "bin" / "lh-run"
        self.build = folder
        self.lh_run = bundled if bundled.exists() else folder / "lh-run"
        self.library = (folder / "share" / "lighthouse" if bundled.exists()
                        else HERE.parents[2])
        if bundled.exists():
            use_libraries_of(folder)


def runs(program):
    done = subprocess.run([program, "--version"], capture_output=True,
                          text=True, check=False)
    return "" if done.returncode == 0 else done.stderr.strip()


def use_libraries_of(folder):
    """The bundle's libraries come first; the compiler's own run-time library
    only where this machine's is older than it must be."""
    paths = [str(folder / "lib")]
    problem = ""
    for extra in ([], [str(folder / "lib" / "gcc")]):
        os.environ["LD_LIBRARY_PATH"] = os.pathsep.join(
            extra + paths + os.environ.get("LD_LIBRARY_PATH", "").split(":"))
        problem = runs(folder / "bin" / "lh-run")
        if not problem:
            return
    sys.exit(f"lh-run doesn't start here:\n{problem}")


def unpack(archive, stack):
    folder = pathlib.Path(stack.enter_context(
        tempfile.TemporaryDirectory(prefix="lh-gpu-")))
    with tarfile.open(archive) as tar:
        tar.extractall(folder)
    return folder / "lh-gpu"


def find_cublas(name):
    """Where the loader or a toolkit has it."""
    roots = [os.environ.get(each) for each in ("CUDA_HOME", "CUDA_PATH")]
    roots += ["/usr/local/cuda"]
    candidates = [name] + [
        os.path.join(root, "lib64", name) for root in roots if root]
    for candidate in candidates:
        with contextlib.suppress(OSError):
            ctypes.CDLL(candidate)
            return candidate
    return name


# The card.

def query(fields):
    """nvidia-smi's answer; None without it."""
    smi = shutil.which("nvidia-smi")
    if not smi:
        return None
    done = subprocess.run([smi, f"--query-gpu={fields}", "--format=csv,noheader"],
                          capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def find_card():
    """Its name by the driver; exits where there is none."""
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError as problem:
        sys.exit(f"nothing is done: there is no NVIDIA driver: {problem}")
    count, name = ctypes.c_int(), ctypes.create_string_buffer(256)
    for error in (cuda.cuInit(0), cuda.cuDeviceGetCount(ctypes.byref(count))):
        if error:
            sys.exit(f"nothing is done: NVIDIA's driver says error {error}")
    if not count.value:
        sys.exit("nothing is done: NVIDIA's driver has no GPU")
    cuda.cuDeviceGetName(name, 256, 0)
    return name.value.decode()


def describe_card():
    known = query("driver_version,memory.total,power.limit")
    return f"{find_card()}, {known or 'nvidia-smi tells nothing of it'}"


def clocks():
    return query("clocks.sm,clocks.mem,temperature.gpu,power.draw")


# One work.

class Refused(Exception):
    """What can't be lowered or started, with the reason."""


def manifest_for(work, place, model):
    """The shipped manifest with this payload as its only case."""
    folder = place.library / "manifests"
    text = (folder / f"{work.manifest}.yaml").read_text()
    text = text.replace("../schedules", str(place.library / "schedules"))
    text = text[:text.index("\ncases:")]
    return f"{text}\ncases:\n  work: {{generate: {{model: {model}, seed: 1}}}}\n"


def lower(work, target, place, folder):
    """The module that the backend compiles."""
    ending, payload = work.payload
    model = folder / f"payload{ending}"
    model.write_bytes(payload)
    manifest = folder / "work.yaml"
    manifest.write_text(manifest_for(work, place, model))
    module = folder / f"{target}.mlir"
    last = "budget" if work.manifest == "matmul-to-gpu" else "nvvm"
    done = subprocess.run(
        [place.lh_run, "run", manifest, "--target", target, "--pipeline",
         work.pipeline, "--until", last, "-o", module], text=True,
        capture_output=True, check=False)
    if done.returncode or not module.exists():
        raise Refused(f"lh-run can't lower it:\n{done.stdout}{done.stderr}")
    return module


def start(stack, place, peer, kind, words):
    worker = stack.enter_context(
        workers.Worker(place.build, peer, 0, [kind, *words]))
    if worker.complaints and not worker.candidates:
        raise Refused("; ".join(worker.complaints))
    return worker.candidates[0]


def start_library(work, options, stack, place, inputs, words, folder):
    if work.library == "matmul":
        return start(stack, place, "cublas", "matmul",
                     [*words, *inputs, f"cublas={options.cublas}",
                      *work.options])
    x = work.inputs[0]
    copied = gpu_works.Tensor("y", x.type, x.values.astype(numpy.float64), None)
    common = [word for word in words if not word.startswith("out=")]
    return start(stack, place, "cublas", "copy",
                 [*common, inputs[0],
                  *gpu_works.save(folder, [copied], "out")])


def measure(work, target, ours, library, options):
    """Turns for both, one after the other; the figures."""
    pairs = []
    for _ in range(options.rounds):
        pairs.append((ours.time(SECONDS_PER_TURN).seconds,
                      library.time(SECONDS_PER_TURN).seconds))
    for candidate in (ours, library):
        candidate.check_again(work.limit)
    mine, theirs = (statistics.median(column) for column in zip(*pairs))
    return {"seconds": mine, "library_seconds": theirs,
            "ratio": statistics.median(b / a for a, b in pairs),
            "mark": work.marks.get(target), "samples": pairs}


def judge(work, target, place, options, folder):
    """Checks, and on a real device measures, one work on one target."""
    figures = {"work": work.name, "target": target, "done": work.done,
               "unit": work.unit, "library": work.library, "limit": work.limit}
    words = ["threads=0", "peak=none", f"limit={work.limit}"]
    inputs = list(gpu_works.save(folder, work.inputs, "in"))
    words += gpu_works.save(folder, [work.output], "out")
    with contextlib.ExitStack() as stack:
        try:
            module = lower(work, target, place, folder)
            ours = start(
                stack, place, "lighthouse", "matmul",
                [*words, *inputs, "label=lh-run", f"module={module}",
                 f"target={place.library}/targets/{target}.yaml",
                 f"device={options.device}"])
            figures["error"] = ours.error
            figures["wrong"] = list(ours.worker.complaints)
            if options.device == "sim" or figures["wrong"]:
                return figures
            library = start_library(work, options, stack, place, inputs,
                                    words, folder)
            figures["library_error"] = library.error
            figures.update(measure(work, target, ours, library, options))
            figures["wrong"] = ours.worker.complaints
            figures["library_wrong"] = library.worker.complaints
        except (Refused, workers.Died) as refused:
            figures["not_done"] = str(refused)
    return figures


# The table.

def speed(figures, seconds):
    scale = 1e12 if figures["unit"] == "TFLOP/s" else 1e9
    return f"{figures['done'] / seconds / scale:.4g} {figures['unit']}"


def mark_text(figures):
    if not figures.get("mark"):
        return "no mark"
    reached = figures["ratio"] >= figures["mark"]
    return f"{'reached' if reached else 'MISSED'} ({figures['mark']:.0%})"


def line(figures):
    start_of = f"{figures['work']:22} {figures['target']:10}"
    if "not_done" in figures:
        return f"{start_of} NOT DONE: {figures['not_done']}"
    text = (f"{start_of} error {figures['error']:.1e} of {figures['limit']:.1e} "
            f"{'WRONG' if figures['wrong'] else 'right'}")
    if "seconds" not in figures:
        return text
    return (f"{text}  {figures['seconds'] * 1e6:9.1f} us "
            f"{speed(figures, figures['seconds']):>14}  {figures['library']} "
            f"{speed(figures, figures['library_seconds']):>14}  "
            f"{figures['ratio']:.1%} {mark_text(figures)}"
            + ("  (the library's result is off)"
               if figures.get("library_wrong") else ""))


def chosen(options):
    simulated = options.device == "sim"
    every = [recipe for recipe in gpu_works.recipes(simulated)
             if not options.only
             or any(part in recipe[0] for part in options.only)]
    if not every:
        sys.exit(f"no work is called {options.only}")
    return every


def print_head(options, seed):
    print(f"{datetime.datetime.now():%Y-%m-%d %H:%M}, seed {seed}")
    if options.device == "sim":
        print("on a simulated device: checks alone, nothing is timed")
        return
    print(f"card: {describe_card()}")
    print(f"clocks before (sm, memory, temperature, power): {clocks()}")


def run_all(options, place, seed):
    random = numpy.random.default_rng(seed)
    everything, skipped = [], []
    begin = time.monotonic()
    for name, targets, make in chosen(options):
        if time.monotonic() - begin > options.minutes * 60:
            skipped.append(name)
            continue
        work = make(random)
        for target in targets:
            with tempfile.TemporaryDirectory() as folder:
                everything.append(judge(work, target, place, options,
                                        pathlib.Path(folder)))
            print(line(everything[-1]), flush=True)
    return everything, skipped


def summarize(everything, skipped):
    """What is to be known at the end; whether all is well."""
    for name in skipped:
        print(f"NOT DONE, out of time: {name}")
    wrong = [each for each in everything if each.get("wrong")]
    undone = [each for each in everything if "not_done" in each]
    marked = [each for each in everything if each.get("mark")]
    reached = [each for each in marked if each["ratio"] >= each["mark"]]
    right = len(everything) - len(wrong) - len(undone)
    print(f"{right} right, {len(wrong)} WRONG, {len(undone) + len(skipped)} "
          f"not done; {len(reached)} of {len(marked)} marks reached")
    return not wrong and not undone and not skipped


def main():
    options = parse_arguments()
    seed = (int.from_bytes(os.urandom(4), "little") if options.seed is None
            else options.seed)
    options.cublas = find_cublas(options.cublas)
    with contextlib.ExitStack() as stack:
        where = options.where.resolve()
        place = Place(unpack(where, stack) if where.is_file() else where)
        print_head(options, seed)
        everything, skipped = run_all(options, place, seed)
    if options.device == "real":
        print(f"clocks after: {clocks()}")
    if options.json:
        options.json.write_text(json.dumps(everything, indent=1))
    return 0 if summarize(everything, skipped) else 1


if __name__ == "__main__":
    sys.exit(main())
