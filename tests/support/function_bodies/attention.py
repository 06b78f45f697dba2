# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bodies of the operators of attention."""
import numpy as np

from function_bodies.body import BOOL


def rotary_embedding(b):
    width = b.attribute("rotary_embedding_dim", 0)
    is_flat = len(b.shape("X")) == 3
    b.constant("zero", [0])
    b.constant("one", [1])
    b.constant("two", [2])
    b.constant("three", [3])
    if is_flat:
        b.constant("split_shape", [0, 0, b.attribute("num_heads"), -1])
        b.add("x = Reshape (X, split_shape)")
    else:
        b.add("x = Transpose <perm = [0, 2, 1, 3]> (X)")
    b.add("head = Shape <start = 3, end = 4> (x)")
    if width:
        b.constant("width", [width])
    else:
        b.add("width = Identity (head)")
    b.add("""
      rest_width = Sub (head, width)
      widths = Concat <axis = 0> (width, rest_width)
      turned, rest = Split <axis = -1> (x, widths)
      half = Div (width, two)""")
    for name in ("cos", "sin"):
        read = "Gather" if b.has("positions") else "Identity"
        given = ", positions" if b.has("positions") else ""
        b.add(f"""
          {name}_read = {read} ({name}_cache{given})
          {name}_half = Slice ({name}_read, zero, half, two)
          {name} = Unsqueeze ({name}_half, two)""")
    if b.attribute("interleaved", 0):
        b.add("""
          beyond = Add (width, one)
          first = Slice (turned, zero, width, three, two)
          second = Slice (turned, one, beyond, three, two)""")
    else:
        b.add("first, second = Split <axis = -1, num_outputs = 2> (turned)")
    b.add("""
      cos_first = Mul (cos, first)
      sin_second = Mul (sin, second)
      real = Sub (cos_first, sin_second)
      sin_first = Mul (sin, first)
      cos_second = Mul (cos, second)
      imaginary = Add (sin_first, cos_second)""")
    if b.attribute("interleaved", 0):
        b.add("""
          last = Constant <value_ints = [-1]> ()
          real_last = Unsqueeze (real, last)
          imaginary_last = Unsqueeze (imaginary, last)
          pairs = Concat <axis = -1> (real_last, imaginary_last)
          turned_shape = Shape (turned)
          result = Reshape (pairs, turned_shape)""")
    else:
        b.add("result = Concat <axis = -1> (real, imaginary)")
    back = "Identity" if is_flat else "Transpose <perm = [0, 2, 1, 3]>"
    b.add(f"""
      whole = Concat <axis = -1> (result, rest)
      back = {back} (whole)
      shape = Shape (X)
      Y = Reshape (back, shape)""")


def causal_conv(b):
    b.constant("one", [1])
    b.constant("axis", [2])
    b.add("""
      taps = Shape <start = 2, end = 3> (weight)
      kept = Sub (taps, one)""")
    if b.has("past_state"):
        b.add("padded = Concat <axis = 2> (past_state, input)")
    else:
        b.add("""
          lines = Shape <start = 0, end = 2> (input)
          before_shape = Concat <axis = 0> (lines, kept)
          before_float = ConstantOfShape (before_shape)
          before = CastLike (before_float, input)
          padded = Concat <axis = 2> (before, input)""")
    bias = ", bias" if b.has("bias") else ""
    b.add(f"convolved = Conv <group = {b.shape('weight')[0]}> "
          f"(padded, weight{bias})")
    if b.attribute("activation", "none") in ("silu", "swish"):
        b.add("""
          wide = Cast <to = 1> (convolved)
          gate = Sigmoid (wide)
          gated = Mul (wide, gate)
          output = CastLike (gated, convolved)""")
    else:
        b.add("output = Identity (convolved)")
    b.add("""
      length = Shape <start = 2, end = 3> (padded)
      start = Sub (length, kept)""")
    if b.has("present_state"):
        b.add("present_state = Slice (padded, start, length, axis)")


