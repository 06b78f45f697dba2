#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bufferization of a chain of ops takes time in proportion to its length: the
processor time beyond that of one op, at a length and at eight times it. What
grows with the square of the length takes 64 times as long there, so the limit
lies between: processor time on a shared machine varies by half.

Usage: chains.py LH_RUN
"""
import pathlib
import resource
import subprocess
import sys
import tempfile

from support import ROOT, require

SHORT = 500
TIMES = 8
MOST = 2 * TIMES  # times as much
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


def processor_time(lh_run, folder, length):
    path = folder / "chain.mlir"
    path.write_text(chain(length))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([lh_run, "apply", BUBBLE, path, "-o", "out.mlir"],
                   check=True, cwd=folder, capture_output=True, timeout=60)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime -
            before.ru_stime)


def least_times(lh_run, lengths, rounds=3):
    """The least processor time of each length, measured by turns."""
    with tempfile.TemporaryDirectory() as folder:
        measured = [[processor_time(lh_run, pathlib.Path(folder), length)
                     for length in lengths] for _ in range(rounds)]
    return [min(times) for times in zip(*measured)]


one, short, long = least_times(sys.argv[1], [1, SHORT, SHORT * TIMES])
print(f"{SHORT} ops: {short - one:.2f} s; {SHORT * TIMES} ops: "
      f"{long - one:.2f} s; {(long - one) / (short - one):.1f} times as much")
require(long - one <= MOST * (short - one),
        f"more than {MOST} times as much for {TIMES} times the length")
