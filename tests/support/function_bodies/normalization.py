# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bodies of the normalizations and of DynamicQuantizeLinear."""
import numpy as np

from function_bodies.body import FLOAT


def moments(b, x, axes):
    """`deviation` from the mean, and `variance`."""
    b.add(f"""
      mean = ReduceMean ({x}, {axes})
      square = Mul ({x}, {x})
      mean_of_square = ReduceMean (square, {axes})
      square_of_mean = Mul (mean, mean)
      variance = Sub (mean_of_square, square_of_mean)
      deviation = Sub ({x}, mean)""")


def layer_norm(b):
    axis = b.attribute("axis", -1)
    stash = b.attribute("stash_type", FLOAT)
    b.constant("epsilon_float", b.attribute("epsilon", 1e-5), np.float32)
    b.constant("zero", [0])
    b.constant("one", [1])
    b.constant("axis", [axis])
    count = "Sub (rank, axis)" if axis >= 0 else "Neg (axis)"
    b.add(f"""
      epsilon = Cast <to = {stash}> (epsilon_float)
      shape = Shape (X)
      rank = Size (shape)
      kept = Slice (shape, zero, axis)
      count = {count}""")
    b.add("ones = ConstantOfShape <value = int64[1] {1}> (count)")
    b.add(f"""
      reduced_shape = Concat <axis = 0> (kept, ones)
      flat = Flatten <axis = {axis}> (X)
      wide = Cast <to = {stash}> (flat)""")
    moments(b, "wide", "one")
    b.add(f"""
      guarded = Add (variance, epsilon)
      spread = Sqrt (guarded)
      normal = Div (deviation, spread)
      narrow = Cast <to = {b.dtype('X')}> (normal)
      flat_scale = Flatten <axis = 0> (Scale)
      scaled = Mul (narrow, flat_scale)""")
    if b.has("B"):
        b.add("""
          flat_bias = Flatten <axis = 0> (B)
          biased = Add (scaled, flat_bias)""")
    else:
        b.add("biased = Identity (scaled)")
    b.add("Y = Reshape (biased, shape)")
    if b.has("Mean"):
        b.add("Mean = Reshape (mean, reduced_shape)")
    if b.has("InvStdDev"):
        b.add("""
          inverse = Reciprocal (spread)
          InvStdDev = Reshape (inverse, reduced_shape)""")


def rms_norm(b):
    axis = b.attribute("axis", -1)
    stash = b.attribute("stash_type", FLOAT)
    b.constant("epsilon_float", b.attribute("epsilon", 1e-5), np.float32)
    b.constant("axis", axis)
    b.constant("one", 1)
    b.add(f"""
      epsilon = Cast <to = {stash}> (epsilon_float)
      shape = Shape (X)
      rank = Size (shape)
      first = {"Identity (axis)" if axis >= 0 else "Add (rank, axis)"}
      axes = Range (first, rank, one)
      wide = Cast <to = {stash}> (X)
      square = Mul (wide, wide)
      mean = ReduceMean (square, axes)
      guarded = Add (mean, epsilon)
      root = Sqrt (guarded)
      normal = Div (wide, root)
      narrow = Cast <to = {b.dtype('scale')}> (normal)
      Y = Mul (narrow, scale)""")


def group_norm(b):
    """From opset 21 on scale and bias are those of channels, not of groups."""
    stash = (b.attribute("stash_type", FLOAT) if b.node_opset >= 21
             else b.dtype("X"))
    b.constant("epsilon_float", [b.attribute("epsilon", 1e-5)], np.float32)
    b.constant("groups", [b.attribute("num_groups")])
    b.constant("flat_shape", [0, 0, -1])
    b.constant("axes", [2])
    b.constant("by_channel", [1, -1, 1])
    b.add(f"""
      epsilon = Cast <to = {stash}> (epsilon_float)
      wide = Cast <to = {stash}> (X)
      shape = Shape (X)
      channels = Shape <start = 1, end = 2> (X)
      in_group = Div (channels, groups)
      batch = Shape <start = 0, end = 1> (X)
      image = Shape <start = 2> (X)
      grouped_shape = Concat <axis = 0> (batch, groups, in_group, image)
      grouped = Reshape (wide, grouped_shape)
      flat = Reshape (grouped, flat_shape)""")
    moments(b, "flat", "axes")
    b.add("""
      guarded = Add (variance, epsilon)
      spread = Sqrt (guarded)
      normal = Div (deviation, spread)""")
    if b.node_opset >= 21:
        b.add("""
          whole = Reshape (normal, shape)
          placed = Reshape (whole, flat_shape)""")
    else:
        b.add("placed = Identity (normal)")
    b.add(f"""
      narrow = Cast <to = {b.dtype('X')}> (placed)
      scale_here = Reshape (scale, by_channel)
      bias_here = Reshape (bias, by_channel)
      scaled = Mul (scale_here, narrow)
      biased = Add (scaled, bias_here)
      Y = Reshape (biased, shape)""")


def mean_variance(b):
    b.constant("axes", b.attribute("axes", [0, 2, 3]))
    b.number("epsilon", 1e-9, "X")
    b.number("two", 2, "X")
    b.add("""
      mean = ReduceMean (X, axes)
      square_of_mean = Pow (mean, two)
      square = Pow (X, two)
      mean_of_square = ReduceMean (square, axes)
      variance = Sub (mean_of_square, square_of_mean)
      spread = Sqrt (variance)
      deviation = Sub (X, mean)
      guarded = Add (spread, epsilon)
      Y = Div (deviation, guarded)""")


def dynamic_quantize(b):
    b.constant("low", 0, np.float32)
    b.constant("high", 255, np.float32)
    b.add("""
      least = ReduceMin <keepdims = 0> (x)
      least_or_zero = Min (least, low)
      most = ReduceMax <keepdims = 0> (x)
      most_or_zero = Max (most, low)
      range = Sub (most_or_zero, least_or_zero)
      y_scale = Div (range, high)
      steps = Div (least_or_zero, y_scale)
      first = Sub (low, steps)
      inside = Clip (first, low, high)
      whole = Round (inside)
      y_zero_point = Cast <to = 2> (whole)
      y = QuantizeLinear (x, y_scale, y_zero_point)""")


BODIES = {
    "LayerNormalization": (layer_norm, ["X", "Scale", "B"],
                           ["Y", "Mean", "InvStdDev"]),
    "RMSNormalization": (rms_norm, ["X", "scale"], ["Y"]),
    "GroupNormalization": (group_norm, ["X", "scale", "bias"], ["Y"]),
    "MeanVarianceNormalization": (mean_variance, ["X"], ["Y"]),
    "DynamicQuantizeLinear": (dynamic_quantize, ["x"],
                              ["y", "y_scale", "y_zero_point"]),
}
