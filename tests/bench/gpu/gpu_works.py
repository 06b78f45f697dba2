# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What gpu_bench.py checks and measures: payloads, fresh numbers, and what must
come out, in f64."""
import collections

import numpy

import rows

# `values` are a tensor's numbers, `stored` its bytes; of a result only `values`.
Tensor = collections.namedtuple("Tensor", "name type values stored")
# `limit` is the error allowed, as a share of the largest value; `done` what is
# counted: operations, or bytes read and written. `library` is who is compared
# with, and `mark` the share of its speed to reach, by target; 0: none is set.
Work = collections.namedtuple(
    "Work", "name manifest pipeline payload inputs output limit done unit "
            "library marks options")

MARKS = {"f16": {"cuda-sm90": 0.70, "cuda-sm80": 0.45},
         "bf16": {"cuda-sm90": 0.70, "cuda-sm80": 0.45},
         "f32": {"cuda-sm90": 0.60}, "rows": {"cuda-sm90": 0.80}}
# By kernel: f16 and bf16 have one on each target, the others the same on both.
TARGETS = {"f16": ["cuda-sm90", "cuda-sm80"], "bf16": ["cuda-sm90", "cuda-sm80"],
           "tf32": ["cuda-sm90"], "f32": ["cuda-sm90"], "i8": ["cuda-sm90"],
           "softmax": ["cuda-sm90"], "layernorm": ["cuda-sm90"]}

CUBES = [(size,) * 3 for size in (1024, 4096, 8192)]
SKINNY = [(64, 4096, 4096), (4096, 64, 4096), (1, 4096, 4096)]
ODD = [(1000, 1000, 1000), (4095, 4097, 511)]
SIZES = {"f16": CUBES + SKINNY + ODD, "bf16": CUBES + SKINNY[:1] + ODD[:1],
         "tf32": CUBES + ODD[:1], "f32": CUBES + SKINNY[:1] + ODD[:1],
         "i8": CUBES + SKINNY[:1] + ODD[:1]}
ROWS = [(65536, 1024), (8192, 8192), (4099, 1001)]
# What a simulated device does in a moment.
SMALL = {kind: [(129, 70, 65)] for kind in SIZES}
SMALL_ROWS = [(37, 131)]


def to_bf16(values):
    """Rounded to nearest; the numbers, and their 16 bits."""
    bits = values.astype(numpy.float32).view(numpy.uint32)
    bits = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    return (bits << 16).view(numpy.float32), bits.astype(numpy.uint16)


def tensor(name, kind, values):
    if kind == "bf16":
        return Tensor(name, kind, *to_bf16(values))
    stored = numpy.ascontiguousarray(
        values, {"f32": numpy.float32, "f16": numpy.float16,
                 "i8": numpy.int8}[kind])
    return Tensor(name, kind, stored, stored)


def draw(random, kind, *shape):
    if kind == "i8":
        return random.integers(-127, 128, shape)
    return random.standard_normal(shape, dtype=numpy.float32)


def product_text(m, n, k, read, written):
    zero = "0" if written == "i32" else "0.0"
    a, b, c = (f"tensor<{rows}x{columns}x{kind}>" for rows, columns, kind in
               ((m, k, read), (k, n, read), (m, n, written)))
    return f"""
func.func @main(%a: {a} {{lh.name = "a"}}, %b: {b} {{lh.name = "b"}}) -> {c} {{
  %zero = arith.constant {zero} : {written}
  %empty = tensor.empty() : {c}
  %zeros = linalg.fill ins(%zero : {written}) outs(%empty : {c}) -> {c}
  %c = linalg.matmul ins(%a, %b : {a}, {b}) outs(%zeros : {c}) -> {c}
  return %c : {c}
}}
"""


def product_limit(kind, k):
    """f32 sums of k products, rounded k times at most; of tf32 the operands
    lose up to 2^-10 of themselves on top."""
    if kind == "i8":
        return 0
    return max(k, 16) * 2.0 ** -24 + (2.0 ** -9 if kind == "tf32" else 0)


def product(kind, m, n, k, random):
    read = "f32" if kind == "tf32" else kind
    written = "i32" if kind == "i8" else "f32"
    a = tensor("a", read, draw(random, kind, m, k))
    b = tensor("b", read, draw(random, kind, k, n))
    # Exact for int8: f64 holds every sum.
    expected = a.values.astype(numpy.float64) @ b.values.astype(numpy.float64)
    return Work(f"{kind} {m}x{n}x{k}", "matmul-to-gpu",
                "tf32-cuda" if kind == "tf32" else "cuda",
                (".mlir", product_text(m, n, k, read, written).encode()),
                [a, b], Tensor("c", written, expected, None),
                product_limit(kind, k), 2 * m * n * k, "TFLOP/s", "matmul",
                MARKS.get(kind, {}), ["tf32=1"] if kind == "tf32" else [])


def row_work(kind, count, length, random):
    x = tensor("x", "f32", 3 * draw(random, "f32", count, length))
    wide = x.values.astype(numpy.float64)
    inputs = [x]
    if kind == "softmax":
        powers = numpy.exp(wide - wide.max(axis=1, keepdims=True))
        expected = powers / powers.sum(axis=1, keepdims=True)
    else:
        scale, bias = (tensor(name, "f32", draw(random, "f32", length))
                       for name in ("scale", "bias"))
        inputs += [scale, bias]
        centred = wide - wide.mean(axis=1, keepdims=True)
        spread = numpy.sqrt((centred ** 2).mean(axis=1, keepdims=True)
                            + rows.EPSILON)
        expected = centred / spread * scale.values + bias.values
    # The powers' polynomial, f32 sums of a row, and a division.
    limit = 16 * 2.0 ** -24
    return Work(f"{kind} {count}x{length}", "onnx-to-cuda", "optimized",
                (".onnx", rows.model(kind, count, length)), inputs,
                Tensor("y", "f32", expected, None), limit, 8 * count * length,
                "GB/s", "copy", MARKS["rows"], [])


def recipes(small):
    """(name, targets, function of a random generator -> Work)."""
    sizes, shapes = (SMALL, SMALL_ROWS) if small else (SIZES, ROWS)
    for kind, each in sizes.items():
        for m, n, k in each:
            yield (f"{kind} {m}x{n}x{k}", TARGETS[kind],
                   lambda random, of=(kind, m, n, k): product(*of, random))
    for kind in ("softmax", "layernorm"):
        for count, length in shapes:
            yield (f"{kind} {count}x{length}", TARGETS[kind],
                   lambda random, of=(kind, count, length):
                   row_work(*of, random))


def save(folder, tensors, role):
    """Writes them; the worker's words that name them."""
    for each in tensors:
        path = folder / f"{role}-{each.name}.bin"
        data = each.values if each.stored is None else each.stored
        data.tofile(path)
        shape = "x".join(map(str, each.values.shape))
        yield f"{role}={each.name}:{each.type}:{shape}:{path}"
