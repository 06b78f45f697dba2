// Loops over elements become loops over strips of vectors.
//
// Expects: linalg on tensors, elementwise ops fused (fuse-elementwise). What an
//   earlier step has tiled and vectorized is no linalg op any more.
// Leaves:  each elementwise op as a loop over strips of its innermost dimension,
//   or of all its elements when no operand is broadcast: whole strips first,
//   the rest masked, so sizes needn't be multiples of anything or static. Ops
//   with an integer division (a masked lane would divide by anything), with a
//   gather, or that the vectorizer refuses stay as they are.
// Parameters: vector_bits chooses the strip: 2 registers of f32, so that two
//   chains of dependent operations hide each other's latency. 4 are no faster
//   in cache, and slower beyond it: the relu chain on 64 M elements writes
//   54 GB/s in strips of 2 registers, 38 in strips of 4, 49 in strips of 1.
//   Sums of a row, with what is computed beside them (lh-vectorize-rows), are
//   kept in 4 registers of partial sums, which hide an addition's latency, or 2
//   where powers are computed; the lanes are added once per row. A softmax of
//   64 M elements reaches 91 % of a copy's speed so, 57 % by a loop for each op.
//   scalable: strips are 8 numbers for each unit of the vectors' scale. Short
//   rows with sums, and rows with products of all their numbers, have vectors of
//   known length there too.
// Source:  the transform dialect's tile, peel and masked vectorize.
module attributes {transform.with_named_sequence} {
  // Of strips.mlir:
  transform.named_sequence private @strip_of_vectors(
      !transform.any_op {transform.readonly}) -> !transform.param<i64>
  transform.named_sequence private @has_scalable_vectors(
      !transform.any_op {transform.readonly}) -> !transform.any_op
  transform.named_sequence private @is_safe_masked(
      !transform.any_op {transform.readonly})
  transform.named_sequence private @peel(!transform.any_op {transform.readonly})
  transform.named_sequence private @drop_unit_loops(
      !transform.any_op {transform.readonly})

  transform.named_sequence @is_strip(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %loops = transform.param.constant 1 : i64 -> !transform.param<i64>
    %nothing = transform.param.constant 0 : i64 -> !transform.param<i64>
    transform.match.operation_name %op ["linalg.generic"] : !transform.any_op
    transform.match.structured failures(propagate) %op : !transform.any_op {
    ^bb0(%s: !transform.any_op):
      %rank = transform.match.structured.rank %s
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi eq %rank, %loops : !transform.param<i64>
      transform.match.structured.body %s {elementwise} : !transform.any_op
      // Tiling takes im2col's maps, with quotients, for linear.
      transform.match.structured.input %s[all] {projected_permutation}
          : !transform.any_op
      // Nothing is not cut into strips.
      %size = transform.match.structured.dim %s[0]
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi ne %size, %nothing : !transform.param<i64>
      transform.match.structured.yield
    }
    transform.yield %op : !transform.any_op
  }

  transform.named_sequence @is_sum_of_row(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %loops = transform.param.constant 1 : i64 -> !transform.param<i64>
    transform.match.operation_name %op ["linalg.generic"] : !transform.any_op
    transform.match.structured failures(propagate) %op : !transform.any_op {
    ^bb0(%s: !transform.any_op):
      %rank = transform.match.structured.rank %s
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi eq %rank, %loops : !transform.param<i64>
      transform.match.structured.body %s {reduction_position = 0} : !transform.any_op
      transform.match.structured.dim %s[0] {reduction} : !transform.any_op
      transform.match.structured.yield
    }
    transform.yield %op : !transform.any_op
  }

  transform.named_sequence @has_2_loops(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %loops = transform.param.constant 2 : i64 -> !transform.param<i64>
    %zero = transform.param.constant 0 : i64 -> !transform.param<i64>
    %nothing = transform.merge_handles %zero, %zero : !transform.param<i64>
    transform.match.operation_name %op ["linalg.generic"] : !transform.any_op
    transform.match.structured failures(propagate) %op : !transform.any_op {
    ^bb0(%s: !transform.any_op):
      %rank = transform.match.structured.rank %s
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi eq %rank, %loops : !transform.param<i64>
      // Tiling takes im2col's maps, with quotients, for linear.
      transform.match.structured.input %s[all] {projected_permutation}
          : !transform.any_op
      // Nothing is not cut into rows.
      %sizes = transform.match.structured.dim %s[all]
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi ne %sizes, %nothing : !transform.param<i64>
      transform.match.structured.yield
    }
    transform.yield %op : !transform.any_op
  }

