# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bodies of Range and of the windows."""
import math

import numpy as np

from function_bodies.body import FLOAT


def range_of(b):
    """Below opset 27 a loop that adds; from there on each number is computed
    in a wider type."""
    if b.node_opset < 27:
        b.add("""
          span = Sub (limit, start)
          span_float = Cast <to = 1> (span)
          delta_float = Cast <to = 1> (delta)
          quotient = Div (span_float, delta_float)
          whole = Ceil (quotient)
          positive = Relu (whole)
          count = Cast <to = 7> (positive)
          any = Cast <to = 9> (positive)
          last, output = Loop (count, any, start) <body = step
            (int64 i, bool cond, before) => (goes_on, now, kept) {
              goes_on = Identity (cond)
              now = Add (before, delta)
              kept = Identity (before)
            }>""")
        return
    stash = b.attribute("stash_type", FLOAT)
    b.constant("zero", 0)
    b.constant("one", 1)
    b.add(f"""
      start_wide = Cast <to = {stash}> (start)
      limit_wide = Cast <to = {stash}> (limit)
      delta_wide = Cast <to = {stash}> (delta)
      span = Sub (limit_wide, start_wide)
      quotient = Div (span, delta_wide)
      whole = Ceil (quotient)
      positive = Relu (whole)
      count = Cast <to = 7> (positive)
      places = Range (zero, count, one)
      places_wide = Cast <to = {stash}> (places)
      steps = Mul (places_wide, delta_wide)
      numbers = Add (start_wide, steps)
      output = CastLike (numbers, start)""")


def window(a0, a1, a2):
    def build(b):
        for name, value in (("a0", a0), ("a1", a1), ("a2", a2), ("zero", 0),
                            ("one", 1), ("two", 2), ("turn", 2 * math.pi)):
            b.constant(name, value, np.float32)
        periodic = b.attribute("periodic", 1)
        b.add(f"""
          length = Cast <to = 1> (size)
          shorter = Sub (length, one)
          period = Identity ({'length' if periodic else 'shorter'})
          step = Div (turn, period)
          places = Range (zero, length, one)
          angles = Mul (places, step)
          doubled = Mul (angles, two)
          cosines2 = Cos (doubled)
          part2 = Mul (a2, cosines2)
          cosines1 = Cos (angles)
          part1 = Mul (a1, cosines1)
          less = Sub (a0, part1)
          sum = Add (less, part2)
          output = Cast <to = {b.attribute('output_datatype', FLOAT)}> (sum)""")
    return build


BODIES = {
    "Range": (range_of, ["start", "limit", "delta"], ["output"]),
    "HannWindow": (window(0.5, 0.5, 0), ["size"], ["output"]),
    "HammingWindow": (window(25 / 46, 21 / 46, 0), ["size"], ["output"]),
    "BlackmanWindow": (window(0.42, 0.5, 0.08), ["size"], ["output"]),
}
