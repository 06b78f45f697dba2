# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bodies of CenterCropPad and AffineGrid."""


def center_crop_pad(b):
    axes = b.attribute("axes") or list(range(len(b.shape("x"))))
    b.constant("two", [2])
    b.constant("axes", axes)
    b.add("""
      sizes_before = Shape (x)
      own = Gather (sizes_before, axes)
      padded_size = Max (own, shape)
      lacking = Sub (padded_size, own)
      left = Div (lacking, two)
      right = Sub (lacking, left)
      pads = Concat <axis = 0> (left, right)
      padded = Pad (x, pads, , axes)
      sizes_after = Shape (padded)
      now = Gather (sizes_after, axes)
      surplus = Sub (now, shape)
      start = Div (surplus, two)
      end = Add (start, shape)
      y = Slice (padded, start, end, axes)""")


def steps_of_grid(b, axis):
    """Positions along one axis."""
    if b.attribute("align_corners", 0):
        b.add(f"""
          gaps_{axis} = Sub ({axis}_float, one_float)
          start_{axis} = Identity (minus_one_float)""")
        b.add("""
          is_plane = Equal (D, one_1d)
          step_D = If <then_branch = plane () => (none) {
              none = Identity (zero_float)
            }, else_branch = deep_enough () => (some) {
              some = Div (two_float, gaps_D)
            }> (is_plane)""" if axis == "D" else
              f"step_{axis} = Div (two_float, gaps_{axis})")
    else:
        b.add(f"""
          step_{axis} = Div (two_float, {axis}_float)
          half_{axis} = Div (step_{axis}, two_float)
          start_{axis} = Add (minus_one_float, half_{axis})""")
    b.add(f"""
      {axis}_scalar = Squeeze ({axis})
      places_{axis} = Range (zero, {axis}_scalar, one)
      counted_{axis} = CastLike (places_{axis}, theta)
      along_{axis} = Mul (counted_{axis}, step_{axis})
      grid_{axis} = Add (start_{axis}, along_{axis})""")


def affine_grid(b):
    """Images are volumes of depth one; the branches for them differ in rank."""
    for name, value in (("zero", 0), ("one", 1), ("two", 2), ("four", 4),
                        ("minus_one", -1)):
        b.constant(name, value)
    for name, value in (("zero_1d", 0), ("one_1d", 1), ("two_1d", 2),
                        ("three_1d", 3), ("five_1d", 5)):
        b.constant(name, [value])
    for name in ("zero", "one", "two", "minus_one"):
        b.add(f"{name}_float = CastLike ({name}, theta)")
    b.add("""
      dims = Size (size)
      is_image = Equal (dims, four)
      N, C, D, H, W = If <then_branch = image () => (n2, c2, d2, h2, w2) {
          n2, c2, h2, w2 = Split <num_outputs = 4> (size)
          d2 = Identity (one_1d)
        }, else_branch = volume () => (n3, c3, d3, h3, w3) {
          n3, c3, d3, h3, w3 = Split <num_outputs = 5> (size)
        }> (is_image)
      theta_3d = If <then_branch = image_theta () => (t2) {
          columns = Constant <value_ints = [0, 1, 2, 0, 1, 2]> ()
          rows_of = Constant <value_ints = [2, 3]> ()
          table = Reshape (columns, rows_of)
          tables_of = Concat <axis = 0> (N, rows_of)
          tables = Expand (table, tables_of)
          gathered = GatherElements <axis = 2> (theta, tables)
          upper, lower = Split <axis = 1, num_outputs = 2> (gathered)
          upper_row = Squeeze (upper)
          lower_row = Squeeze (lower)
          r11, r12, t1 = Split <axis = 1, num_outputs = 3> (upper_row)
          r21, r22, t2_ = Split <axis = 1, num_outputs = 3> (lower_row)
          column = Shape (r21)
          zeros_f = ConstantOfShape (column)
          zeros_t = CastLike (zeros_f, theta)
          ones_t = Add (zeros_t, one_float)
          row1 = Concat <axis = 1> (r11, r12, zeros_t, t1)
          row2 = Concat <axis = 1> (r21, r22, zeros_t, t2_)
          row3 = Concat <axis = 1> (zeros_t, zeros_t, ones_t, zeros_t)
          row1_ = Unsqueeze (row1, one_1d)
          row2_ = Unsqueeze (row2, one_1d)
          row3_ = Unsqueeze (row3, one_1d)
          t2 = Concat <axis = 1> (row1_, row2_, row3_)
        }, else_branch = volume_theta () => (t3) {
          t3 = Identity (theta)
        }> (is_image)
      NCDHW = Concat <axis = 0> (N, C, D, H, W)
      DHW = Slice (NCDHW, two_1d, five_1d)
      zeros_float = ConstantOfShape (DHW)
      zeros = CastLike (zeros_float, theta)
      ones = Add (zeros, one_float)""")
    for axis in "DHW":
        b.add(f"{axis}_float = CastLike ({axis}, theta)")
        steps_of_grid(b, axis)
    b.add("""
      zeros_hwd = Transpose <perm = [1, 2, 0]> (zeros)
      deep_ = Add (zeros_hwd, grid_D)
      deep = Transpose <perm = [2, 0, 1]> (deep_)
      zeros_dwh = Transpose <perm = [0, 2, 1]> (zeros)
      high_ = Add (zeros_dwh, grid_H)
      high = Transpose <perm = [0, 2, 1]> (high_)
      wide = Add (grid_W, zeros)
      x = Unsqueeze (wide, minus_one)
      y = Unsqueeze (high, minus_one)
      z = Unsqueeze (deep, minus_one)
      w = Unsqueeze (ones, minus_one)
      points = Concat <axis = -1> (x, y, z, w)
      by_four = Constant <value_ints = [-1, 4]> ()
      listed = Reshape (points, by_four)
      columns_of = Transpose (listed)
      moved = MatMul (theta_3d, columns_of)
      moved_rows = Transpose <perm = [0, 2, 1]> (moved)
      NDHW3 = Concat <axis = -1> (N, D, H, W, three_1d)
      whole = Reshape (moved_rows, NDHW3)
      grid = If <then_branch = flat () => (g2) {
          squeezed = Squeeze (whole, one_1d)
          g2 = Slice (squeezed, zero_1d, two_1d, three_1d)
        }, else_branch = deep_grid () => (g3) {
          g3 = Identity (whole)
        }> (is_image)""")


BODIES = {
    "CenterCropPad": (center_crop_pad, ["x", "shape"], ["y"]),
    "AffineGrid": (affine_grid, ["theta", "size"], ["grid"]),
}
