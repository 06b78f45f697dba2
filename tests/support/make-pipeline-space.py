#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes manifests of a large pipeline space, for tests of the map.

make-pipeline-space.py OUT_DIR [--manifests 40] [--bubbles 150]

Eight families of manifests each have a bubble per stage, as strategies for
eight kinds of machine would; a manifest differs from its family in one stage.
Of its pipelines one takes all stages, one skips the middle ones, and some
borrow a stage from the next family or leave one out. The same arguments always
give the same files.
"""
import argparse
import pathlib

STAGES = ["import", "simplify", "decompose", "quantize", "fuse", "layout",
          "pack", "tile", "vectorize", "bufferize", "parallelize", "map",
          "memory", "vectors", "math", "lower", "run"]
FAMILIES = 8
NAMES = ["optimized", "plain", "portable", "debug"]


def library(count, folder):
    """Bubbles by stage; the first and last stages have few."""
    stages = {stage: [] for stage in STAGES}
    inner = STAGES[1:-1]
    for number in range(count - 3):
        stage = inner[number % len(inner)]
        name = f"{stage}-{number // len(inner) + 1}"
        path = folder / "bubbles" / f"{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        if number % 5 == 4:
            text = ("bubbles:\n  first: {passes: canonicalize}\n"
                    "  second: {passes: cse}\nedges:\n  - first -> second\n")
        else:
            text = "passes: canonicalize, cse\n"
        path.write_text("lighthouse: 1\n" + text)
        stages[stage].append((name, f"{{use: bubbles/{name}.yaml}}"))
    stages["import"] = [
        ("import", '{ingress: onnx, model: "${case.model}"}'),
        ("read", '{ingress: mlir, model: "${case.model}"}')]
    stages["run"] = [("run", "{execute: main}")]
    return stages


def manifest(number, stages):
    family = number % FAMILIES
    source = stages["import"][family % 2]
    inner = STAGES[1:-1]
    own = {stage: stages[stage][family % len(stages[stage])]
           for stage in inner}
    odd = inner[(number // FAMILIES * 4 + family) % len(inner)]
    pool = stages[odd]
    own[odd] = pool[FAMILIES % len(pool) + number % 2
                    if len(pool) > FAMILIES + 1 else number % len(pool)]
    full = [own[stage] for stage in inner]
    borrowed = dict(own)
    for stage in inner[6:8]:
        pool = stages[stage]
        borrowed[stage] = pool[(family + 1) % FAMILIES % len(pool)]
    middles = {"optimized": full, "plain": full[:3] + full[8:],
               "portable": [borrowed[stage] for stage in inner],
               "debug": full[:9] + full[11:]}
    count = 2 + number % 3
    last = ("run", "{execute: main}")
    paths = {name: [source] + middles[name] + [last] for name in NAMES[:count]}
    return written(number, paths)


def written(number, paths):
    declared = {name: text for path in paths.values() for name, text in path}
    paths = {key: [name for name, _ in path] for key, path in paths.items()}
    edges = sorted({(a, b) for path in paths.values()
                    for a, b in zip(path, path[1:])})
    lines = ["lighthouse: 1", f"name: net-{number:02}",
             f"summary: Generated pipelines, number {number}.",
             "targets: [host]", "bubbles:"]
    lines += [f"  {name}: {text}" for name, text in declared.items()]
    lines += ["edges:"] + [f"  - {a} -> {b}" for a, b in edges]
    lines += ["pipelines:"]
    lines += [f"  {name}: {{path: [{', '.join(path)}]}}"
              for name, path in paths.items()]
    lines += ["cases:", "  one:", "    generate: {model: model.onnx, seed: 1}"]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--manifests", type=int, default=40)
    parser.add_argument("--bubbles", type=int, default=150)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    stages = library(options.bubbles, options.out)
    for number in range(options.manifests):
        (options.out / f"net-{number:02}.yaml").write_text(
            manifest(number, stages))


if __name__ == "__main__":
    main()