def recurrence(b, rule, groups):
    """One step of linear attention, in the state's float32."""
    names = ["q", "k", "v"]
    text = "before = Identity (state)"
    if "gated" in rule:
        names.append("decay")
        text = """
          strength = Exp (decay_t)
          strengths = Unsqueeze (strength, minus_one)
          before = Mul (state, strengths)"""
    if "delta" in rule:
        names.append("beta")
        text += """
          turned = Transpose <perm = [0, 1, 3, 2]> (before)
          held_column = MatMul (turned, key_column)
          held = Squeeze (held_column, minus_one)
          error = Sub (v_t, held)
          written = Mul (beta_t, error)"""
    else:
        text += "\nwritten = Identity (v_t)"
    casts = "\n".join(f"{name}_t = Cast <to = 1> ({name}_in)"
                      for name in names)
    read = "read_state = Identity (after)"
    if groups > 1:
        read = """
          with_groups = Unsqueeze (after, two)
          repeated = Expand (with_groups, repeated_shape)
          read_state = Reshape (repeated, read_shape)"""
    inputs = ", ".join(f"{name}_in" for name in names)
    return names, f"""body = step (state, {inputs}) => (after, output_t) {{
          {casts}
          key_column = Unsqueeze (k_t, minus_one)
          {text}
          written_row = Unsqueeze (written, minus_two)
          outer = MatMul (key_column, written_row)
          after = Add (before, outer)
          {read}
          query_row = Unsqueeze (q_t, minus_two)
          answer_row = MatMul (query_row, read_state)
          answer = Squeeze (answer_row, minus_two)
          scaled = Mul (scale, answer)
          output_t = CastLike (scaled, q_in)
        }}"""


def linear_attention(b):
    heads, shared = b.attribute("q_num_heads"), b.attribute("kv_num_heads")
    groups = heads // shared
    names, body = recurrence(
        b, b.attribute("update_rule", "gated_delta"), groups)
    for name, value in (("minus_one", -1), ("minus_two", -2), ("one", 1),
                        ("two", 2), ("heads", heads), ("shared", shared),
                        ("groups", groups)):
        b.constant(name, [value])
    b.add("""
      batch = Shape <start = 0, end = 1> (query)
      steps = Shape <start = 1, end = 2> (query)
      query_shape = Concat <axis = 0> (batch, steps, heads, minus_one)
      key_shape = Concat <axis = 0> (batch, steps, shared, minus_one)
      beta_shape = Concat <axis = 0> (batch, steps, minus_one, one)
      query_width = Shape <start = 2, end = 3> (query)
      value_width = Shape <start = 2, end = 3> (value)
      d = Div (query_width, heads)
      m = Div (value_width, shared)""")
    for short, name, shape in (("q", "query", "query"), ("k", "key", "key"),
                               ("v", "value", "key"),
                               ("decay", "decay", "key"),
                               ("beta", "beta", "beta")):
        if short in names:
            b.add(f"""
              {short}_split = Reshape ({name}, {shape}_shape)
              {short}_steps = Transpose <perm = [1, 0, 2, 3]> ({short}_split)""")
    if b.has("past_state"):
        b.add("first = Cast <to = 1> (past_state)")
    else:
        b.add("""
          state_shape = Concat <axis = 0> (batch, shared, d, m)
          first = ConstantOfShape (state_shape)""")
    scale = b.attribute("scale", 0.0)
    if scale:
        b.constant("scale", scale, np.float32)
    else:
        b.add("""
          d_scalar = Squeeze (d)
          d_float = Cast <to = 1> (d_scalar)
          root = Sqrt (d_float)
          scale = Reciprocal (root)""")
    if groups > 1:
        b.add("""
          repeated_shape = Concat <axis = 0> (batch, shared, groups, d, m)
          read_shape = Concat <axis = 0> (batch, heads, d, m)""")
    b.add(f"""
      final, answers = Scan <num_scan_inputs = {len(names)}, {body}>
        (first, {', '.join(f'{name}_steps' for name in names)})
      by_batch = Transpose <perm = [1, 0, 2, 3]> (answers)
      packed_shape = Concat <axis = 0> (batch, steps, minus_one)
      output = Reshape (by_batch, packed_shape)""")
    if b.has("present_state"):
        like = "past_state" if b.has("past_state") else "query"
        b.add(f"present_state = CastLike (final, {like})")


