#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors against derived bounds, from the outputs that lh-run saved.

Usage: judge-bounds.py FOLDER

FOLDER holds for each case HOST/bounds/{N,N_bound}.npy and HOST/plain/N.npy.
Prints JSON: per case and output the elements, how many are outside their
bound, how many bounds are infinite, the largest error over its bound, and,
where an output `last` holds what a mistake would leave out, the share of
elements in which it would be noticed.
"""
import json
import pathlib
import sys

import numpy


def load(path):
    """A saved tensor in f64; bfloat16 is saved as its bits."""
    array = numpy.load(path)
    if array.dtype.kind == "V":
        bits = array.view(numpy.uint16).astype(numpy.uint32) << 16
        array = bits.view(numpy.float32)
    return array.astype(numpy.float64)


def judged(folder, name):
    """The figures of one output."""
    oracle = load(folder / f"{name}.npy")
    bound = load(folder / f"{name}_bound.npy")
    plain = load(folder.parent / "plain" / f"{name}.npy")
    with numpy.errstate(all="ignore"):
        same = (plain == oracle) | (numpy.isnan(plain) & numpy.isnan(oracle))
        error = numpy.where(same, 0, abs(plain - oracle))
        # NaN is within no bound but an infinite one.
        wrong = ~(same | (error <= bound) | numpy.isposinf(bound))
        ratios = numpy.where(numpy.isfinite(bound) & (bound > 0),
                             error / bound, 0)
    figures = {"elements": bound.size, "wrong": int(wrong.sum()),
               "infinite": int(numpy.isinf(bound).sum()),
               "ratio": float(ratios.max(initial=0))}
    missing = folder / "last.npy"
    if missing.exists() and name != "last":
        left = abs(plain - load(missing) - oracle)
        figures["noticed"] = float((left > bound).mean())
    return figures


root = pathlib.Path(sys.argv[1])
results = {}
for path in sorted(root.rglob("*_bound.npy")):
    output = path.name.removesuffix("_bound.npy")
    case = path.parent.parent.parent.relative_to(root)
    if (path.parent.parent / "plain" / f"{output}.npy").exists():
        results.setdefault(str(case), {})[output] = judged(path.parent, output)
print(json.dumps(results))
