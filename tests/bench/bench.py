#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures lh-run against its stated figures and prints a table.

    bench.py BUILD_DIR [--rounds N] [--only NAME ...]

Commands that are compared run alternately in each round, so that both meet
the same noise; a ratio is that of their medians. Where another process on the
machine would decide the wall time, CPU time stands beside it: user and system
time of the command and of all that it started. Nothing here is a test.
"""
import argparse
import collections
import itertools
import json
import os
import pathlib
import re
import resource
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import yaml

# What is measured must be done each time.
os.environ["LIGHTHOUSE_CACHE"] = "off"

ROOT = pathlib.Path(__file__).resolve().parents[2]
SUPPORT = ROOT / "tests" / "support"
sys.path.insert(0, str(SUPPORT))
from chains import unfolded  # noqa: E402

MLIR_OPT, MLIR_RUNNER = "mlir-opt-22", "mlir-runner-22"

Context = collections.namedtuple("Context", "lh_run rounds folder")
Cost = collections.namedtuple("Cost", "wall cpu")


# Running and comparing commands.

def cpu_of_children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def cost_of(*commands):
    """What commands cost that run one after another; a failure ends it all."""
    start, cpu = time.perf_counter(), cpu_of_children()
    for words in commands:
        done = subprocess.run(words, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            sys.exit(f"{' '.join(map(str, words))}\n{done.stdout}{done.stderr}")
    return Cost(time.perf_counter() - start, cpu_of_children() - cpu)


def medians(rounds, *actions):
    """Median cost of each action: a warm-up, then `rounds` times in turn."""
    for action in actions:
        action()
    costs = [[action() for action in actions] for _ in range(rounds)]
    return [Cost(*(statistics.median(part) for part in zip(*column)))
            for column in zip(*costs)]


def report_of(lh_run, manifest, *flags):
    """lh-run's JSON report of one run."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "report.json")
        cost_of([lh_run, "run", manifest, "--out", folder, *flags])
        with open(path, encoding="utf-8") as file:
            return json.load(file)


def steps_of(report, bubble):
    return [step for step in report["steps"] if step["bubble"] == bubble]


def run_seconds(report, case, pipeline):
    """Median seconds of one pipeline's timed runs."""
    return next(result["run_seconds"] for result in report["results"]
                if result["key"]["case"] == case
                and result["key"]["pipeline"] == pipeline)


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


# Manifests.

LIBRARY = {name: {"use": f"lib:{area}"} for name, area in (
    ("simplify", "common/simplify"), ("loops", "common/generalize"),
    ("pack", "cpu/pack-contractions"), ("fuse", "cpu/fuse-elementwise"),
    ("tile", "cpu/tile-contractions"), ("bufferize", "common/bufferize"),
    ("vectors", "cpu/lower-vectors"), ("lower", "cpu/lower-to-llvm"))}
OPTIMIZED = ["import", "simplify", "fuse", "pack", "tile", "bufferize",
             "vectors", "lower"]
PLAIN = ["import", "simplify", "loops", "bufferize", "lower"]
BY_ORACLE = {"against": ["oracle"], "atol": 1e-3, "rtol": 1e-3}


def write_manifest(path, bubbles, pipelines, **more):
    """A manifest of these pipelines, with those library bubbles they use."""
    known = {**LIBRARY, **bubbles}
    used = {name for names in pipelines.values() for name in names}
    edges = {edge for names in pipelines.values()
             for edge in zip(names, names[1:])}
    return write(path, json.dumps({
        "lighthouse": 1, "name": path.stem, "targets": ["host"],
        "bubbles": {name: known[name] for name in sorted(used)},
        "edges": [" -> ".join(edge) for edge in sorted(edges)],
        "pipelines": {name: {"path": names}
                      for name, names in pipelines.items()}, **more}))


def random_case(model, seed=0, **shapes):
    return {"generate": {"model": str(model), "seed": seed, "inputs": {
        name: {"shape": list(shape)} for name, shape in shapes.items()}}}


# Start-up.

