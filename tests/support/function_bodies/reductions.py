# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bodies of the reductions, Softmax and LogSoftmax."""


def reduction(before, after):
    """Whose axes are an operand that may be absent; `data` becomes `summed`."""
    def build(b):
        keeps = b.attribute("keepdims", 1)
        noop = b.attribute("noop_with_empty_axes", 0)
        axes = b.attribute("axes")  # below opset 18
        if axes is not None:
            b.constant("axes", axes)
        given = ", axes" if b.has("axes") or axes is not None else ""
        b.add(f"""
          {before}
          total = ReduceSum <keepdims = {keeps},
            noop_with_empty_axes = {noop}> (summed{given})
          {after}""")
    return build


def of_exponentials(last):
    def build(b):
        b.constant("axes", [b.attribute("axis", -1)])
        b.add(f"""
          greatest = ReduceMax <keepdims = 1> (x, axes)
          shifted = Sub (x, greatest)
          powers = Exp (shifted)
          total = ReduceSum <keepdims = 1> (powers, axes)
          {last}""")
    return build


REDUCTIONS = {
    "ReduceL1": ("summed = Abs (data)", "reduced = Identity (total)"),
    "ReduceL2": ("summed = Mul (data, data)",
                 """wide = Cast <to = 1> (total)
                    root = Sqrt (wide)
                    reduced = CastLike (root, data)"""),
    "ReduceLogSum": ("summed = Identity (data)", "reduced = Log (total)"),
    "ReduceLogSumExp": ("""wide = Cast <to = 11> (data)
                           summed = Exp (wide)""",
                        """logarithm = Log (total)
                           reduced = CastLike (logarithm, data)"""),
    "ReduceSumSquare": ("summed = Mul (data, data)",
                        "reduced = Identity (total)"),
}

BODIES = {
    **{op: (reduction(*texts), ["data", "axes"], ["reduced"])
       for op, texts in REDUCTIONS.items()},
    "Softmax": (of_exponentials("y = Div (powers, total)"), ["x"], ["y"]),
    "LogSoftmax": (of_exponentials("""logarithm = Log (total)
                                      y = Sub (shifted, logarithm)"""),
                   ["x"], ["y"]),
}