def split_heads(b):
    """`q`, `k` and `v` by heads."""
    heads = b.attribute("q_num_heads", 0), b.attribute("kv_num_heads", 0)
    if len(b.shape("Q")) == 4:
        b.add("q = Identity (Q)\nk = Identity (K)\nv = Identity (V)")
        return False
    for letter, count in zip("qkv", (heads[0], heads[1], heads[1])):
        big = letter.upper()
        b.constant(f"{letter}_heads", [count])
        b.add(f"""
          {letter}_lines = Shape <start = 0, end = 2> ({big})
          {letter}_shape = Concat <axis = 0>
            ({letter}_lines, {letter}_heads, minus_one)
          {letter}_split = Reshape ({big}, {letter}_shape)
          {letter} = Transpose <perm = [0, 2, 1, 3]> ({letter}_split)""")
    return True


def attention_bias(b):
    """`bias`: what the mask, causality and lengths add to the scores."""
    b.constant("minus_infinity", [-np.inf], np.float32)
    b.constant("nothing", [0.0], np.float32)
    b.add("""
      total = Shape <start = -2, end = -1> (keys)
      queries = Shape <start = -2, end = -1> (q)
      scores_shape = Concat <axis = 0> (queries, total)""")
    if not b.has("attn_mask"):
        b.add("masked = Expand (nothing, scores_shape)")
    else:
        b.add("given = Where (attn_mask, nothing, minus_infinity)"
              if b.dtype("attn_mask") == BOOL else
              "given = Cast <to = 1> (attn_mask)")
        b.add("""
          mask_length = Shape <start = -1> (attn_mask)
          lacking = Sub (total, mask_length)
          pads = Concat <axis = 0> (zero, lacking)""")
        b.add("masked = Pad (given, pads, minus_infinity, minus_one)"
              if b.node_opset >= 24 else "masked = Identity (given)")
    last = "masked"
    left = b.attribute("left_window_size", -1)
    right = b.attribute("right_window_size", -1)
    if b.attribute("is_causal", 0):
        right = 0
    needs_offset = left >= 0 or right >= 0
    needs_places = needs_offset or b.has("lengths")
    if needs_places:
        b.add("""
          total_scalar = Squeeze (total)
          queries_scalar = Squeeze (queries)
          zero_scalar = Constant <value_int = 0> ()
          one_scalar = Constant <value_int = 1> ()
          columns = Range (zero_scalar, total_scalar, one_scalar)
          places = Range (zero_scalar, queries_scalar, one_scalar)
          rows = Unsqueeze (places, one)""")
    if needs_offset:
        if b.has("past_key"):
            b.add("offset = Shape <start = -2, end = -1> (past_key)")
        elif b.has("lengths"):
            b.add("""
              offset_each = Sub (lengths, queries)
              three_more = Constant <value_ints = [1, 2, 3]> ()
              offset = Unsqueeze (offset_each, three_more)""")
        else:
            b.add("offset = Identity (zero)")
        b.add("own_place = Add (rows, offset)")
    if right >= 0:
        b.constant("right", right)
        b.add(f"""
          reach = Add (own_place, right)
          is_later = Less (reach, columns)
          later = Where (is_later, minus_infinity, nothing)
          causal = Add ({last}, later)""")
        last = "causal"
    if left >= 0:
        b.constant("left", left)
        b.add(f"""
          first_seen = Sub (own_place, left)
          is_earlier = Less (columns, first_seen)
          earlier = Where (is_earlier, minus_infinity, nothing)
          in_window = Add ({last}, earlier)""")
        last = "in_window"
    if b.has("lengths"):
        b.add(f"""
          middle = Constant <value_ints = [1, 2, 3]> ()
          lengths_4d = Unsqueeze (lengths, middle)
          is_there = Less (columns, lengths_4d)
          padding = Where (is_there, nothing, minus_infinity)
          padded_bias = Add ({last}, padding)""")
        last = "padded_bias"
    b.add(f"bias = Cast <to = {b.dtype('Q')}> ({last})")


