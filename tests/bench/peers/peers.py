#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures lh-run's code beside OpenBLAS, oneDNN, libxsmm and ONNX Runtime.

    peers.py BUILD_DIR [--only NAME]... [--rounds N] [--threads 1|2]

    peers.py build --only matmul-1024          one work (a part of its name)
    peers.py build --only matmul-512 --rounds 3 --ours     without the peers
    peers.py build --shape 300x1024x77 --shape 64x64x64:bf16    any M x N x K
    peers.py build --set tile_m=8 --pipeline optimized     other code of ours
    peers.py build --json figures.json         all samples, for later
    peers.py build --list                      the works' names

It lowers each payload with `lh-run run --until` by a pipeline of
manifests/onnx-to-cpu.yaml, so a changed schedule is measured without building
anything. Every library runs in a process of its own (two OpenMP runtimes don't
go together), which is stopped while another one is measured. What gives wrong
numbers is called WRONG, is not timed, and makes the exit code 1.

In each round every candidate runs once, for SECONDS, with a peak probe right
before and right after; a sample whose two probes differ by more than 5 % is
dropped and counted. A time is the median of the samples left, "of peak" that
of each sample's speed to the mean of its two probes. A ratio is the median
over the rounds of library time / lh-run's time: above 1 lh-run is ahead. It is
that of the fastest library which gets its operands packed no more than ours:
plain, or with the second one prepacked; "blocked" has both. One thread's times are CPU
times, pinned to one core; two threads' are by the clock, so samples in which
other work took a core away are dropped too: they need a quiet machine.

The libraries are Debian's libopenblas-dev, libdnnl-dev and libxsmm-dev; what
is missing is left out. ONNX Runtime comes from npm: `npm install --prefix DIR
--ignore-scripts onnxruntime-node`, then --ort DIR.
"""
import argparse
import contextlib
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

import code_of_ours
import table
import works
import workers

ROOT = pathlib.Path(__file__).resolve().parents[3]
PEERS = ["lighthouse", "openblas", "onednn", "libxsmm", "onnxruntime"]
# A sample is dropped when its probes differ by more than this share of their
# mean, or, on two threads, when other work took its cores away more often.
DROP, PREEMPTED = 0.05, 1


def base_parser(doc, rounds=9):
    """The options of everything that measures works."""
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--only", action="append", metavar="NAME")
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--seconds", type=float, default=0.02)
    parser.set_defaults(shape=None, ours=False, pipeline="optimized", set=[],
                        manifest=ROOT / "manifests" / "onnx-to-cpu.yaml",
                        target=workers.best_target())
    return parser


def parse_arguments():
    parser = base_parser(__doc__)
    parser.add_argument("--shape", action="append", metavar="MxNxK[:TYPE]",
                        type=works.shape_recipe)
    parser.add_argument("--threads", type=int, choices=(1, 2), default=1)
    parser.add_argument("--ours", action="store_true")
    parser.add_argument("--manifest", type=pathlib.Path)
    parser.add_argument("--pipeline")
    parser.add_argument("--target")
    parser.add_argument("--set", action="append", metavar="NAME=VALUE")
    parser.add_argument("--ort", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--list", action="store_true")
    return parser.parse_args()


def chosen(options):
    if options.shape:
        return options.shape
    recipes = [recipe for recipe in works.recipes()
               if options.threads in recipe.threads and
               (not options.only or
                any(part in recipe.name for part in options.only))]
    if not recipes:
        sys.exit(f"no work is called {options.only}; --list names them")
    return recipes


def build_workers(build):
    """Configures again, so that libraries installed since are found."""
    for words in (["cmake", "-S", ROOT, "-B", build, "-DBUILD_TESTING=ON"],
                  ["cmake", "--build", build, "--target", "lh-run",
                   "bench-peers"]):
        done = subprocess.run(words, text=True, capture_output=True,
                              check=False)
        if done.returncode:
            sys.exit(done.stdout + done.stderr)


def start_workers(stack, work, words, options, folder):
    """One worker for each payload of ours and for each library, and what is
    wrong with those that there can't be."""
    common = [work.kind, *words, f"threads={options.threads}",
              f"peak={work.peak}", f"limit={work.limit}"]
    common += [f"{key}={value}" for key, value in work.options.items()]
    started, complaints = [], []

    def start(peer, *own):
        started.append(stack.enter_context(workers.Worker(
            options.build, peer, options.threads, [*common, *own])))

    for payload in work.payloads:
        try:
            module = code_of_ours.lower(payload, options, folder)
        except code_of_ours.Refused as refused:
            complaints.append(str(refused))
            continue
        start("lighthouse", f"label={payload.label}", f"module={module}",
              f"target={ROOT}/targets/{options.target}.yaml")
    for peer in [] if options.ours else PEERS[1:]:
        own = workers.options_of(peer, options)
        if own is not None and workers.program(options.build, peer).exists():
            start(peer, *own)
    return started, complaints