  transform.named_sequence @has_3_loops(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %loops = transform.param.constant 3 : i64 -> !transform.param<i64>
    transform.match.operation_name %op ["linalg.generic"] : !transform.any_op
    transform.match.structured failures(propagate) %op : !transform.any_op {
    ^bb0(%s: !transform.any_op):
      %rank = transform.match.structured.rank %s
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi eq %rank, %loops : !transform.param<i64>
      // Tiling takes im2col's maps, with quotients, for linear.
      transform.match.structured.input %s[all] {projected_permutation}
          : !transform.any_op
      transform.match.structured.yield
    }
    transform.yield %op : !transform.any_op
  }

  transform.named_sequence @has_4_loops(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %loops = transform.param.constant 4 : i64 -> !transform.param<i64>
    transform.match.operation_name %op ["linalg.generic"] : !transform.any_op
    transform.match.structured failures(propagate) %op : !transform.any_op {
    ^bb0(%s: !transform.any_op):
      %rank = transform.match.structured.rank %s
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi eq %rank, %loops : !transform.param<i64>
      // Tiling takes im2col's maps, with quotients, for linear.
      transform.match.structured.input %s[all] {projected_permutation}
          : !transform.any_op
      transform.match.structured.yield
    }
    transform.yield %op : !transform.any_op
  }

  // The value that a row's sum starts from is no memory.
  transform.named_sequence @is_start_value(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %none = transform.param.constant 0 : i64 -> !transform.param<i64>
    transform.match.operation_name %op ["linalg.generic"] : !transform.any_op
    transform.match.structured failures(propagate) %op : !transform.any_op {
    ^bb0(%s: !transform.any_op):
      %rank = transform.match.structured.rank %s
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi eq %rank, %none : !transform.param<i64>
      transform.match.structured.body %s {passthrough} : !transform.any_op
      transform.match.structured.yield
    }
    transform.yield %op : !transform.any_op
  }

  transform.named_sequence @generalize_fills_of_rows(
      %root: !transform.any_op {transform.readonly}) {
    %rows = transform.structured.match ops{["scf.forall"]} in %root
        {lh.optional = "there may be no rows"}
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %rows : !transform.any_op {
    ^bb0(%row: !transform.any_op):
      %fills = transform.structured.match ops{["linalg.fill"]} in %row
          {lh.optional = "not every row is reduced"}
          : (!transform.any_op) -> !transform.any_op
      %generic = transform.structured.generalize %fills
          : (!transform.any_op) -> !transform.any_op
    }
    transform.yield
  }

  // Outer products stay whole until they are lowered (outer-products).
  transform.named_sequence @cut_3_loops(
      %function: !transform.any_op {transform.readonly}) {
    %no = transform.param.constant 0 : i64 -> !transform.param<i64>
    %yes = transform.param.constant 1 : i64 -> !transform.param<i64>
    %all = transform.collect_matching @has_3_loops in %function
        : (!transform.any_op) -> !transform.any_op
    transform.annotate %all "lh.whole" = %no
        : !transform.any_op, !transform.param<i64>
    %products = transform.structured.match ops{["linalg.generic"]}
        attributes{lh.outer} in %function {lh.optional = "there may be none"}
        : (!transform.any_op) -> !transform.any_op
    transform.annotate %products "lh.whole" = %yes
        : !transform.any_op, !transform.param<i64>
    %three = transform.structured.match ops{["linalg.generic"]}
        attributes{lh.whole = 0 : i64} in %function
        {lh.optional = "there may be none"}
        : (!transform.any_op) -> !transform.any_op
    %t3, %l3:2 = transform.structured.tile_using_for %three tile_sizes [1, 1]
        : (!transform.any_op)
        -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }

