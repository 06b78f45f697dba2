# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Payloads that attend: scores of every query and key, softmax, weighted sums
of values, as an importer writes them, in odd sizes."""

# batch, heads, rows, keys, width
SHAPES = [
    (1, 12, 17, 17, 33), (2, 3, 65, 17, 33), (1, 3, 63, 65, 64),
    (1, 3, 1, 130, 64), (1, 1, 7, 63, 33)]


def attention(batch, heads, rows, keys, width, dtype="f32", mask="",
              unknown=""):
    """@main(q, k, v[, mask]) -> sums. Of `unknown`, b, r and k are sizes that
    the types leave open; `mask` is keys or rows, what it has a number for."""
    b, r, k = ("?" if letter in unknown else size for letter, size in
               (("b", batch), ("r", rows), ("k", keys)))
    names = {"b": "%b", "r": "%r", "k": "%k"}
    sizes = {"b": b, "h": heads, "r": r, "k": k, "w": width, "1": 1}

    def kind(letters):
        return "tensor<%s%s>" % (
            "".join("%sx" % sizes[c] for c in letters), dtype)

    def flat(letters):
        whole = "?" if b == "?" else b * heads
        return "tensor<%sx%s%s>" % (
            whole, "".join("%sx" % sizes[c] for c in letters[2:]), dtype)

    def empty(name, letters):
        return "%%%s = tensor.empty(%s) : %s" % (name, ", ".join(
            names[c] for c in letters if sizes[c] == "?"), kind(letters))

    def identity(letters):
        return "affine_map<(%s) -> (%s)>" % (", ".join(letters),
                                             ", ".join(letters))

    def reads(domain, letters):
        return "affine_map<(%s) -> (%s)>" % (", ".join(domain), ", ".join(
            "0" if c == "1" else c for c in letters))

    lines = []

    def generic(name, ins, out, body, domain=None, init=None):
        domain = domain or out
        if init is None:
            init = name + "e"
            lines.append(empty(init, out))
        maps = [reads(domain, letters) for _, letters in ins]
        maps.append(reads(domain, out))
        kinds = ", ".join('"parallel"' if c in out else '"reduction"'
                          for c in domain)
        arguments = ["%%%s: %s" % (letter, dtype)
                     for letter, _ in zip("xyz", ins)]
        lines.append(
            "%%%s = linalg.generic {indexing_maps = [%s], iterator_types = "
            "[%s]}\n      ins(%s : %s) outs(%%%s : %s) {\n  ^bb0(%s, %%o: %s):"
            "\n    %s\n  } -> %s" % (
                name, ", ".join(maps), kinds,
                ", ".join("%" + value for value, _ in ins),
                ", ".join(kind(letters) for _, letters in ins), init,
                kind(out), ", ".join(arguments), dtype,
                "\n    ".join(body), kind(out)))

    def product(name, left, right, letters, left_letters, right_letters):
        for value, operand, of in (("l", left, left_letters),
                                   ("m", right, right_letters)):
            lines.append("%%%s%s = tensor.collapse_shape %%%s [[0, 1], [2], "
                         "[3]] : %s into %s" % (name, value, operand,
                                                kind(of), flat(of)))
        whole = flat(letters)
        unknown_sizes = (["%bh"] if b == "?" else []) + [
            names[c] for c in letters[2:] if sizes[c] == "?"]
        lines.extend([
            "%%%se = tensor.empty(%s) : %s" % (
                name, ", ".join(unknown_sizes), whole),
            "%%%sz = linalg.fill ins(%%zero : %s) outs(%%%se : %s) -> %s" % (
                name, dtype, name, whole, whole),
            "%%%sp = linalg.batch_matmul ins(%%%sl, %%%sm : %s, %s) outs("
            "%%%sz : %s) -> %s" % (name, name, name, flat(left_letters),
                                   flat(right_letters), name, whole, whole)])
        shape = ", ".join(names[c] if sizes[c] == "?" else str(sizes[c])
                          for c in letters)
        lines.append("%%%s = tensor.expand_shape %%%sp [[0, 1], [2], [3]] "
                     "output_shape [%s] : %s into %s" % (
                         name, name, shape, whole, kind(letters)))

    def reduction(name, value, start, body):
        lines.extend([empty(name + "e", "bhr"),
                      "%%%s0 = linalg.fill ins(%%%s : %s) outs(%%%se : %s) -> "
                      "%s" % (name, start, dtype, name, kind("bhr"),
                              kind("bhr"))])
        generic(name, [(value, "bhrk")], "bhr", body, "bhrk", name + "0")

    def give(op, *operands):
        return ["%%v = %s %s : %s" % (op, ", ".join(operands), dtype),
                "linalg.yield %%v : %s" % dtype]

    lowest = {"f32": "0xFF800000", "f64": "0xFFF0000000000000"}[dtype]
    lines += ["%%zero = arith.constant 0.0 : %s" % dtype,
              "%%lowest = arith.constant %s : %s" % (lowest, dtype),
              "%%scale = arith.constant 0.25 : %s" % dtype]
    for i, (letter, argument, letters) in enumerate(
            (("b", "a0", "brhw"), ("r", "a0", "brhw"), ("k", "a1", "bkhw"))):
        if sizes[letter] == "?":
            lines += ["%%i%d = arith.constant %d : index" % (
                i, letters.index(letter)),
                "%%%s = tensor.dim %%%s, %%i%d : %s" % (
                    letter, argument, i, kind(letters))]
    if b == "?":
        lines += ["%%heads = arith.constant %d : index" % heads,
                  "%bh = arith.muli %b, %heads : index"]
    copy = ["linalg.yield %%x : %s" % dtype]
    generic("q", [("a0", "brhw")], "bhrw", copy)
    generic("t", [("a1", "bkhw")], "bhwk", copy)
    generic("u", [("a2", "bkhw")], "bhkw", copy)
    product("s", "q", "t", "bhrk", "bhrw", "bhwk")
    arguments = [kind("brhw"), kind("bkhw"), kind("bkhw")]
    scaled = ["%%d = arith.mulf %%x, %%scale : %s" % dtype]
    if mask:
        letters = {"keys": "b11k", "rows": "bhrk"}[mask]
        arguments.append(kind(letters))
        generic("w", [("s", "bhrk"), ("a3", letters)], "bhrk",
                scaled + give("arith.addf", "%d", "%y"))
    else:
        generic("w", [("s", "bhrk")], "bhrk",
                scaled + ["linalg.yield %%d : %s" % dtype])
    reduction("top", "w", "lowest", give("arith.maximumf", "%x", "%o"))
    generic("p", [("w", "bhrk"), ("top", "bhr")], "bhrk",
            ["%%d = arith.subf %%x, %%y : %s" % dtype]
            + give("math.exp", "%d"))
    reduction("sum", "p", "zero", give("arith.addf", "%x", "%o"))
    generic("n", [("p", "bhrk"), ("sum", "bhr")], "bhrk",
            give("arith.divf", "%x", "%y"))
    product("y", "n", "u", "bhrw", "bhrk", "bhkw")
    generic("merged", [("y", "bhrw")], "brhw", copy)
    return "func.func @main(%s) -> %s {\n  %s\n  return %%merged : %s\n}\n" % (
        ", ".join("%%a%d: %s" % (i, type_)
                  for i, type_ in enumerate(arguments)),
        kind("brhw"), "\n  ".join(lines), kind("brhw"))


def attention_payloads():
    found = {}
    for i, shape in enumerate(SHAPES):
        mask = ("", "keys", "rows")[i % 3]
        name = "-".join(["attention", *map(str, shape)])
        found[name] = attention(*shape, mask=mask)
    found["attention-f64"] = attention(2, 1, 65, 7, 16, "f64", "keys")
    # The same size everywhere: 13, as schedules.py has it.
    found["attention-unknown"] = attention(13, 3, 13, 13, 33, "f32", "rows",
                                           "brk")
    found["attention-unknown-keys"] = attention(1, 12, 7, 13, 64, "f32",
                                                "keys", "k")
    return found
