# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bodies of the elementwise operators."""
import math


def relu(b):
    b.number("zero", 0, "x")
    b.add("y = Max (x, zero)")


def leaky_relu(b):
    b.parameters(alpha=0.01)
    b.number("zero", 0, "x")
    b.add("""
      negative = Less (x, zero)
      scaled = Mul (alpha, x)
      y = Where (negative, scaled, x)""")


def prelu(b):
    b.number("zero", 0, "x")
    b.add("""
      negative = Less (x, zero)
      scaled = Mul (slope, x)
      y = Where (negative, scaled, x)""")


def elu(b):
    b.parameters(alpha=1.0)
    b.number("zero", 0, "x")
    b.number("one", 1, "x")
    b.add("""
      negative = Less (x, zero)
      power = Exp (x)
      less = Sub (power, one)
      bent = Mul (alpha, less)
      y = Where (negative, bent, x)""")


def celu(b):
    alpha = b.attribute("alpha", 1.0)
    b.number("alpha", alpha, "x")
    b.add("""
      scaled = Div (x, alpha)
      bent = Elu <alpha = 1.0> (scaled)
      y = Mul (alpha, bent)""")


def selu(b):
    b.parameters(alpha=1.67326319217681884765625,
                 gamma=1.05070102214813232421875)
    b.number("zero", 0, "x")
    b.add("""
      power = Exp (x)
      scaled = Mul (alpha, power)
      less = Sub (scaled, alpha)
      below = Mul (gamma, less)
      above = Mul (gamma, x)
      negative = Less (x, zero)
      y = Where (negative, below, above)""")


def hard_sigmoid(b):
    b.parameters(alpha=0.2, beta=0.5)
    b.number("zero", 0, "x")
    b.number("one", 1, "x")
    b.add("""
      scaled = Mul (x, alpha)
      shifted = Add (scaled, beta)
      least = Min (shifted, one)
      y = Max (least, zero)""")


def hard_swish(b):
    b.add("""
      gate = HardSigmoid <alpha = 0.16666667163372, beta = 0.5> (x)
      y = Mul (x, gate)""")


def mish(b):
    b.add("""
      soft = Softplus (x)
      bent = Tanh (soft)
      y = Mul (x, bent)""")


def softplus(b):
    b.number("one", 1, "x")
    b.add("""
      power = Exp (x)
      more = Add (power, one)
      y = Log (more)""")


def softsign(b):
    b.number("one", 1, "x")
    b.add("""
      size = Abs (x)
      more = Add (one, size)
      y = Div (x, more)""")


def swish(b):
    b.parameters(alpha=1.0)
    b.add("""
      scaled = Mul (alpha, x)
      gate = Sigmoid (scaled)
      y = Mul (x, gate)""")


def thresholded_relu(b):
    b.parameters(alpha=1.0)
    b.number("zero", 0, "x")
    b.add("""
      above = Less (alpha, x)
      y = Where (above, x, zero)""")


def shrink(b):
    b.parameters(lambd=0.5, bias=0.0)
    b.number("zero", 0, "x")
    b.add("""
      minus = Neg (lambd)
      below = Less (x, minus)
      above = Less (lambd, x)
      more = Add (x, bias)
      less = Sub (x, bias)
      rest = Where (above, less, zero)
      y = Where (below, more, rest)""")


def gelu(b):
    b.number("half", 0.5, "x")
    b.number("one", 1, "x")
    if b.attribute("approximate", "none") == "tanh":
        b.number("ratio", 2 / math.pi, "x")
        b.number("cubed_share", 0.044715, "x")
        b.number("three", 3, "x")
        b.add("""
          scale = Sqrt (ratio)
          cube = Pow (x, three)
          part = Mul (cubed_share, cube)
          sum = Sum (x, part)
          inner = Mul (scale, sum)
          bent = Tanh (inner)""")
    else:
        b.number("two", 2, "x")
        b.add("""
          root = Sqrt (two)
          inner = Div (x, root)
          bent = Erf (inner)""")
    b.add("""
      share = Sum (one, bent)
      halved = Mul (half, x)
      y = Mul (halved, share)""")


def clip(b):
    last = "x"
    if b.has("min"):
        b.add(f"""
          is_less = Less (x, min)
          {'raised' if b.has('max') else 'y'} = Where (is_less, min, x)""")
        last = "raised"
    if b.has("max"):
        b.add(f"""
          is_more = Less (max, {last})
          y = Where (is_more, max, {last})""")
    elif not b.has("min"):
        b.add("y = Identity (x)")


def or_equal(comparison):
    def build(b):
        b.add(f"""
          strict = {comparison} (A, B)
          same = Equal (A, B)
          C = Or (strict, same)""")
    return build


def cast_like(b):
    text = f"to = {b.dtype('like')}"
    if b.opset >= 19:
        text += f", saturate = {b.attribute('saturate', 1)}"
    if b.opset >= 24:
        text += f", round_mode = \"{b.attribute('round_mode', 'up')}\""
    b.add(f"y = Cast <{text}> (x)")


BODIES = {
    "Relu": (relu, ["x"], ["y"]),
    "LeakyRelu": (leaky_relu, ["x"], ["y"]),
    "PRelu": (prelu, ["x", "slope"], ["y"]),
    "Elu": (elu, ["x"], ["y"]),
    "Celu": (celu, ["x"], ["y"]),
    "Selu": (selu, ["x"], ["y"]),
    "HardSigmoid": (hard_sigmoid, ["x"], ["y"]),
    "HardSwish": (hard_swish, ["x"], ["y"]),
    "Mish": (mish, ["x"], ["y"]),
    "Softplus": (softplus, ["x"], ["y"]),
    "Softsign": (softsign, ["x"], ["y"]),
    "Swish": (swish, ["x"], ["y"]),
    "ThresholdedRelu": (thresholded_relu, ["x"], ["y"]),
    "Shrink": (shrink, ["x"], ["y"]),
    "Gelu": (gelu, ["x"], ["y"]),
    "Clip": (clip, ["x", "min", "max"], ["y"]),
    "GreaterOrEqual": (or_equal("Greater"), ["A", "B"], ["C"]),
    "LessOrEqual": (or_equal("Less"), ["A", "B"], ["C"]),
    "CastLike": (cast_like, ["x", "like"], ["y"]),
}