def bench_check(context):
    """`check` of the main manifest, start of the process included."""
    command = [context.lh_run, "check", ROOT / "manifests" / "onnx-to-cpu.yaml"]
    (cost,) = medians(max(context.rounds, 15), lambda: cost_of(command))
    yield "check manifests/onnx-to-cpu.yaml", cost.wall * 1e3, "ms", "< 100"


def bench_ci(context):
    """`ci` of all shipped manifests, start of the process included."""
    manifests = sorted((ROOT / "manifests").glob("*.yaml"))
    command = [context.lh_run, "ci", "--format", "github", *manifests]
    (cost,) = medians(max(context.rounds, 15), lambda: cost_of(command))
    yield "ci of all shipped manifests, wall", cost.wall * 1e3, "ms", "< 200"
    yield "the same, CPU time", cost.cpu * 1e3, "ms", ""


# The map.

def bench_graph(context):
    """The map of a large pipeline space: 40 manifests, 150 bubbles."""
    cost_of([sys.executable, SUPPORT / "make-pipeline-space.py",
             context.folder])
    manifests = sorted(context.folder.glob("*.yaml"))
    for form in ("html", "svg", "json"):
        command = [context.lh_run, "graph", *manifests, "--format", form,
                   "-o", context.folder / f"map.{form}"]
        (cost,) = medians(context.rounds, lambda: cost_of(command))
        stated = "< 1000" if form == "html" else ""
        yield f"graph, 40 manifests, {form}, wall", cost.wall * 1e3, "ms", stated
        yield f"graph, 40 manifests, {form}, CPU", cost.cpu * 1e3, "ms", ""


# Weights.

def big_model(folder, size, *flags):
    """A chain of products with weights of size x size; its manifest."""
    cost_of([sys.executable, SUPPORT / "make-big-model.py", folder, "--size",
             str(size), *flags])
    bubbles = {"import": {"ingress": "onnx", "model": "${case.model}",
                          "shapes": "case"},
               "fast": {"emit": "object", "path": "fast.o"},
               "slow": {"emit": "object", "path": "slow.o"},
               "run": {"execute": {"entry": "main", "repeat": 0}}}
    return write_manifest(
        folder / "manifest.json", bubbles,
        {"optimized": OPTIMIZED + ["fast"], "plain": PLAIN + ["slow"],
         "optimized-run": OPTIMIZED + ["run"], "plain-run": PLAIN + ["run"]},
        cases={"random": random_case(folder / "model.onnx", x0=(1, size))})


def peak(report, bubbles=None):
    """The most memory that a step's process had had when the step ended."""
    return max(step["peak_bytes"] for step in report["steps"]
               if bubbles is None or step["bubble"] in bubbles)


def bench_import(context):
    """A model with 520 MB of weights against one with 8 kB and as many ops."""
    small = big_model(context.folder / "small", 8)
    for name, flags in (("inline", []), ("external", ["--external"])):
        big = big_model(context.folder / name, 2048, *flags)
        pairs = [[report_of(context.lh_run, manifest, "-j1", "--pipeline",
                            "optimized", "--pipeline", "plain")
                  for manifest in (big, small)]
                 for _ in range(context.rounds)]

        def above_small(bubbles, pairs=pairs):
            return statistics.median(peak(of_big, bubbles) -
                                     peak(of_small, bubbles)
                                     for of_big, of_small in pairs) / 1e6

        yield (f"import of 520 MB, weights {name}",
               statistics.median(steps_of(of_big, "import")[0]["seconds"]
                                 for of_big, _ in pairs) * 1e3, "ms", "< 300")
        yield (f"memory of the import above a small model's, {name}",
               above_small(["import"]), "MB", "< 100")
        yield (f"memory up to the object files above a small model's, {name}",
               above_small(None), "MB", "< 100")
        # Loading reads every weight once: it is said, and has no bound.
        for pipeline in ("optimized", "plain"):
            loaded = [steps_of(report_of(context.lh_run, manifest, "--pipeline",
                                         f"{pipeline}-run"), "run")[0]
                      for manifest in (big, small)]
            yield (f"memory once loaded and prepared, {pipeline}, {name}",
                   (loaded[0]["peak_bytes"] - loaded[1]["peak_bytes"]) / 1e6,
                   "MB", "")


