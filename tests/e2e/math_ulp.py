#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many units in the last place (2^-23 of the result) math functions on f32
are off, on points of every exponent: lower-to-llvm must keep within what
lh-error-bounds grants every implementation.

Usage: math_ulp.py LH_RUN [--passes PASSES] [--points N]

With other PASSES before the lowering ("lh-approximate-math") it only prints.
"""
import argparse
import array
import math
import pathlib
import random
import struct
import tempfile

from support import require, run

FUNCTIONS = {
    "exp": math.exp, "exp2": lambda x: 2.0 ** x, "expm1": math.expm1,
    "log": math.log, "log2": math.log2, "log10": math.log10,
    "log1p": math.log1p, "sin": math.sin, "cos": math.cos, "tan": math.tan,
    "asin": math.asin, "acos": math.acos, "atan": math.atan,
    "sinh": math.sinh, "cosh": math.cosh, "tanh": math.tanh,
    "asinh": math.asinh, "acosh": math.acosh, "atanh": math.atanh,
    "erf": math.erf, "erfc": math.erfc, "sqrt": math.sqrt,
    "rsqrt": lambda x: 1 / math.sqrt(x),
    "cbrt": lambda x: math.copysign(abs(x) ** (1 / 3), x),
}
# As in ErrorFunctions.cpp, 1 for all others; it has no erfc, whose 3 are from
# glibc's manual.
GRANTED = {"erfc": 3, **dict.fromkeys(
    ("sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "log10", "log1p"), 2)}
LARGEST = (2 - 2.0 ** -24) * 2.0 ** 127  # rounds to infinity
SMALLEST = 2.0 ** -126  # normal


def points(count):
    """Bit patterns at one distance, and as many where functions bend."""
    stride = (2 ** 32 // count) | 1
    bits = array.array("I", (i * stride % 2 ** 32 for i in range(count)))
    values = array.array("f", bits.tobytes())
    values = array.array("f", filter(math.isfinite, values))
    draw = random.Random(1).uniform
    values.extend(draw(-100, 100) for _ in range(count // 2))
    values.extend(draw(-2, 2) for _ in range(count // 2))
    return values


def write_npy(path, values):
    head = f"{{'descr': '<f4', 'fortran_order': False, " \
           f"'shape': ({len(values)},), }}"
    head += " " * (63 - (10 + len(head)) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head))
                     + head.encode() + values.tobytes())


def payload(function, count):
    tensor = f"tensor<{count}xf32>"
    return f"""#id = affine_map<(i) -> (i)>
func.func @main(%x: {tensor}) -> {tensor} {{
  %out = tensor.empty() : {tensor}
  %y = linalg.generic
      {{indexing_maps = [#id, #id], iterator_types = ["parallel"]}}
      ins(%x : {tensor}) outs(%out : {tensor}) {{
  ^bb0(%one: f32, %unused: f32):
    %r = math.{function} %one : f32
    linalg.yield %r : f32
  }} -> {tensor}
  return %y : {tensor}
}}
"""


def manifest(passes):
    return f"""lighthouse: 1
name: math-ulp
targets: [host]
bubbles:
  import: {{ingress: mlir, model: payload.mlir}}
  before: {{passes: "{passes}"}}
  bufferize: {{use: "lib:common/bufferize"}}
  lower: {{use: "lib:cpu/lower-to-llvm"}}
  run: {{execute: main}}
edges: [import -> before -> bufferize -> lower -> run]
verify: none
"""


def computed(lh_run, folder, function, values, passes):
    """What lh-run makes of the values."""
    (folder / "payload.mlir").write_text(payload(function, len(values)))
    (folder / "m.yaml").write_text(manifest(passes))
    out = folder / function
    code, text = run(lh_run, folder / "m.yaml", "--input",
                     f"arg0=@{folder}/x.npy", "--save-outputs", out)
    require(code == 0, text)
    data = next(out.rglob("*.npy")).read_bytes()
    return array.array("f", data[-4 * len(values):])


def exact(function, x):
    """The f64 value that f32 rounds to; None where it isn't defined."""
    try:
        y = function(x)
    except (OverflowError, ValueError, ZeroDivisionError):
        return None
    return math.inf * y if abs(y) >= LARGEST else y


def distance(actual, expected):
    """In units of 2^-23 of `expected`, or of the smallest denormal number."""
    if math.isnan(actual) or math.isinf(actual) or math.isinf(expected):
        return 0.0 if actual == expected else math.inf
    return abs(actual - expected) / max(abs(expected) * 2.0 ** -23,
                                        2.0 ** -149)


def worst(values, results, function, keep):
    """The largest distance, and where, of the points to keep."""
    found = (0.0, 0.0)
    for x, actual in zip(values, results):
        expected = exact(function, x)
        if expected is None or not keep(x, expected):
            continue
        found = max(found, (distance(actual, expected), x),
                    key=lambda pair: pair[0])
    return found


def normal(x, y):
    """Neither is denormal, and x is no multiple of large periods."""
    return all(v == 0 or abs(v) >= SMALLEST for v in (x, y)) \
        and abs(x) < 1000


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lh_run")
    parser.add_argument("--passes", default="cse")
    parser.add_argument("--points", type=int, default=2 ** 15)
    options = parser.parse_args()
    values = points(options.points)
    beyond = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_npy(folder / "x.npy", values)
        for function, reference in FUNCTIONS.items():
            results = computed(options.lh_run, folder, function, values,
                               options.passes)
            off, at = worst(values, results, reference, lambda x, y: True)
            usual, there = worst(values, results, reference, normal)
            print(f"{function:6} {off:12.5g} at {at:<14.8g} usual "
                  f"{usual:12.5g} at {there:.8g}", flush=True)
            require(off > 0.25, "nothing that rounds is this exact")
            if off > GRANTED.get(function, 1):
                beyond.append(function)
    if options.passes == "cse":
        require(not beyond, f"{beyond} are further off than granted")


main()
