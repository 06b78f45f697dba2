// Loops over elements become loops over strips of vectors.
//
// Expects: linalg on tensors, elementwise ops fused (fuse-elementwise). What an
//   earlier step has tiled and vectorized is no linalg op any more.
// Result:  each elementwise op as a loop over strips of its innermost dimension,
//   or of all its elements when no operand is broadcast: whole strips first,
//   the rest masked, so sizes needn't be multiples of anything or static. Ops
//   with an integer division (a masked lane would divide by anything), with a
//   gather of other than rows, or that the vectorizer refuses stay as they are.
// Parameters: strip, fewest_blocks (vectorize-elementwise.yaml); vector_bits.
//   Sums of a row, with what is computed beside them (lh-vectorize-rows), are
//   kept in 4 registers of partial sums, which hide an addition's latency, or 2
//   where powers are computed; the lanes are added once per row. A softmax of
//   64 M elements reaches 91 % of a copy's speed so, 57 % by a loop for each op.
//   scalable: strips are 8 numbers for each unit of the vectors' scale. Short
//   rows with sums, and rows with products of all their numbers, have vectors of
//   known length there too.
// Source:  the transform dialect's tile, peel and masked vectorize.
!op = !transform.any_op
!size = !transform.param<i64>
!param = !transform.any_param
module attributes {transform.with_named_sequence} {
  // Of strips.mlir:
  transform.named_sequence private @this(!op {transform.readonly}) -> !op
  transform.named_sequence private @is_nest(!op {transform.readonly},
      !size {transform.readonly})
  transform.named_sequence private @reads_elements(!op {transform.readonly})
  transform.named_sequence private @is_safe_masked(!op {transform.readonly})
  transform.named_sequence private @is_strip(!op {transform.readonly}) -> !op
  transform.named_sequence private @is_start_value(!op {transform.readonly}) -> !op
  transform.named_sequence private @is_no_outer_product(!op {transform.readonly})
  transform.named_sequence private @has_2_loops(!op {transform.readonly}) -> !op
  transform.named_sequence private @has_3_loops(!op {transform.readonly}) -> !op
  transform.named_sequence private @has_4_loops(!op {transform.readonly}) -> !op
  transform.named_sequence private @peel(!op {transform.readonly})
  transform.named_sequence private @drop_unit_loops(!op {transform.readonly})

  transform.named_sequence @is_fill_of_row(%op: !op {transform.readonly}) -> !op {
    transform.match.operation_name %op ["linalg.fill"] : !op
    transform.include @is_no_outer_product failures(propagate) (%op) : (!op) -> ()
    %row = transform.get_parent_op %op {op_name = "scf.forall"} : (!op) -> !op
    transform.yield %op : !op
  }

  transform.named_sequence @is_addition(%op: !op {transform.readonly}) -> !op {
    transform.match.operation_name %op ["arith.addf", "arith.addi"] : !op
    transform.yield %op : !op
  }

  // A sum for each channel, of so many loops in all.
  transform.named_sequence @sums_for_channels(%op: !op {transform.readonly},
      %loops: !size {transform.readonly}) {
    transform.include @is_nest failures(propagate) (%op, %loops) : (!op, !size) -> ()
    transform.include @reads_elements failures(propagate) (%op) : (!op) -> ()
    transform.include @is_safe_masked failures(propagate) (%op) : (!op) -> ()
    transform.match.structured failures(propagate) %op : !op {
    ^bb0(%s: !op):
      transform.match.structured.dim %s[-1] {parallel} : !op
      transform.match.structured.init %s[0] {projected_permutation} : !op
      transform.match.structured.yield
    }
    transform.yield
  }

  // Over the pixels of an image, ...
  transform.named_sequence @sums_image(%op: !op {transform.readonly}) -> !op {
    %loops = transform.param.constant 3 : i64 -> !size
    transform.include @sums_for_channels failures(propagate) (%op, %loops)
        : (!op, !size) -> ()
    transform.match.structured failures(propagate) %op : !op {
    ^bb0(%s: !op):
      transform.match.structured.dim %s[0, 1] {reduction} : !op
      transform.match.structured.yield
    }
    transform.yield %op : !op
  }

