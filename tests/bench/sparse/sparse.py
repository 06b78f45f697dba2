#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times products with sparse matrices beside plain C++, Eigen and SuiteSparse's
GraphBLAS (Debian's packages libeigen3-dev and libgraphblas-dev), one thread.

    sparse.py LH_RUN [--target NAME] [--size N] [--rounds N] [--set NAME=VALUE]
    sparse.py LH_RUN --break-even [--size 2048]

--break-even times a matrix of rising density by lib:sparse/optimize and, as a
dense one, by lib:cpu/optimize. Each figure is the best of the rounds, taken in
turns; results are compared with plain C++'s. Nothing here is a test."""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent

ENCODING = """#CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32 }>
"""
PAYLOAD = """func.func @{name}(%a: {a}, %x: tensor<{x}xf32>) -> tensor<{x}xf32> {{
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<{x}xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<{x}xf32>) -> tensor<{x}xf32>
  %y = linalg.{op} ins(%a, %x : {a}, tensor<{x}xf32>) outs(%init : tensor<{x}xf32>) -> tensor<{x}xf32>
  return %y : tensor<{x}xf32>
}}
"""

MANIFEST = """lighthouse: 1
name: sparse-bench
targets: [host]
bubbles:
  import: {{ingress: mlir, model: "${{case.model}}"}}
{chain}
  write: {{emit: object, path: "{name}.o"}}
edges: [import -> {way} -> write]
cases:
  only: {{generate: {{model: {name}.mlir, seed: 1, sets: [drawn]}}}}
verify: none
"""


def compile_product(options, folder, name, op, shape, is_sparse=True):
    matrix = f"tensor<{options.size}x{options.size}xf32"
    (folder / f"{name}.mlir").write_text(
        (ENCODING if is_sparse else "") +
        PAYLOAD.format(name=name, op=op, x=shape,
                       a=matrix + (", #CSR>" if is_sparse else ">")))
    with_ = ", ".join(["threads: 1", *(each.replace("=", ": ")
                                       for each in options.set)])
    chain, way = (
        (f"  optimize: {{use: lib:sparse/optimize, with: {{{with_}}}}}",
         "optimize") if is_sparse else
        ("  operands: {use: lib:cpu/operands}\n"
         "  optimize: {use: lib:cpu/optimize, with: {threads: 1}}",
         "operands -> optimize"))
    text = MANIFEST.format(name=name, chain=chain, way=way)
    (folder / f"{name}.yaml").write_text(text)
    target = ["--target", options.target] if options.target else []
    done = subprocess.run(
        [options.lh_run, "run", f"{name}.yaml", "--out", ".", *target],
        cwd=folder, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)


def build(options, folder):
    compile_product(options, folder, "spmv", "matvec", options.size)
    compile_product(options, folder, "spmm", "matmul",
                    f"{options.size}x{options.columns}")
    objects = [folder / "spmv.o", folder / "spmm.o"]
    if options.break_even:
        compile_product(options, folder, "mv", "matmul",
                        f"{options.size}x1", False)
        compile_product(options, folder, "mm", "matmul",
                        f"{options.size}x{options.columns}", False)
        objects += [folder / "mv.o", folder / "mm.o"]
    grb = pathlib.Path("/usr/include/GraphBLAS.h").exists()
    subprocess.run(
        ["g++", "-O3", "-march=native", "-I/usr/include/eigen3",
         *(["-DHAVE_GRAPHBLAS"] if grb else []),
         HERE / "sparse_peers.cpp", *objects, "-o", folder / "peers",
         *(["-lgraphblas"] if grb else []), "-lm"],
        check=True)


def measure(options, folder, per_row, pattern, columns):
    line = subprocess.run(
        [folder / "peers", str(options.size), str(per_row), pattern,
         str(columns), str(options.rounds)],
        check=True, capture_output=True, text=True).stdout
    return json.loads(line)


def name_of(columns):
    return "SpMV" if columns == 1 else f"SpMM {columns}"


def race(options, folder):
    print("product  a row  pattern      ours      plain    Eigen  GraphBLAS"
          "   (plain / ours)")
    for columns in (1, options.columns):
        for per_row, pattern in ((8, "uniform"), (32, "uniform"),
                                 (128, "uniform"), (32, "power-law")):
            figures = measure(options, folder, per_row, pattern, columns)
            cells = [f"{figures[way] * 1e6:8.0f}" if way in figures
                     else "       -" for way in
                     ("lighthouse", "plain", "eigen", "graphblas")]
            print(f"{name_of(columns):8s} {per_row:5d}  {pattern:9s} us "
                  f"{' '.join(cells)}   "
                  f"{figures['plain'] / figures['lighthouse']:.2f}")


def break_even(options, folder):
    print("product  density      sparse    dense   (dense / sparse)")
    for columns in (1, options.columns):
        for percent in (1, 2, 5, 10, 20, 30, 50):
            figures = measure(options, folder, options.size * percent / 100,
                              "uniform", columns)
            sparse, dense = figures["lighthouse"], figures["dense"]
            print(f"{name_of(columns):8s} {percent:4d} %  us {sparse * 1e6:8.0f}"
                  f" {dense * 1e6:8.0f}   {dense / sparse:.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lh_run")
    parser.add_argument("--target")
    parser.add_argument("--size", type=int, default=16384)
    parser.add_argument("--columns", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--break-even", action="store_true")
    parser.add_argument("--set", action="append", default=[])
    options = parser.parse_args()
    options.lh_run = str(pathlib.Path(shutil.which(options.lh_run)
                                      or options.lh_run).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        build(options, folder)
        (break_even if options.break_even else race)(options, folder)


if __name__ == "__main__":
    main()