  // Rows of rows: all loops but the innermost, one index at a time.
  transform.named_sequence @cut_into_rows(
      %functions: !transform.any_op {transform.readonly}) {
    %two = transform.collect_matching @has_2_loops in %functions
        : (!transform.any_op) -> !transform.any_op
    %t2, %l2 = transform.structured.tile_using_for %two tile_sizes [1]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.foreach %functions : !transform.any_op {
    ^bb0(%function: !transform.any_op):
      transform.include @cut_3_loops failures(propagate) (%function)
          : (!transform.any_op) -> ()
    }
    %four = transform.collect_matching @has_4_loops in %functions
        : (!transform.any_op) -> !transform.any_op
    %t4, %l4:3 = transform.structured.tile_using_for %four tile_sizes [1, 1, 1]
        : (!transform.any_op)
        -> (!transform.any_op, !transform.any_op, !transform.any_op,
            !transform.any_op)
    transform.yield
  }

  // lh.scalable: 1 on rows to be cut into scalable strips, 2 on what windows have
  // been cut into, 0 on all others.
  transform.named_sequence @choose_vectors(
      %functions: !transform.any_op {transform.readonly}) {
    %no = transform.param.constant 0 : i64 -> !transform.param<i64>
    %yes = transform.param.constant 1 : i64 -> !transform.param<i64>
    %all = transform.collect_matching @is_strip in %functions
        : (!transform.any_op) -> !transform.any_op
    transform.annotate %all "lh.scalable" = %no
        : !transform.any_op, !transform.param<i64>
    %able = transform.collect_matching @has_scalable_vectors in %functions
        : (!transform.any_op) -> !transform.any_op
    %rows = transform.collect_matching @is_strip in %able
        : (!transform.any_op) -> !transform.any_op
    transform.annotate %rows "lh.scalable" = %yes
        : !transform.any_op, !transform.param<i64>
    transform.include @mark_scalable_windows failures(propagate) (%able)
        : (!transform.any_op) -> ()
    transform.yield
  }

  transform.named_sequence @mark_scalable_windows(
      %functions: !transform.any_op {transform.readonly}) {
    %cut = transform.param.constant 2 : i64 -> !transform.param<i64>
    transform.foreach %functions : !transform.any_op {
    ^bb0(%function: !transform.any_op):
      %loops = transform.structured.match ops{["scf.for"]} attributes{lh.sum}
          in %function {lh.optional = "there may be no windows"}
          : (!transform.any_op) -> !transform.any_op
      transform.foreach %loops : !transform.any_op {
      ^bb1(%loop: !transform.any_op):
        %strips = transform.structured.match ops{["linalg.generic"]}
            attributes{lh.scalable = 1 : i64} in %loop
            {lh.optional = "a loop around another has the same"}
            : (!transform.any_op) -> !transform.any_op
        transform.annotate %strips "lh.scalable" = %cut
            : !transform.any_op, !transform.param<i64>
      }
    }
    transform.yield
  }