  // ... of several images.
  transform.named_sequence @sums_images(%op: !op {transform.readonly}) -> !op {
    %loops = transform.param.constant 4 : i64 -> !size
    transform.include @sums_for_channels failures(propagate) (%op, %loops)
        : (!op, !size) -> ()
    transform.match.structured failures(propagate) %op : !op {
    ^bb0(%s: !op):
      transform.match.structured.dim %s[0] {parallel} : !op
      transform.match.structured.dim %s[1, 2] {reduction} : !op
      transform.match.structured.yield
    }
    transform.yield %op : !op
  }

  // Strips of channels outside, pixels inside: a strip's sums stay in registers.
  transform.named_sequence @cut_sums_of_pixels(%root: !op {transform.readonly},
      %strip: !size {transform.readonly}) {
    %nests = transform.structured.match ops{["linalg.generic"]} in %root
        {lh.optional = "there may be none"} : (!op) -> !op
    %all_images, %images = transform.foreach_match restrict_root in %nests
        @sums_image -> @this
        {lh.optional = "there may be none"} : (!op) -> (!op, !op)
    transform.foreach %images : !op {
    ^bb0(%op: !op):
      %tile, %loops:3 = transform.structured.tile_using_for %op
          tile_sizes [1, 1, %strip] interchange = [2, 0, 1]
          : (!op, !size) -> (!op, !op, !op, !op)
      transform.annotate %loops#1 "lh.sum" : !op
      transform.annotate %loops#2 "lh.sum" : !op
      transform.include @peel failures(propagate) (%loops#0) : (!op) -> ()
    }
    %others = transform.structured.match ops{["linalg.generic"]} in %root
        {lh.optional = "there may be none"} : (!op) -> !op
    %all_batches, %batches = transform.foreach_match restrict_root in %others
        @sums_images -> @this
        {lh.optional = "there may be none"} : (!op) -> (!op, !op)
    transform.foreach %batches : !op {
    ^bb0(%op: !op):
      %tile, %loops:4 = transform.structured.tile_using_for %op
          tile_sizes [1, 1, 1, %strip] interchange = [0, 3, 1, 2]
          : (!op, !size) -> (!op, !op, !op, !op, !op)
      transform.annotate %loops#2 "lh.sum" : !op
      transform.annotate %loops#3 "lh.sum" : !op
      transform.include @peel failures(propagate) (%loops#1) : (!op) -> ()
    }
    transform.yield
  }

  // Rows of rows: all loops but the innermost, one index at a time.
  transform.named_sequence @cut_into_rows(%root: !op {transform.readonly}) {
    %nests = transform.structured.match ops{["linalg.generic"]} in %root : (!op) -> !op
    %all_two, %two = transform.foreach_match restrict_root in %nests
        @has_2_loops -> @this : (!op) -> (!op, !op)
    %t2, %l2 = transform.structured.tile_using_for %two tile_sizes [1]
        : (!op) -> (!op, !op)
    %nests_3 = transform.structured.match ops{["linalg.generic"]} in %root : (!op) -> !op
    %all_three, %three = transform.foreach_match restrict_root in %nests_3
        @has_3_loops -> @this : (!op) -> (!op, !op)
    %t3, %l3:2 = transform.structured.tile_using_for %three tile_sizes [1, 1]
        : (!op) -> (!op, !op, !op)
    %nests_4 = transform.structured.match ops{["linalg.generic"]} in %root : (!op) -> !op
    %all_four, %four = transform.foreach_match restrict_root in %nests_4
        @has_4_loops -> @this : (!op) -> (!op, !op)
    %t4, %l4:3 = transform.structured.tile_using_for %four tile_sizes [1, 1, 1]
        : (!op) -> (!op, !op, !op, !op)
    transform.yield
  }

  // lh.scalable: 1 on rows to be cut into scalable strips, 2 on what windows have
  // been cut into. Gives the rows.
  transform.named_sequence @mark_scalable(%root: !op {transform.readonly},
      %strips: !op {transform.readonly}) -> !op {
    %row = transform.param.constant 1 : i64 -> !size
    %cut = transform.param.constant 2 : i64 -> !size
    transform.annotate %strips "lh.scalable" = %row : !op, !size
    %loops = transform.structured.match ops{["scf.for"]} attributes{lh.sum}
        in %root {lh.optional = "there may be no windows"} : (!op) -> !op
    transform.foreach %loops : !op {
    ^bb0(%loop: !op):
      %inside = transform.structured.match ops{["linalg.generic"]}
          attributes{lh.scalable = 1 : i64} in %loop
          {lh.optional = "a loop around another has the same"} : (!op) -> !op
      transform.annotate %inside "lh.scalable" = %cut : !op, !size
    }
    %rows = transform.structured.match ops{["linalg.generic"]}
        attributes{lh.scalable = 1 : i64} in %root
        {lh.optional = "there may be no rows"} : (!op) -> !op
    transform.yield %rows : !op
  }

  // Scalable strips are under a mask each: a loop that asks for its mask costs no
  // more, and LLVM 22 computes the rest of a division by vscale wrongly where it is
  // one of few bits (ScalarEvolution takes a vscale that it truncates for never 0).
  transform.named_sequence @cut_rows(%root: !op {transform.readonly},
      %strip: !size {transform.readonly}, %scalable: !param {transform.readonly}) {
    %nests = transform.structured.match ops{["linalg.generic"]} in %root : (!op) -> !op
    %all_strips, %strips = transform.foreach_match restrict_root in %nests
        @is_strip -> @this : (!op) -> (!op, !op)
    transform.lh.if %scalable : !param {
      %rows = transform.include @mark_scalable failures(propagate) (%root, %strips)
          : (!op, !op) -> !op
      %tiles, %loops = transform.structured.tile_using_for %rows tile_sizes [[8]]
          : (!op) -> (!op, !op)
    } else {
      transform.foreach %strips : !op {
      ^bb0(%op: !op):
        %tile, %loop = transform.structured.tile_using_for %op tile_sizes [%strip]
            : (!op, !size) -> (!op, !op)
        transform.include @peel failures(propagate) (%loop) : (!op) -> ()
      }
    }
    transform.yield
  }

  // Of a known size, at most a half or a quarter of a strip.
  transform.named_sequence @fits_half(%op: !op {transform.readonly}) -> !op {
    %half = transform.param.constant 16 : i64 {lh.bind = {value = "half"}} -> !size
    transform.include @is_short failures(propagate) (%op, %half) : (!op, !size) -> ()
    transform.yield %op : !op
  }

  transform.named_sequence @fits_quarter(%op: !op {transform.readonly}) -> !op {
    %quarter = transform.param.constant 8 : i64 {lh.bind = {value = "quarter"}} -> !size
    transform.include @is_short failures(propagate) (%op, %quarter) : (!op, !size) -> ()
    transform.yield %op : !op
  }

  transform.named_sequence @is_short(%op: !op {transform.readonly},
      %most: !size {transform.readonly}) {
    %nothing = transform.param.constant 0 : i64 -> !size
    transform.match.operation_name %op ["linalg.generic"] : !op
    transform.match.structured failures(propagate) %op : !op {
    ^bb0(%s: !op):
      %size = transform.match.structured.dim %s[0] : (!op) -> !size
      transform.match.param.cmpi gt %size, %nothing : !size
      transform.match.param.cmpi le %size, %most : !size
      transform.match.structured.yield
    }
    transform.yield
  }

  // LLVM takes a register all of whose lanes are masked for undefined, and computes
  // with what is in it. A depthwise 7x7 window of 48 channels took 409 us with such
  // registers, 74 without (AVX-512, 28 x 28).
  transform.named_sequence @width_of(%op: !op {transform.readonly},
      %strip: !size {transform.readonly}) -> !size {
    %in_half = transform.collect_matching @fits_half in %op
        {lh.optional = "most are whole strips"} : (!op) -> !op
    %width = transform.lh.if %in_half : !op -> !size {
      %in_quarter = transform.collect_matching @fits_quarter in %op
          {lh.optional = "few are so short"} : (!op) -> !op
      %part = transform.lh.if %in_quarter : !op -> !size {
        %quarter = transform.param.constant 8 : i64 {lh.bind = {value = "quarter"}} -> !size
        transform.yield %quarter : !size
      } else {
        %half = transform.param.constant 16 : i64 {lh.bind = {value = "half"}} -> !size
        transform.yield %half : !size
      }
      transform.yield %part : !size
    } else {
      transform.yield %strip : !size
    }
    transform.yield %width : !size
  }

  // What has a vector type.
  transform.named_sequence @vectorize_strips(%root: !op {transform.readonly},
      %strip: !size {transform.readonly}) {
    %nests = transform.structured.match ops{["linalg.generic"]} in %root : (!op) -> !op
    %all_strips, %strips = transform.foreach_match restrict_root in %nests
        @is_strip -> @this : (!op) -> (!op, !op)
    transform.foreach %strips : !op {
    ^bb0(%op: !op):
      %width = transform.include @width_of failures(propagate) (%op, %strip)
          : (!op, !size) -> !size
      transform.sequence %op : !op failures(suppress)
          attributes {lh.optional = "of no vector type"} {
      ^bb1(%it: !op):
        transform.structured.vectorize %it vector_sizes [%width] : !op, !size
      }
    }
    transform.yield
  }

  // Before the others, which would take them for theirs.
  transform.named_sequence @vectorize_scalable_strips(%root: !op {transform.readonly}) {
    %rows = transform.structured.match ops{["linalg.generic"]}
        attributes{lh.scalable = 1 : i64} in %root
        {lh.optional = "vectors may be of known length"} : (!op) -> !op
    %windows = transform.structured.match ops{["linalg.generic"]}
        attributes{lh.scalable = 2 : i64} in %root
        {lh.optional = "there may be no windows"} : (!op) -> !op
    %strips = transform.merge_handles %rows, %windows : !op
    transform.foreach %strips : !op {
    ^bb0(%op: !op):
      transform.sequence %op : !op failures(suppress)
          attributes {lh.optional = "of no vector type"} {
      ^bb1(%it: !op):
        transform.structured.vectorize %it vector_sizes [[8]] : !op
      }
    }
    transform.yield
  }

  // Matrices that are turned (lh-fuse-rows marks them), in blocks of 16 x 16: by
  // rows, 1024 x 1024 numbers take 4.9 ms, each read from a line of its own. What
  // fills no block is peeled off, and under a mask.
  transform.named_sequence @turn_blocks(%root: !op {transform.readonly},
      %functions: !op {transform.readonly}) {
    %turned = transform.structured.match ops{["linalg.generic"]} attributes{lh.turn}
        in %root {lh.optional = "few models turn any"} : (!op) -> !op
    transform.foreach %turned : !op {
    ^bb0(%op: !op):
      %block, %loops:2 = transform.structured.tile_using_for %op tile_sizes [16, 16]
          : (!op) -> (!op, !op, !op)
      transform.include @peel failures(propagate) (%loops#1) : (!op) -> ()
      transform.include @peel failures(propagate) (%loops#0) : (!op) -> ()
    }
    transform.apply_patterns to %functions {
      transform.apply_patterns.scf.for_loop_canonicalization
      transform.apply_patterns.canonicalization
    } : !op
    %blocks = transform.structured.match ops{["linalg.generic"]} attributes{lh.turn}
        in %root {lh.optional = "few models turn any"} : (!op) -> !op
    transform.structured.vectorize %blocks vector_sizes [16, 16] : !op
    transform.apply_patterns to %functions {
      transform.apply_patterns.vector.lower_masked_transfers
      transform.apply_patterns.vector.transfer_permutation_patterns
      transform.apply_patterns.vector.lower_transpose lowering_strategy = shuffle_16x16
      transform.apply_patterns.canonicalization
    } : !op
    transform.yield
  }

  // Small matrices that are turned, of which there are many (the channels of each
  // pixel, shuffled between groups): each in registers, as one permutation of known
  // indices. 48 channels of 14 x 14 pixels take 0.8 us so, 6.0 by rows (AVX-512).
  transform.named_sequence @turn_slices(%root: !op {transform.readonly},
      %functions: !op {transform.readonly}) {
    %turned = transform.structured.match ops{["linalg.generic"]}
        attributes{lh.turn = 3 : i64} in %root
        {lh.optional = "few models turn any"} : (!op) -> !op
    %slices, %loops = transform.structured.tile_using_for %turned tile_sizes [1]
        : (!op) -> (!op, !op)
    transform.structured.vectorize %slices : !op
    transform.apply_patterns to %functions {
      transform.apply_patterns.vector.transfer_permutation_patterns
      transform.apply_patterns.vector.lower_transpose lowering_strategy = shuffle_1d
      transform.apply_patterns.canonicalization
    } : !op
    transform.yield
  }

  // What is added for a window's points stays known as part of a sum.
  transform.named_sequence @keep_sums(%points: !op {transform.readonly}) {
    %sums = transform.collect_matching @is_addition in %points
        {lh.optional = "pools may add nothing"} : (!op) -> !op
    transform.annotate %sums "lh.sum" : !op
    transform.yield
  }

  transform.named_sequence @hoist_from_loops(%root: !op {transform.readonly}) {
    %loops = transform.structured.match ops{["scf.for"]} in %root
        {lh.optional = "short rows have none"} : (!op) -> !op
    transform.apply_licm to %loops : !op
    transform.yield
  }

  // A small window's points one after the other, so that its filters are read
  // once for a row of pixels. Each size is looked for when the others are done:
  // a window of 2 x 3 has loops of both. A factor above a loop's length would
  // leave it as it is.
  transform.named_sequence @unroll_windows(%root: !op {transform.readonly}) {
    %two = transform.structured.match ops{["scf.for"]} attributes{lh.points = 2 : i64}
        in %root {lh.optional = "there may be no windows"} : (!op) -> !op
    transform.include @keep_sums failures(propagate) (%two) : (!op) -> ()
    transform.loop.unroll %two {factor = 2} : !op
    %three = transform.structured.match ops{["scf.for"]} attributes{lh.points = 3 : i64}
        in %root {lh.optional = "there may be no windows"} : (!op) -> !op
    transform.include @keep_sums failures(propagate) (%three) : (!op) -> ()
    transform.loop.unroll %three {factor = 3} : !op
    %five = transform.structured.match ops{["scf.for"]} attributes{lh.points = 5 : i64}
        in %root {lh.optional = "there may be no windows"} : (!op) -> !op
    transform.include @keep_sums failures(propagate) (%five) : (!op) -> ()
    transform.loop.unroll %five {factor = 5} : !op
    // One slice for each point, from which lh-assemble tells where it is.
    %windows = transform.structured.match ops{["scf.for"]} attributes{lh.rows}
        in %root {lh.optional = "there may be no windows"} : (!op) -> !op
    transform.apply_patterns to %windows {
      transform.apply_patterns.tensor.merge_consecutive_insert_extract_slice
      transform.apply_patterns.canonicalization
    } : !op
    transform.include @hoist_from_loops failures(propagate) (%root) : (!op) -> ()
    transform.yield
  }

  transform.named_sequence @vectorize_elementwise(%root: !op {transform.readonly}) {
    %strip = transform.param.constant 32 : i64 {lh.bind = {value = "strip"}} -> !size
    %bits = transform.param.constant 512 : i64 {lh.bind = {value = "vector_bits"}} -> !param
    %scalable = transform.param.constant false {lh.bind = {value = "scalable"}} -> !param
    %unrolled = transform.param.constant 8 : i64 {lh.bind = {value = "unrolled"}} -> !param
    %blocks = transform.param.constant 1 : i64 {lh.bind = {value = "fewest_blocks"}} -> !param
    %whole_functions = transform.structured.match ops{["func.func"]} in %root
        : (!op) -> !op
    transform.include @turn_blocks failures(propagate) (%root, %whole_functions)
        : (!op, !op) -> ()
    transform.include @turn_slices failures(propagate) (%root, %whole_functions)
        : (!op, !op) -> ()
    %every_fill = transform.structured.match ops{["linalg.fill"]} in %root
        {lh.optional = "not every model has any"} : (!op) -> !op
    %all_fills, %fills = transform.foreach_match restrict_root in %every_fill
        @is_fill_of_row -> @this
        {lh.optional = "not every row is reduced"} : (!op) -> (!op, !op)
    %general = transform.structured.generalize %fills : (!op) -> !op
    transform.include @drop_unit_loops failures(propagate) (%whole_functions)
        : (!op) -> ()
    transform.lh.if %scalable : !param {
      // Strips of unknown length stay inside of the pixels.
    } else {
      transform.include @cut_sums_of_pixels failures(propagate) (%root, %strip)
          : (!op, !size) -> ()
    }
    transform.include @cut_into_rows failures(propagate) (%root) : (!op) -> ()
    transform.include @drop_unit_loops failures(propagate) (%whole_functions)
        : (!op) -> ()
    %sliced = transform.apply_registered_pass "lh-slice-gathers"
        to %whole_functions : (!op) -> !op
    %functions = transform.apply_registered_pass "lh-vectorize-rows"
        with options = {"vector-bits" = %bits, "scalable" = %scalable,
                        "unrolled" = %unrolled, "fewest-blocks" = %blocks}
        to %sliced : (!op, !param, !param, !param, !param) -> !op
    transform.include @cut_rows failures(propagate) (%root, %strip, %scalable)
        : (!op, !size, !param) -> ()
    %nests = transform.structured.match ops{["linalg.generic"]} in %root : (!op) -> !op
    %all_starts, %starts = transform.foreach_match restrict_root in %nests
        @is_start_value -> @this : (!op) -> (!op, !op)
    transform.structured.vectorize %starts : !op
    transform.apply_patterns to %functions {
      transform.apply_patterns.canonicalization
    } : !op
    transform.include @vectorize_scalable_strips failures(propagate) (%root)
        : (!op) -> ()
    transform.include @vectorize_strips failures(propagate) (%root, %strip)
        : (!op, !size) -> ()
    transform.apply_patterns to %functions {
      transform.apply_patterns.vector.lower_masked_transfers
      transform.apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers
      transform.apply_patterns.canonicalization
    } : !op
    transform.apply_cse to %functions : !op
    // A window's mask is the same at each of its points.
    transform.lh.if %scalable : !param {
      transform.apply_patterns to %functions {
        transform.apply_patterns.memref.resolve_ranked_shaped_type_result_dims
        transform.apply_patterns.canonicalization
      } : !op
      transform.apply_cse to %functions : !op
    }
    transform.include @hoist_from_loops failures(propagate) (%root) : (!op) -> ()
    // Only the sums' own loops: to compare the slices of all others takes long
    // where sizes are unknown.
    %sums = transform.structured.match ops{["scf.for"]} attributes{lh.sum} in %root
        {lh.optional = "there may be no sums"} : (!op) -> !op
    transform.loop.hoist_loop_invariant_subsets %sums : !op
    transform.include @unroll_windows failures(propagate) (%root) : (!op) -> ()
    transform.apply_patterns to %functions {
      transform.apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers
      transform.apply_patterns.canonicalization
    } : !op
    transform.apply_cse to %functions : !op
    transform.yield
  }
}
