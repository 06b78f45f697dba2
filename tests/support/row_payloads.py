# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Payloads whose ops share rows: softmax, layer normalization and GELU of odd
lengths, along the last dimension and along another, of every float type."""

SIZES = (1, 7, 17, 63, 64, 65, 130)
# Rows of each length, then other types, dimensions and unknown sizes.
SHAPES = [("f32", (3, size)) for size in SIZES] + [
    ("f32", (size, 3)) for size in SIZES] + [
    ("f64", (5, 65)), ("f16", (5, 65)), ("bf16", (5, 65)),
    ("f32", (2, 3, 17)), ("f32", ("?", 65)), ("f32", (5, "?")),
    # Rows in loops, of which one writes a row while it computes the next.
    ("f32", (70, 333)), ("f32", (64, 384)), ("f64", (34, 257))]


def tensor(shape, dtype):
    return f"tensor<{''.join(f'{size}x' for size in shape)}{dtype}>"


class Payload:
    """@main on one tensor, op by op; `axis` is the one that is reduced."""

    def __init__(self, dtype, shape, axis):
        self.dtype, self.whole = dtype, tensor(shape, dtype)
        kept = [i for i in range(len(shape)) if i != axis]
        self.row = tensor([shape[i] for i in kept], dtype)
        names = [f"d{i}" for i in range(len(shape))]
        domain = ", ".join(names)
        self.every = f"affine_map<({domain}) -> ({domain})>"
        self.some = (f"affine_map<({domain}) -> "
                     f"({', '.join(names[i] for i in kept)})>")
        self.parallel = ['"parallel"'] * len(shape)
        self.reduced = list(self.parallel)
        self.reduced[axis] = '"reduction"'
        self.lines = []
        for i, size in enumerate(shape):
            if size == "?":
                self.lines += [f"%i{i} = arith.constant {i} : index",
                               f"%n{i} = tensor.dim %x, %i{i} : {self.whole}"]
        unknown = [f"%n{i}" if shape[i] == "?" else "" for i in
                   range(len(shape))]
        self.lines += [
            f"%whole = tensor.empty({self.sizes(unknown)}) : {self.whole}",
            f"%row = tensor.empty({self.sizes([unknown[i] for i in kept])})"
            f" : {self.row}"]

    @staticmethod
    def sizes(names):
        return ", ".join(name for name in names if name)

    def constant(self, name, value):
        self.lines.append(f"%{name} = arith.constant {value} : {self.dtype}")

    def generic(self, name, operands, kinds, out, body):
        """A linalg.generic; operands and out are names with 'every' or 'some'.
        """
        types = {"every": self.whole, "some": self.row}
        maps = ", ".join([getattr(self, kind) for _, kind in operands]
                         + [getattr(self, out[1])])
        arguments = ", ".join(f"%{'abcd'[i]}: {self.dtype}"
                              for i in range(len(operands) + 1))
        self.lines.append(
            f"%{name} = linalg.generic {{indexing_maps = [{maps}], "
            f"iterator_types = [{', '.join(kinds)}]}} "
            f"ins({', '.join('%' + operand for operand, _ in operands)} : "
            f"{', '.join(types[kind] for _, kind in operands)}) "
            f"outs(%{out[0]} : {types[out[1]]}) {{\n  ^bb0({arguments}):\n    "
            + "\n    ".join(line.replace("T", self.dtype) for line in body)
            + f"\n    linalg.yield %v : {self.dtype}\n  }} -> {types[out[1]]}")

    def reduce(self, name, source, start, body):
        self.lines.append(
            f"%{name}0 = linalg.fill ins(%{start} : {self.dtype}) "
            f"outs(%row : {self.row}) -> {self.row}")
        self.generic(name, [(source, "every")], self.reduced,
                     (name + "0", "some"), body)

    def each(self, name, operands, body):
        self.generic(name, operands, self.parallel, ("whole", "every"), body)

    def text(self, result):
        return (f"func.func @main(%x: {self.whole}) -> {self.whole} {{\n  "
                + "\n  ".join(self.lines)
                + f"\n  return %{result} : {self.whole}\n}}\n")


def softmax(dtype, shape, axis):
    payload = Payload(dtype, shape, axis)
    payload.constant("zero", "0.0")
    payload.constant("low", "-1.0e+4")
    payload.reduce("m", "x", "low", ["%v = arith.maximumf %a, %b : T"])
    payload.each("p", [("x", "every"), ("m", "some")],
                 ["%s = arith.subf %a, %b : T", "%v = math.exp %s : T"])
    payload.reduce("s", "p", "zero", ["%v = arith.addf %a, %b : T"])
    payload.each("y", [("p", "every"), ("s", "some")],
                 ["%v = arith.divf %a, %b : T"])
    return payload.text("y")


def normalization(dtype, shape, axis):
    payload = Payload(dtype, shape, axis)
    payload.constant("zero", "0.0")
    payload.constant("share", "0.015625")
    payload.constant("least", "0.125")
    payload.reduce("m", "x", "zero", ["%v = arith.addf %a, %b : T"])
    payload.each("d", [("x", "every"), ("m", "some")],
                 ["%n = arith.mulf %b, %share : T", "%v = arith.subf %a, %n : T"])
    payload.reduce("s", "d", "zero", ["%q = arith.mulf %a, %a : T",
                                      "%v = arith.addf %q, %b : T"])
    payload.each("y", [("d", "every"), ("s", "some")],
                 ["%n = arith.mulf %b, %share : T",
                  "%k = arith.addf %n, %least : T",
                  "%r = math.rsqrt %k : T", "%v = arith.mulf %a, %r : T"])
    return payload.text("y")


def gelu(dtype, shape, axis):
    payload = Payload(dtype, shape, axis)
    for name, value in (("half", "0.5"), ("one", "1.0"), ("root", "0.70703125")):
        payload.constant(name, value)
    payload.each("y", [("x", "every")],
                 ["%s = arith.mulf %a, %root : T", "%e = math.erf %s : T",
                  "%p = arith.addf %e, %one : T", "%h = arith.mulf %a, %half : T",
                  "%v = arith.mulf %p, %h : T"])
    return payload.text("y")


def row_payloads():
    """Every payload by its name."""
    found = {}
    for dtype, shape in SHAPES:
        name = "x".join("any" if size == "?" else str(size) for size in shape)
        last = len(shape) - 1
        found[f"rows-softmax-{name}-{dtype}"] = softmax(dtype, shape, last)
        found[f"rows-normalization-{name}-{dtype}"] = normalization(
            dtype, shape, last)
        found[f"rows-gelu-{name}-{dtype}"] = gelu(dtype, shape, last)
    for size in SIZES:
        found[f"rows-softmax-first-{size}"] = softmax("f32", (9, size), 0)
        found[f"rows-softmax-middle-{size}"] = softmax("f32", (2, 5, size), 1)
    return found