  // A sum of a row is kept in a strip of partial sums until the end of it.
  transform.named_sequence @cut_sum(
      %op: !transform.any_op {transform.consumed}) {
    transform.include @is_safe_masked failures(propagate) (%op)
        : (!transform.any_op) -> ()
    %start, %partial, %total, %loop =
        transform.structured.tile_reduction_using_for %op by tile_sizes = [64]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op,
                                  !transform.any_op, !transform.any_op)
    transform.structured.vectorize %start : !transform.any_op
    transform.structured.vectorize %total : !transform.any_op
    transform.annotate %loop "lh.sum" : !transform.any_op
    transform.include @peel failures(propagate) (%loop)
        : (!transform.any_op) -> ()
    transform.yield
  }

  transform.named_sequence @cut_strip(
      %op: !transform.any_op {transform.consumed},
      %strip: !transform.param<i64> {transform.readonly}) {
    transform.include @is_safe_masked failures(propagate) (%op)
        : (!transform.any_op) -> ()
    %tile, %loop = transform.structured.tile_using_for %op tile_sizes [%strip]
        : (!transform.any_op, !transform.param<i64>)
        -> (!transform.any_op, !transform.any_op)
    transform.include @peel failures(propagate) (%loop)
        : (!transform.any_op) -> ()
    transform.yield
  }

  // Under a mask each: a loop that asks for its mask costs no more, and LLVM 22
  // computes the rest of a division by vscale wrongly where it is one of few bits
  // (ScalarEvolution takes a vscale that it truncates for never 0).
  transform.named_sequence @cut_scalable_strip(
      %op: !transform.any_op {transform.consumed}) {
    transform.include @is_safe_masked failures(propagate) (%op)
        : (!transform.any_op) -> ()
    %tile, %loop = transform.structured.tile_using_for %op tile_sizes [[8]]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }

  transform.named_sequence @vectorize_scalable_strip(
      %op: !transform.any_op {transform.consumed}) {
    transform.include @is_safe_masked failures(propagate) (%op)
        : (!transform.any_op) -> ()
    transform.structured.vectorize %op vector_sizes [[8]] : !transform.any_op
    transform.yield
  }

  transform.named_sequence @vectorize_strip(
      %op: !transform.any_op {transform.consumed},
      %strip: !transform.param<i64> {transform.readonly}) {
    transform.include @is_safe_masked failures(propagate) (%op)
        : (!transform.any_op) -> ()
    transform.structured.vectorize %op vector_sizes [%strip]
        : !transform.any_op, !transform.param<i64>
    transform.yield
  }

  // A sequence that suppresses failures goes on after one; what it includes
  // does not.
  transform.named_sequence @cut_rows_of(
      %function: !transform.any_op {transform.readonly},
      %strip: !transform.param<i64> {transform.readonly}) {
    %rows = transform.structured.match ops{["linalg.generic"]}
        attributes{lh.scalable = 0 : i64} in %function
        {lh.optional = "there may be no rows"}
        : (!transform.any_op) -> !transform.any_op
    %scalable = transform.structured.match ops{["linalg.generic"]}
        attributes{lh.scalable = 1 : i64} in %function
        {lh.optional = "vectors may be of known length"}
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %rows : !transform.any_op {
    ^bb0(%op: !transform.any_op):
      transform.sequence %op : !transform.any_op failures(suppress)
          attributes {lh.optional = "not safe under a mask"} {
      ^bb1(%it: !transform.any_op):
        transform.include @cut_strip failures(propagate) (%it, %strip)
            : (!transform.any_op, !transform.param<i64>) -> ()
      }
    }
    transform.foreach %scalable : !transform.any_op {
    ^bb0(%op: !transform.any_op):
      transform.sequence %op : !transform.any_op failures(suppress)
          attributes {lh.optional = "not safe under a mask"} {
      ^bb1(%it: !transform.any_op):
        transform.include @cut_scalable_strip failures(propagate) (%it)
            : (!transform.any_op) -> ()
      }
    }
    transform.yield
  }

  transform.named_sequence @cut_rows(
      %functions: !transform.any_op {transform.readonly},
      %strip: !transform.param<i64> {transform.readonly}) {
    transform.include @choose_vectors failures(propagate) (%functions)
        : (!transform.any_op) -> ()
    transform.foreach %functions : !transform.any_op {
    ^bb0(%function: !transform.any_op):
      transform.include @cut_rows_of failures(propagate) (%function, %strip)
          : (!transform.any_op, !transform.param<i64>) -> ()
    }
    transform.yield
  }

  transform.named_sequence @cut_sums(
      %functions: !transform.any_op {transform.readonly}) {
    %sums = transform.collect_matching @is_sum_of_row in %functions
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %sums : !transform.any_op {
    ^bb0(%op: !transform.any_op):
      transform.sequence %op : !transform.any_op failures(suppress)
          attributes {lh.optional = "not safe under a mask"} {
      ^bb1(%it: !transform.any_op):
        transform.include @cut_sum failures(propagate) (%it)
            : (!transform.any_op) -> ()
      }
    }
    transform.yield
  }

  transform.named_sequence @vectorize_strips(
      %functions: !transform.any_op {transform.readonly},
      %strip: !transform.param<i64> {transform.readonly}) {
    %strips = transform.collect_matching @is_strip in %functions
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %strips : !transform.any_op {
    ^bb0(%op: !transform.any_op):
      transform.sequence %op : !transform.any_op failures(suppress)
          attributes {lh.optional = "not safe, or of no vector type"} {
      ^bb1(%it: !transform.any_op):
        transform.include @vectorize_strip failures(propagate) (%it, %strip)
            : (!transform.any_op, !transform.param<i64>) -> ()
      }
    }
    transform.yield
  }

  // Before the others, which would take them for theirs.
  transform.named_sequence @vectorize_scalable_strips(
      %function: !transform.any_op {transform.readonly}) {
    %rows = transform.structured.match ops{["linalg.generic"]}
        attributes{lh.scalable = 1 : i64} in %function
        {lh.optional = "vectors may be of known length"}
        : (!transform.any_op) -> !transform.any_op
    %windows = transform.structured.match ops{["linalg.generic"]}
        attributes{lh.scalable = 2 : i64} in %function
        {lh.optional = "there may be no windows"}
        : (!transform.any_op) -> !transform.any_op
    %strips = transform.merge_handles %rows, %windows : !transform.any_op
    transform.foreach %strips : !transform.any_op {
    ^bb0(%op: !transform.any_op):
      transform.sequence %op : !transform.any_op failures(suppress)
          attributes {lh.optional = "not safe, or of no vector type"} {
      ^bb1(%it: !transform.any_op):
        transform.include @vectorize_scalable_strip failures(propagate) (%it)
            : (!transform.any_op) -> ()
      }
    }
    transform.yield
  }

  // Matrices that are turned (lh-fuse-rows marks them), in blocks of 16 x 16: by
  // rows, 1024 x 1024 numbers take 4.9 ms, each read from a line of its own.
  transform.named_sequence @turn_blocks(
      %root: !transform.any_op {transform.readonly}) {
    %turned = transform.structured.match ops{["linalg.generic"]}
        attributes{lh.turn} in %root {lh.optional = "few models turn any"}
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %turned : !transform.any_op {
    ^bb0(%op: !transform.any_op):
      %strip, %strips = transform.structured.tile_using_forall %op
          tile_sizes [16, 0]
          : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
      %block, %blocks = transform.structured.tile_using_for %strip
          tile_sizes [0, 16]
          : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
      transform.structured.vectorize %block vector_sizes [16, 16]
          : !transform.any_op
      transform.apply_patterns to %strips {
        transform.apply_patterns.vector.transfer_permutation_patterns
        transform.apply_patterns.vector.lower_transpose
            lowering_strategy = shuffle_16x16
        transform.apply_patterns.canonicalization
      } : !transform.any_op
    }
    transform.yield
  }

  // What is added for a window's points stays known as part of a sum.
  transform.named_sequence @keep_sums(
      %points: !transform.any_op {transform.readonly}) {
    transform.foreach %points : !transform.any_op {
    ^bb0(%loop: !transform.any_op):
      %sums = transform.structured.match ops{["arith.addf", "arith.addi"]}
          in %loop {lh.optional = "pools may add nothing"}
          : (!transform.any_op) -> !transform.any_op
      transform.annotate %sums "lh.sum" : !transform.any_op
    }
    transform.yield
  }

  // A small window's points one after the other, so that its filters are read
  // once for a row of pixels. Each size is looked for when the others are done:
  // a window of 2 x 3 has loops of both. A factor above a loop's length would
  // leave it as it is.
  transform.named_sequence @unroll_windows(
      %root: !transform.any_op {transform.readonly}) {
    %two = transform.structured.match ops{["scf.for"]}
        attributes{lh.points = 2 : i64} in %root
        {lh.optional = "there may be no windows"}
        : (!transform.any_op) -> !transform.any_op
    transform.include @keep_sums failures(propagate) (%two)
        : (!transform.any_op) -> ()
    transform.loop.unroll %two {factor = 2} : !transform.any_op
    %three = transform.structured.match ops{["scf.for"]}
        attributes{lh.points = 3 : i64} in %root
        {lh.optional = "there may be no windows"}
        : (!transform.any_op) -> !transform.any_op
    transform.include @keep_sums failures(propagate) (%three)
        : (!transform.any_op) -> ()
    transform.loop.unroll %three {factor = 3} : !transform.any_op
    %five = transform.structured.match ops{["scf.for"]}
        attributes{lh.points = 5 : i64} in %root
        {lh.optional = "there may be no windows"}
        : (!transform.any_op) -> !transform.any_op
    transform.include @keep_sums failures(propagate) (%five)
        : (!transform.any_op) -> ()
    transform.loop.unroll %five {factor = 5} : !transform.any_op
    // One slice for each point, from which lh-clip-windows tells where it is.
    %windows = transform.structured.match ops{["scf.for"]}
        attributes{lh.rows} in %root {lh.optional = "there may be no windows"}
        : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %windows {
      transform.apply_patterns.tensor.merge_consecutive_insert_extract_slice
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    %loops = transform.structured.match ops{["scf.for"]} in %root
        {lh.optional = "short rows have none"}
        : (!transform.any_op) -> !transform.any_op
    transform.apply_licm to %loops : !transform.any_op
    transform.yield
  }

  transform.named_sequence @vectorize_elementwise(
      %root: !transform.any_op {transform.readonly}) {
    %strip = transform.include @strip_of_vectors failures(propagate) (%root)
        : (!transform.any_op) -> !transform.param<i64>
    %whole_functions = transform.structured.match ops{["func.func"]} in %root
        : (!transform.any_op) -> !transform.any_op
    transform.include @turn_blocks failures(propagate) (%root)
        : (!transform.any_op) -> ()
    transform.include @generalize_fills_of_rows failures(propagate) (%root)
        : (!transform.any_op) -> ()
    transform.include @drop_unit_loops failures(propagate) (%whole_functions)
        : (!transform.any_op) -> ()
    transform.include @cut_into_rows failures(propagate) (%whole_functions)
        : (!transform.any_op) -> ()
    transform.include @drop_unit_loops failures(propagate) (%whole_functions)
        : (!transform.any_op) -> ()
    %bits = transform.param.constant 512 : i64 {lh.bind = {value = "vector_bits"}}
        -> !transform.any_param
    %scalable = transform.param.constant false
        {lh.bind = {value = "scalable"}} -> !transform.any_param
    %functions = transform.apply_registered_pass "lh-vectorize-rows"
        with options = {"vector-bits" = %bits, "scalable" = %scalable}
        to %whole_functions
        : (!transform.any_op, !transform.any_param, !transform.any_param)
        -> !transform.any_op
    transform.include @cut_rows failures(propagate) (%functions, %strip)
        : (!transform.any_op, !transform.param<i64>) -> ()
    %starts = transform.collect_matching @is_start_value in %root
        : (!transform.any_op) -> !transform.any_op
    transform.structured.vectorize %starts : !transform.any_op
    transform.apply_patterns to %functions {
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.foreach %functions : !transform.any_op {
    ^bb0(%function: !transform.any_op):
      transform.include @vectorize_scalable_strips failures(propagate) (%function)
          : (!transform.any_op) -> ()
    }
    transform.include @vectorize_strips failures(propagate) (%functions, %strip)
        : (!transform.any_op, !transform.param<i64>) -> ()
    transform.include @cut_sums failures(propagate) (%functions)
        : (!transform.any_op) -> ()
    transform.apply_patterns to %functions {
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    %partial_sums = transform.param.constant 64 : i64 -> !transform.param<i64>
    transform.include @vectorize_strips failures(propagate)
        (%functions, %partial_sums)
        : (!transform.any_op, !transform.param<i64>) -> ()
    transform.apply_patterns to %functions {
      transform.apply_patterns.vector.lower_masked_transfers
      transform.apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.apply_cse to %functions : !transform.any_op
    // A window's mask is the same at each of its points.
    %masked = transform.collect_matching @has_scalable_vectors in %functions
        : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %masked {
      transform.apply_patterns.memref.resolve_ranked_shaped_type_result_dims
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.apply_cse to %masked : !transform.any_op
    %loops = transform.structured.match ops{["scf.for"]} in %root
        {lh.optional = "short rows have none"}
        : (!transform.any_op) -> !transform.any_op
    transform.apply_licm to %loops : !transform.any_op
    // Only the sums' own loops: to compare the slices of all others takes long
    // where sizes are unknown.
    %sums = transform.structured.match ops{["scf.for"]} attributes{lh.sum}
        in %root {lh.optional = "there may be no sums"}
        : (!transform.any_op) -> !transform.any_op
    transform.loop.hoist_loop_invariant_subsets %sums : !transform.any_op
    transform.include @unroll_windows failures(propagate) (%root)
        : (!transform.any_op) -> ()
    transform.apply_patterns to %functions {
      transform.apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.apply_cse to %functions : !transform.any_op
    transform.yield
  }
}
