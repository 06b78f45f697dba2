#!/usr/bin/env python3
"""Bufferization of a chain of ops takes time in proportion to its length: the
processor time beyond that of one op, at a length and twice and four times it.

Usage: chains.py LH_RUN
"""
import pathlib
import resource
import subprocess
import sys
import tempfile

from support import ROOT, require

LENGTH = 250
MOST = 2.6  # times as much for twice the length
BUBBLE = ROOT / "schedules" / "common" / "bufferize.yaml"

OP = """  %v{now} = linalg.generic {{indexing_maps = [#same, #same],
      iterator_types = ["parallel"]}}
      ins(%v{before} : tensor<64xf32>) outs(%empty : tensor<64xf32>) {{
  ^bb0(%in: f32, %out: f32):
    %n = arith.negf %in : f32
    linalg.yield %n : f32
  }} -> tensor<64xf32>
"""


def chain(length):
    ops = "".join(OP.format(now=i + 1, before=i) for i in range(length))
    return ("#same = affine_map<(d0) -> (d0)>\n"
            "func.func @main(%v0: tensor<64xf32>) -> tensor<64xf32> {\n"
            f"  %empty = tensor.empty() : tensor<64xf32>\n{ops}"
            f"  return %v{length} : tensor<64xf32>\n}}\n")


def processor_time(lh_run, length):
    """The least of two runs."""
    times = []
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "chain.mlir"
        path.write_text(chain(length))
        for _ in range(2):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([lh_run, "apply", BUBBLE, path, "-o", "out.mlir"],
                           check=True, cwd=folder, capture_output=True,
                           timeout=300)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            times.append(after.ru_utime + after.ru_stime - before.ru_utime -
                         before.ru_stime)
    return min(times)


start = processor_time(sys.argv[1], 1)
short = None
for factor in (1, 2, 4):
    spent = processor_time(sys.argv[1], LENGTH * factor) - start
    print(f"{LENGTH * factor} ops: {spent:.2f} s")
    # Below a tenth of a second other things weigh more.
    require(short is None or spent <= MOST * max(short, 0.1),
            f"{spent:.2f} s for twice what takes {short}")
    short = spent
