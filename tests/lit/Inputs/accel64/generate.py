#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""generate.py MODULE ENTRY PROGRAM: stands in for a vendor's compiler. It refuses
products of any other size than 64 x 64 x 64; the rest it compiles for this CPU.
PROGRAM: the results' element types and ranks as a line of JSON, and a library."""
import json
import os
import re
import shutil
import subprocess
import sys

PASSES = """
  one-shot-bufferize{bufferize-function-boundaries
    function-boundary-type-conversion=identity-layout-map},
  func.func(linalg-generalize-named-ops, convert-linalg-to-loops,
    lower-vector-multi-reduction, convert-vector-to-scf{full-unroll}),
  expand-strided-metadata, lower-affine, convert-scf-to-cf,
  func.func(llvm-request-c-wrappers),
  convert-vector-to-llvm, convert-ub-to-llvm, convert-math-to-llvm, convert-math-to-libm,
  finalize-memref-to-llvm, lower-affine, convert-arith-to-llvm,
  convert-cf-to-llvm, convert-index-to-llvm, convert-func-to-llvm,
  reconcile-unrealized-casts"""
TILES = "tensor<64x64xf32>, tensor<64x64xf32>"


def other_product(text):
    """The first product that the accelerator can't do; nothing if it can all."""
    for line in text.splitlines():
        name = re.search(r"linalg\.(\w*(?:mat|conv|dot|contract)\w*) ", line)
        is_ours = name and name[1] == "matmul" and TILES in line \
            and "indexing_maps" not in line
        if name and not is_ours:
            return line.strip()
    for op in re.finditer(r"linalg\.generic.*?linalg\.yield", text, re.S):
        if '"reduction"' in op[0] and re.search(
                r"= arith\.mul[fi] %in, %in_\d+\b(?=.*arith\.add)", op[0], re.S):
            return op[0].splitlines()[0].strip()
    return None


def results_of(text, entry):
    """[element type, rank] of each result."""
    head = re.search(rf"func\.func @{entry}\((.*?)\)? attributes|"
                     rf"func\.func @{entry}\((.*)\{{$", text, re.M)
    types = head[0].rsplit("->", 1)[1]
    return [[kind, dims.count("x")]
            for dims, kind in re.findall(r"tensor<((?:[\d?]+x)*)(\w+)>", types)]


def main():
    module, entry, program = sys.argv[1:]
    with open(module, encoding="utf-8") as file:
        text = file.read()
    refused = other_product(text)
    if refused:
        sys.exit(f"this accelerator multiplies 64x64x64, not: {refused}")
    tools = os.path.dirname(os.path.realpath(shutil.which("mlir-opt")))
    lib = os.path.join(os.path.dirname(tools), "lib")
    subprocess.run(["mlir-opt", module, "-o", "lowered.mlir",
                    f"--pass-pipeline=builtin.module({PASSES})"], check=True)
    subprocess.run(["mlir-translate", "--mlir-to-llvmir", "lowered.mlir",
                    "-o", "code.ll"], check=True)
    subprocess.run(["clang", "-O2", "-shared", "-fPIC", "-Wno-override-module",
                    "code.ll", "-o", "code.so", f"-L{lib}", f"-Wl,-rpath,{lib}",
                    "-lmlir_c_runner_utils", "-lm"], check=True)
    with open("code.so", "rb") as code, open(program, "wb") as out:
        out.write(json.dumps(results_of(text, entry)).encode() + b"\n")
        out.write(code.read())


if __name__ == "__main__":
    main()