def sample_rounds(candidates, options):
    """`rounds` rounds; up to as many again while clean samples are few."""
    for done in range(2 * options.rounds):
        if done >= options.rounds and all(
                len(clean(each)) > options.rounds // 2 for each in candidates):
            break
        for candidate in candidates:
            candidate.samples.append(candidate.time(options.seconds))


def is_clean(sample, threads):
    before, after = sample.before, sample.after
    # One thread's CPU time goes on when it runs again; a clock doesn't stop.
    alone = threads == 1 or sample.preempted <= PREEMPTED
    return alone and abs(before - after) <= DROP * (before + after) / 2


def clean(candidate):
    return [sample for sample in candidate.samples
            if is_clean(sample, candidate.worker.threads)]


def summary(work, candidate):
    good = clean(candidate) or candidate.samples
    seconds = [sample.seconds for sample in good]
    return {
        "name": candidate.name, "packing": candidate.packing,
        "ours": candidate.name.startswith("lh-run"),
        "median": statistics.median(seconds), "least": min(seconds),
        "speed": work.done / statistics.median(seconds),
        "of_peak": statistics.median(
            work.done / sample.seconds * 2 / (sample.before + sample.after)
            for sample in good),
        "peak": statistics.median((sample.before + sample.after) / 2
                                  for sample in good),
        "clean": len(clean(candidate)), "rounds": len(candidate.samples),
        "error": candidate.error}


def ratio(ours, library):
    """Median over the rounds in which both are clean, and how many these are;
    over all if there are none."""
    pairs = list(zip(ours.samples, library.samples))
    good = [pair for pair in pairs
            if all(is_clean(each, ours.worker.threads) for each in pair)]
    return statistics.median(
        b.seconds / a.seconds for a, b in good or pairs), len(good)


def best_ratio(ours, candidates):
    """Against the fastest library that needs no more packing done beforehand:
    (ratio, clean rounds, its name)."""
    packings = {"plain": ["plain"], "prepacked": ["plain", "prepacked"]}
    ratios = [(*ratio(ours, other), other.name) for other in candidates
              if not other.name.startswith("lh-run")
              and other.packing in packings[ours.packing]]
    return min(ratios, default=None)


def figures_of(work, candidates, threads, complaints):
    ours = [each for each in candidates if each.name.startswith("lh-run")]
    return {
        "work": work.name, "peak": work.peak, "done": work.done,
        "threads": threads, "complaints": complaints,
        "candidates": [summary(work, each) for each in candidates],
        "ratios": {each.name: best_ratio(each, candidates) for each in ours},
        "samples": {each.name: each.samples for each in candidates}}


def measure(recipe, options):
    with tempfile.TemporaryDirectory() as folder, \
            contextlib.ExitStack() as stack:
        folder = pathlib.Path(folder)
        work = recipe.make(folder)
        words = list(works.save(folder, work))
        started, complaints = start_workers(stack, work, words, options,
                                            folder)
        candidates = [candidate for worker in started
                      for candidate in worker.candidates if candidate.right]
        try:
            sample_rounds(candidates, options)
            for candidate in candidates:
                candidate.check_again(work.limit)
        except workers.Died as died:
            complaints.append(str(died))
            candidates = []
        for worker in started:
            complaints += worker.complaints
        return figures_of(work, candidates, options.threads, complaints)


def main():
    options = parse_arguments()
    if options.list:
        print("\n".join(recipe.name for recipe in works.recipes()))
        return 0
    build_workers(options.build)
    print(workers.describe_machine(options.threads))
    for peer in PEERS:
        if not workers.program(options.build, peer).exists():
            print(f"{peer} isn't installed: left out")
    print(table.HEADER, flush=True)
    everything = []
    for recipe in chosen(options):
        everything.append(measure(recipe, options))
        print(table.rows(everything[-1]), flush=True)
    print(table.ratios(everything))
    if options.json:
        options.json.write_text(json.dumps(everything, indent=1))
    return 1 if any(each["complaints"] for each in everything) else 0


if __name__ == "__main__":
    sys.exit(main())