def import_manifest(context, model, name):
    """Only the import, shapes as the model declares."""
    return write_manifest(
        context.folder / f"{name}.json",
        {"import": {"ingress": "onnx", "model": str(model)},
         "pass": {"passes": "cse"}}, {"import": ["import", "pass"]})


UNTIL_IMPORT = ["--until", "import", "-o", os.devnull]


def import_seconds(context, manifest):
    """Median seconds of the import alone."""
    times = [steps_of(report_of(context.lh_run, manifest, *UNTIL_IMPORT),
                      "import")[0]["seconds"]
             for _ in range(context.rounds + 1)]
    return statistics.median(times[1:])  # the first reads the file


def bench_nets(context):
    """Importing whole nets. CPU time is what a run costs above a run of one
    node, so it has the module's printing in it."""
    cost_of([sys.executable, SUPPORT / "make-big-model.py",
             context.folder / "one", "--layers", "1", "--size", "8"])
    one = import_manifest(context, context.folder / "one" / "model.onnx", "one")
    for net in ("resnet50", "bert-base"):
        folder = context.folder / net
        cost_of(["/usr/bin/python3", SUPPORT / "make-nets.py", net, folder])
        manifest = import_manifest(context, folder / "model.onnx", net)
        whole, least = medians(context.rounds, *(
            lambda each=each: cost_of([context.lh_run, "run", each,
                                       *UNTIL_IMPORT])
            for each in (manifest, one)))
        yield (f"import of {net}, wall",
               import_seconds(context, manifest) * 1e3, "ms", "< 50")
        yield (f"import and printing of {net}, CPU time",
               (whole.cpu - least.cpu) * 1e3, "ms", "< 50")


