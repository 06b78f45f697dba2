#!/usr/bin/env python3
"""Measures lh-run against its stated figures and prints ratios.

Usage: bench.py BUILD_DIR [--rounds N] [--only NAME]
Commands that are compared run alternately in each round, so that both meet
the same noise; the ratio is that of the medians. Nothing here is a test.
"""
import argparse
import json
import os
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SUPPORT = ROOT / "tests" / "support"


def run_once(words, **options):
    """Runs a command; its wall time in seconds. A failure ends the benchmark."""
    start = time.perf_counter()
    done = subprocess.run(words, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, **options)
    seconds = time.perf_counter() - start
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}\n{done.stdout}{done.stderr}")
    return seconds


def medians(rounds, *actions):
    """Median time of each action, run in turn `rounds` times after a warm-up."""
    for action in actions:
        action()
    times = [[action() for action in actions] for _ in range(rounds)]
    return [statistics.median(column) for column in zip(*times)]


def report_of(lh_run, manifest, *flags):
    """lh-run's JSON report of one run."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "report.json")
        run_once([lh_run, "run", manifest, "--json", path, *flags])
        with open(path) as file:
            return json.load(file)


def step_figure(report, bubble, figure):
    """One figure of a step, by its bubble's name."""
    return next(step[figure] for step in report["steps"]
                if step["bubble"] == bubble)


def bench_check(context):
    """`check` of the main manifest, start of the process included."""
    lh_run, rounds, _ = context
    manifest = ROOT / "manifests" / "onnx-to-cpu.yaml"
    (seconds,) = medians(rounds, lambda: run_once([lh_run, "check", manifest]))
    yield "check manifests/onnx-to-cpu.yaml", seconds * 1e3, "ms", "< 100"


IMPORT_MANIFEST = """
lighthouse: 1
name: import-only
targets: [host]
params: {{model: {{type: path, default: {model}}}}}
bubbles: {{import: {{ingress: onnx, model: "${{params.model}}"}},
           keep: {{emit: mlir, path: /dev/null}}}}
edges: [import -> keep]
"""


def bench_import(context):
    """A 500 MB model against one of a few kilobytes."""
    lh_run, rounds, folder = context
    made = {}
    for name, flags in (("inline", []), ("external", ["--external"]),
                        ("empty", ["--layers", "1", "--size", "8"])):
        target = folder / name
        subprocess.run([sys.executable, SUPPORT / "make-big-model.py", target,
                        *flags], check=True, stdout=subprocess.DEVNULL)
        path = folder / f"{name}.yaml"
        path.write_text(IMPORT_MANIFEST.format(model=target / "model.onnx"))
        made[name] = path
    for name in ("inline", "external"):
        seconds, memory = [], []
        for _ in range(rounds):
            big = report_of(lh_run, made[name])
            empty = report_of(lh_run, made["empty"])
            seconds.append(step_figure(big, "import", "seconds"))
            memory.append(step_figure(big, "import", "peak_bytes")
                          - step_figure(empty, "import", "peak_bytes"))
        yield (f"import of 520 MB, weights {name}",
               statistics.median(seconds), "s", "< 0.3")
        yield (f"memory above an empty run, weights {name}",
               statistics.median(memory) / 1e6, "MB", "< 100")


MATMUL = """
func.func @main(%a: tensor<127x513xf32>, %b: tensor<513x259xf32>)
    -> tensor<127x259xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<127x259xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<127x259xf32>)
    -> tensor<127x259xf32>
  %c = linalg.matmul
    ins(%a, %b : tensor<127x513xf32>, tensor<513x259xf32>)
    outs(%fill : tensor<127x259xf32>) -> tensor<127x259xf32>
  return %c : tensor<127x259xf32>
}
"""
LOWERING = ["linalg-generalize-named-ops,canonicalize,cse",
            "one-shot-bufferize{bufferize-function-boundaries "
            "function-boundary-type-conversion=identity-layout-map}",
            "buffer-deallocation-pipeline,convert-bufferization-to-memref",
            "convert-linalg-to-loops,canonicalize,cse",
            "convert-scf-to-cf,expand-strided-metadata,lower-affine,"
            "finalize-memref-to-llvm,convert-arith-to-llvm,"
            "convert-func-to-llvm,convert-cf-to-llvm,"
            "reconcile-unrealized-casts"]


def bench_passes(context):
    """The same passes: lh-run apply against one mlir-opt process."""
    lh_run, rounds, folder = context
    payload = folder / "payload.mlir"
    payload.write_text(MATMUL)
    passes = ",".join(LOWERING)
    ours, theirs = medians(
        max(rounds, 15),
        lambda: run_once([lh_run, "apply", passes, payload]),
        lambda: run_once(["mlir-opt-22",
                          f"--pass-pipeline=builtin.module({passes})",
                          payload]))
    yield "apply / one mlir-opt, same passes", ours / theirs, "x", "<= 1.05"