def scores(b):
    """`weights`, after the stages that may be asked for."""
    own, stage = b.dtype("Q"), b.attribute("qk_matmul_output_mode", 0)
    precision = b.attribute("softmax_precision", own)
    b.add("""
      group = Div (q_count, k_count)
      keys_5d = Unsqueeze (keys, two)
      values_5d = Unsqueeze (values, two)
      keys_shape = Concat <axis = 0> (batch, k_count, group, total, head)
      values_shape = Concat <axis = 0> (batch, k_count, group, total, width)
      keys_repeated = Expand (keys_5d, keys_shape)
      values_repeated = Expand (values_5d, values_shape)
      keys_read_shape = Concat <axis = 0> (batch, q_count, total, head)
      values_read_shape = Concat <axis = 0> (batch, q_count, total, width)
      keys_read = Reshape (keys_repeated, keys_read_shape)
      values_read = Reshape (values_repeated, values_read_shape)
      keys_turned = Transpose <perm = [0, 1, 3, 2]> (keys_read)
      q_scaled = Mul (q, scale)
      k_scaled = Mul (keys_turned, scale)
      raw = MatMul (q_scaled, k_scaled)""")
    if b.attribute("softcap", 0.0):
        b.number("cap", [b.attribute("softcap")], "Q")
        b.add("""
          shrunk = Div (raw, cap)
          bent = Tanh (shrunk)
          capped = Mul (bent, cap)""")
    else:
        b.add("capped = Identity (raw)")
    b.add(f"""
      biased = Add (capped, bias)
      biased_cast = Cast <to = {precision}> (biased)
      powers = Softmax (biased_cast)
      shares = Cast <to = {own}> (powers)
      greatest = ReduceMax (bias, minus_one)
      infinity = CastLike (minus_infinity, bias)
      is_empty = Equal (greatest, infinity)
      no_share = CastLike (nothing, shares)
      weights = Where (is_empty, no_share, shares)""")
    if b.has("qk_matmul_output"):
        b.add("qk_matmul_output = Identity "
              f"({('raw', 'capped', 'biased', 'weights')[stage]})")


def attention(b):
    for name, value in (("zero", 0), ("one", 1), ("two", 2),
                        ("minus_one", -1)):
        b.constant(name, [value])
    is_flat = split_heads(b)
    b.add("""
      batch = Shape <start = 0, end = 1> (q)
      q_count = Shape <start = 1, end = 2> (q)
      k_count = Shape <start = 1, end = 2> (k)
      head = Shape <start = 3, end = 4> (q)
      width = Shape <start = 3, end = 4> (v)""")
    for letter, name in (("k", "key"), ("v", "value")):
        read = (f"Concat <axis = 2> (past_{name}, {letter})"
                if b.has(f"past_{name}") else f"Identity ({letter})")
        b.add(f"{name}s = {read}")
        if b.has(f"present_{name}"):
            b.add(f"present_{name} = Identity ({name}s)")
    if b.attribute("scale") is None:
        b.add("""
          head_float = Cast <to = 1> (head)
          root_float = Sqrt (head_float)
          one_float = Constant <value_floats = [1.0]> ()
          whole_scale = Div (one_float, root_float)""")
    else:
        b.constant("whole_scale", [b.attribute("scale")], np.float32)
    b.add("half_scale = Sqrt (whole_scale)\nscale = CastLike (half_scale, Q)")
    attention_bias(b)
    scores(b)
    b.add("result = MatMul (weights, values_read)")
    if is_flat:
        b.add("""
          by_place = Transpose <perm = [0, 2, 1, 3]> (result)
          flat_shape = Constant <value_ints = [0, 0, -1]> ()
          Y = Reshape (by_place, flat_shape)""")
    else:
        b.add("Y = Identity (result)")


BODIES = {
    "RotaryEmbedding": (rotary_embedding,
                        ["X", "cos_cache", "sin_cache", "positions"], ["Y"]),
    "CausalConvWithState": (causal_conv,
                            ["input", "weight", "bias", "past_state"],
                            ["output", "present_state"]),
    "LinearAttention": (linear_attention,
                        ["query", "key", "value", "past_state", "decay",
                         "beta"], ["output", "present_state"]),
    "Attention": (attention,
                  ["Q", "K", "V", "attn_mask", "past_key", "past_value",
                   "lengths"],
                  ["Y", "present_key", "present_value", "qk_matmul_output"]),
}