def bench_nodes(context):
    """Importing models of ever more nodes."""
    for name, per_layer, flags in (("a chain", 1, []),
                                   ("a graph with skips", 2, ["--skips"])):
        for nodes in (100, 1000, 10000):
            folder = context.folder / f"{nodes}{''.join(flags)}"
            # 36 x 36 floats are more than what becomes a constant.
            cost_of([sys.executable, SUPPORT / "make-big-model.py", folder,
                     "--layers", str(nodes // per_layer), "--size", "36",
                     *flags])
            seconds = import_seconds(context, import_manifest(
                context, folder / "model.onnx", folder.name))
            yield (f"import of {name} of {nodes} nodes, per node",
                   seconds / nodes * 1e6, "us", "")


def bench_models(context):
    """The importer by itself."""
    yield from bench_nets(context)
    yield from bench_nodes(context)


# Passes.

LOWERING = ["linalg-generalize-named-ops,canonicalize,cse",
            "one-shot-bufferize{bufferize-function-boundaries "
            "function-boundary-type-conversion=identity-layout-map}",
            "buffer-deallocation-pipeline,convert-bufferization-to-memref",
            "convert-linalg-to-loops,canonicalize,cse",
            "convert-scf-to-cf,expand-strided-metadata,lower-affine,"
            "finalize-memref-to-llvm,convert-arith-to-llvm,"
            "convert-func-to-llvm,convert-cf-to-llvm,"
            "reconcile-unrealized-casts"]


def layers(count):
    """A module of `count` products, each with a sum after it."""
    square = "tensor<64x64xf32>"
    lines = [f"func.func @main(%a: {square}, %x0: {square}) -> {square} {{",
             "  %zero = arith.constant 0.0 : f32",
             f"  %empty = tensor.empty() : {square}"]
    for i in range(count):
        lines += [
            f"  %f{i} = linalg.fill ins(%zero : f32) outs(%empty : {square})"
            f" -> {square}",
            f"  %m{i} = linalg.matmul ins(%x{i}, %a : {square}, {square})"
            f" outs(%f{i} : {square}) -> {square}",
            f"  %x{i + 1} = linalg.add ins(%m{i}, %a : {square}, {square})"
            f" outs(%empty : {square}) -> {square}"]
    return "\n".join(lines + [f"  return %x{count} : {square}", "}", ""])


def bench_passes(context):
    """The same passes: lh-run apply against one mlir-opt process."""
    passes = ",".join(LOWERING)
    for count, rounds in ((1, 31), (150, 11)):
        payload = write(context.folder / f"layers-{count}.mlir", layers(count))
        ours, theirs = medians(
            max(context.rounds, rounds),
            lambda: cost_of([context.lh_run, "apply", passes, payload]),
            lambda: cost_of([MLIR_OPT,
                             f"--pass-pipeline=builtin.module({passes})",
                             payload]))
        name = f"apply / mlir-opt, {3 * count} linalg ops"
        yield f"{name}, wall", ours.wall / theirs.wall, "x", "<= 1.05"
        yield f"{name}, CPU time", ours.cpu / theirs.cpu, "x", "<= 1.05"


# Processes.

ODD_PRODUCT = ROOT / "golden" / "matmul-127x513x259" / "payload.mlir"
# mlir-runner passes no tensors: a caller makes them.
ENTRY = """
func.func @entry() -> f32 {
  %a = arith.constant dense<1.0> : tensor<127x259xf32>
  %b = arith.constant dense<0.5> : tensor<259x513xf32>
  %c = func.call @main(%a, %b) : (tensor<127x259xf32>, tensor<259x513xf32>)
    -> tensor<127x513xf32>
  %i = arith.constant 0 : index
  %x = tensor.extract %c[%i, %i] : tensor<127x513xf32>
  return %x : f32
}
"""


def product_manifest(path, cases, **more):
    """Both pipelines on a payload with two inputs."""
    bubbles = {"import": {"ingress": "mlir", "model": "${case.model}"},
               "run": {"execute": {"entry": "main", "repeat": 0}}}
    return write_manifest(
        path, bubbles,
        {"optimized": OPTIMIZED + ["run"], "plain": PLAIN + ["run"]},
        cases=cases, **more)


def stock_passes(pipeline):
    """A pass pipeline without what only lh-run has."""
    pipeline = re.sub(r"lh-[a-z-]+,?", "", pipeline).replace(",)", ")")
    # The allocator behind the generic functions is lh-run's; malloc is not.
    pipeline = pipeline.replace("{use-generic-functions=true}", "")
    return None if pipeline == "builtin.module()" else pipeline


def one_process_per_bubble(context, manifest, pipeline):
    """The mlir-opt lines that `--dry-run` names, then mlir-runner."""
    shown = subprocess.run(
        [context.lh_run, "run", manifest, "--dry-run", "--pipeline", pipeline],
        check=True, stdout=subprocess.PIPE, text=True).stdout
    payload = write(context.folder / "entry.mlir",
                    ODD_PRODUCT.read_text(encoding="utf-8") + ENTRY)
    commands = []
    for line in re.findall(r"^ +mlir-opt .*?(--pass-pipeline='.*?')", shown, re.M):
        flag, passes = shlex.split(line)[0].split("=", 1)
        passes = stock_passes(passes)
        if not passes:
            continue
        output = context.folder / f"{pipeline}-{len(commands)}.mlir"
        commands.append([MLIR_OPT, f"{flag}={passes}", payload, "-o", output])
        payload = output
    commands.append([MLIR_RUNNER, "-O2", "-e", "entry",
                     "--entry-point-result=f32", payload])
    return commands


def bench_processes(context):
    """One lh-run against an mlir-opt per bubble and an mlir-runner."""
    cases = {"odd": random_case(ODD_PRODUCT, arg0=(127, 259), arg1=(259, 513))}
    bare = product_manifest(context.folder / "bare.json", cases)
    checked = product_manifest(context.folder / "checked.json", cases,
                               verify=BY_ORACLE)
    for pipeline in ("plain", "optimized"):
        commands = one_process_per_bubble(context, bare, pipeline)
        ours, verified, theirs = medians(
            context.rounds,
            lambda: cost_of([context.lh_run, "run", bare, "--pipeline",
                             pipeline]),
            lambda: cost_of([context.lh_run, "run", checked, "--pipeline",
                             pipeline]),
            lambda: cost_of(*commands))
        name = f"{len(commands)} processes / lh-run, {pipeline}"
        yield f"{name}, wall", theirs.wall / ours.wall, "x", ">= 3"
        yield f"{name}, CPU time", theirs.cpu / ours.cpu, "x", ">= 3"
        yield (f"{name}, the oracle's check included, wall",
               theirs.wall / verified.wall, "x", "")


# Sharing.

PIPELINES = 8


def sharing_manifest(folder):
    """Eight pipelines that differ in their second half."""
    payload = write(folder / "shared.mlir", layers(150))
    bubbles = {"import": {"ingress": "mlir", "model": str(payload)},
               "first": {"passes": ",".join(LOWERING[:2])}}
    for i in range(PIPELINES):
        # The option tells the halves apart; the work is the same.
        tidy = f"canonicalize{{max-iterations={10 + i}}},cse"
        passes = LOWERING[2:4] + [tidy, tidy, LOWERING[4], tidy, tidy]
        bubbles[f"second{i}"] = {"passes": ",".join(passes)}
    return write_manifest(folder / "sharing.json", bubbles,
                          {f"p{i}": ["import", "first", f"second{i}"]
                           for i in range(PIPELINES)})


def bench_sharing(context):
    """Eight pipelines in one run against eight runs."""
    manifest = sharing_manifest(context.folder)
    run = [context.lh_run, "run", manifest]
    steps = report_of(context.lh_run, manifest, "-j1")["steps"]
    shared = sum(step["seconds"] for step in steps
                 if step["bubble"] in ("import", "first"))
    own = sum(step["seconds"] for step in steps) - shared
    yield ("share of a pipeline that is common",
           100 * shared / (shared + own / PIPELINES), "%", "")
    one, default, separate = medians(
        context.rounds,
        lambda: cost_of(run + ["-j1"]),
        lambda: cost_of(run),
        lambda: cost_of(*(run + ["-j1", "--pipeline", f"p{i}"]
                          for i in range(PIPELINES))))
    yield "8 pipelines / 8 runs, --jobs 1", one.wall / separate.wall, "x", \
        "<= 0.65"
    yield "8 pipelines / 8 runs, default --jobs", \
        default.wall / separate.wall, "x", "<= 0.65"
    yield "8 pipelines / 8 runs, CPU time", one.cpu / separate.cpu, "x", \
        "<= 0.65"


# The cache of steps.

SHARING_TARGETS = ("x86-avx512", "x86-avx512-vnni")


def resnet_manifests(folder):
    """ResNet-50 from ONNX to object files: alone, and by eight pipelines that
    part before `lower`."""
    net = folder / "resnet50"
    cost_of(["/usr/bin/python3", SUPPORT / "make-nets.py", "resnet50", net])
    shipped = unfolded(
        yaml.safe_load((ROOT / "manifests" / "onnx-to-cpu.yaml").read_text()),
        ROOT / "manifests")
    path = shipped["pipelines"]["optimized"]["path"]
    del shipped["bubbles"]["import"]["shapes"]
    bubbles = [f"  {name}: {json.dumps(shipped['bubbles'][name])}"
               for name in path[:-1]]
    first = " -> ".join(path[:-2])

    def manifest(name, own, paths):
        lines = ["lighthouse: 1", f"name: {name}",
                 f"targets: [{', '.join(SHARING_TARGETS)}]",
                 "bubbles:", *bubbles, *own,
                 '  object: {emit: assembly, path: "-"}',
                 "edges:", *(f"  - {edge}" for edge in sorted(
                     {" -> ".join(pair) for path in paths.values()
                      for pair in itertools.pairwise(path.split(" -> "))})),
                 "pipelines:",
                 *(f"  {pipeline}: {{path: [{path.replace(' -> ', ', ')}]}}"
                   for pipeline, path in paths.items()),
                 "cases:",
                 f"  net: {{generate: {{model: {net / 'model.onnx'}}}}}"]
        return write(folder / f"{name}.yaml", "\n".join(lines) + "\n")

    one = manifest("one", [], {"p0": f"{first} -> lower -> object"})
    own = [f'  own{i}: {{passes: "canonicalize{{max-iterations={10 + i}}}"}}'
           for i in range(PIPELINES)]
    eight = manifest("eight", own, {
        f"p{i}": f"{first} -> own{i} -> lower -> object"
        for i in range(PIPELINES)})
    return one, eight


def bench_cache(context):
    """Compiling ResNet-50 again, and with a cache that knows nothing yet."""
    one, eight = resnet_manifests(context.folder)
    run = [context.lh_run, "run", one, "--target", SHARING_TARGETS[0]]
    full, empty = context.folder / "full", context.folder / "empty"

    def cold():
        shutil.rmtree(empty, ignore_errors=True)
        return cost_of([*run, "--cache", empty])

    without, first, again = medians(
        context.rounds, lambda: cost_of([*run, "--no-cache"]), cold,
        lambda: cost_of([*run, "--cache", full]))
    yield "ResNet-50 to code, CPU time", without.cpu, "s", ""
    yield "  with an empty cache / without, CPU time", \
        first.cpu / without.cpu, "x", "< 1.05"
    yield "  again, all known, wall", again.wall * 1e3, "ms", "< 300"
    yield "  again, all known, CPU time", again.cpu * 1e3, "ms", ""
    touched = write(context.folder / "touched.yaml", one.read_text().replace(
        'emit: assembly, path: "-"', 'emit: llvm-ir, path: "-"'))
    last = cost_of([context.lh_run, "run", touched, *run[3:], "--cache", full])
    yield "  again, the last bubble touched, CPU time", last.cpu, "s", ""
    sixteen = [context.lh_run, "run", eight, "--target", "*", "--cache"]
    alone = cost_of([*sixteen, context.folder / "eight", "-j1"])
    shared = cost_of([*sixteen, context.folder / "again"])
    apart = [cost_of([context.lh_run, "run", eight, "--target", target,
                      "--pipeline", "p0", "--no-cache"])
             for target in SHARING_TARGETS]
    yield "8 pipelines x 2 targets / 16 runs (2 of them done), CPU time", \
        alone.cpu / (PIPELINES * sum(each.cpu for each in apart)), "x", ""
    yield "  the same, wall", \
        shared.wall / (PIPELINES * sum(each.wall for each in apart)), "x", \
        "<= 0.5"


# Cases.

MORE_CASES = 50
def case_cost(context, name, few, many):
    """What one more case costs: (N + 50 cases less N cases) / 50."""
    report = report_of(context.lh_run, many)
    for bubble in ("import", "oracle/compile"):
        if len(steps_of(report, bubble)) != 1:
            sys.exit(f"{many}: '{bubble}' ran more than once")
    less, more = medians(
        context.rounds,
        lambda: cost_of([context.lh_run, "run", few, "-j1"]),
        lambda: cost_of([context.lh_run, "run", many, "-j1"]))
    yield (f"one more case, {name}, wall",
           (more.wall - less.wall) / MORE_CASES * 1e3, "ms", "< 10")
    yield (f"one more case, {name}, CPU time",
           (more.cpu - less.cpu) / MORE_CASES * 1e3, "ms", "< 10")


def bench_case(context):
    """One more case of a model that is compiled; the oracle checks each."""
    folder, counts = context.folder, (2, 2 + MORE_CASES)
    payload = write(folder / "one-layer.mlir", layers(1))
    yield from case_cost(context, "64^3 product, 2 pipelines", *(
        product_manifest(folder / f"product-{count}.json",
                         {f"c{seed}": random_case(payload, seed, arg0=(64, 64),
                                                  arg1=(64, 64))
                          for seed in range(count)}, verify=BY_ORACLE)
        for count in counts))
    model = ROOT / "golden" / "digits-cnn" / "model.onnx"
    bubbles = {"import": {"ingress": "onnx", "model": "${case.model}",
                          "shapes": "case"},
               "run": {"execute": {"entry": "main", "repeat": 1}}}
    yield from case_cost(context, "digits, 1 image, plain", *(
        write_manifest(folder / f"digits-{count}.json", bubbles,
                       {"plain": PLAIN + ["run"]}, verify=BY_ORACLE,
                       cases={f"c{seed}": random_case(model, seed,
                                                      image=(1, 1, 8, 8))
                              for seed in range(count)})
        for count in counts))


# Generated code.

def bench_code(context):
    """The optimized pipeline against plain loops."""
    for name, manifest, case, flops in (
            ("512^3 product", "matmul-to-cpu.yaml", "square", 2 * 512 ** 3),
            ("digits, 128 images", "onnx-to-cpu.yaml", "digits", None)):
        times = {"optimized": [], "plain": []}
        for _ in range(context.rounds):
            report = report_of(context.lh_run, ROOT / "manifests" / manifest,
                               "-j1", "--case", case)
            for pipeline, seconds in times.items():
                seconds.append(run_seconds(report, case, pipeline))
        optimized = statistics.median(times["optimized"])
        plain = statistics.median(times["plain"])
        yield (f"{name}, plain / optimized", plain / optimized, "x",
               ">= 50" if flops else "")
        yield f"{name}, optimized", optimized * 1e3, "ms", ""
        if flops:
            yield f"{name}, optimized", flops / optimized / 1e9, "GFLOPS", ""


# The comparator.

ELEMENTS = 100_000_000


def bench_compare(context):
    """The verdict and all statistics of a large tensor against memcpy."""
    build = context.lh_run.parent
    cost_of(["cmake", "--build", build, "--target", "bench-compare"])
    done = subprocess.run(
        [build / "bench" / "bench-compare", str(context.rounds),
         str(ELEMENTS)], stdout=subprocess.PIPE, text=True, check=True)
    for line in done.stdout.splitlines():
        name, verdict_ratio, statistics_ratio, _ = line.split()
        stated = name == "float32"
        yield (f"verdict / memcpy, {name}", float(verdict_ratio), "x",
               "<= 3" if stated else "")
        yield (f"all statistics / memcpy, {name}", float(statistics_ratio),
               "x", "<= 12" if stated else "")


# The table.

BENCHES = {"check": bench_check, "ci": bench_ci, "graph": bench_graph,
           "import": bench_import,
           "models": bench_models, "passes": bench_passes,
           "processes": bench_processes, "sharing": bench_sharing,
           "cache": bench_cache,
           "case": bench_case, "code": bench_code,
           "compare": bench_compare}


def verdict(value, bound):
    """Whether a value keeps to a bound such as '< 100'; '' without a bound."""
    if not bound:
        return ""
    relation, limit = bound.split()
    kept = {"<": value < float(limit), "<=": value <= float(limit),
            ">=": value >= float(limit)}[relation]
    return "met" if kept else "MISSED"


def print_machine():
    info = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    flags = set(re.search(r"^flags\s*:(.*)$", info, re.M)[1].split())
    wide = next((flag for flag in ("avx512f", "avx2") if flag in flags), "sse2")
    print(f"{os.cpu_count()} cores with {wide}, "
          f"load average {os.getloadavg()[0]:.1f}", flush=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="has lh-run in it")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", action="append", choices=BENCHES,
                        metavar="NAME", help=", ".join(BENCHES))
    options = parser.parse_args()
    print_machine()
    print(f"{'figure':66} {'measured':>16}  {'bound':8} verdict")
    for name in options.only or BENCHES:
        with tempfile.TemporaryDirectory() as folder:
            context = Context((options.build / "lh-run").resolve(),
                              options.rounds, pathlib.Path(folder))
            for figure, value, unit, bound in BENCHES[name](context):
                print(f"{figure:66} {value:9.3g} {unit:6}  {bound:8} "
                      f"{verdict(value, bound)}", flush=True)


if __name__ == "__main__":
    main()
