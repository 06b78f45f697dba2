// Convolutions of f32 on images whose channels are outermost (NCHW).
//
// Expects: linalg.conv_2d_nchw_fchw, as an importer leaves it.
// Result:  windows that move by one: rows of results padded to whole vectors, loops
//   over filters, rows and columns, and a register tile of filters x columns that
//   sums over channels and the window. Others, and those of very few columns,
//   without gaps in the window: windows put side by side and a product, for
//   products.mlir. tensor.pad as a fill and a copy. The rest stays plain loops.
// Parameters: rows and columns, the register tile; twice, half and quarter of them.
// Measured (f32, one core with AMX, with the ReLU that follows, speed relative to
//   cpu/optimize, by turns): 3x3 64 filters on 56 x 56 pixels 0.82, 128 on 28 x 28
//   0.87, 256 on 14 x 14 0.81, 512 on 7 x 7 0.72 to 0.83.
!op = !transform.any_op
!size = !transform.param<i64>
module attributes {transform.with_named_sequence} {
  // 1. What is taken: sums of products of f32 over windows, of known size.
  transform.named_sequence @is_known(%op: !op {transform.readonly}) -> !op {
    %sizes = transform.match.structured failures(propagate) %op : (!op) -> !size {
    ^bb0(%s: !op):
      transform.match.structured.body %s
          {contraction = ["arith.mulf", "arith.addf"]} : !op
      %init = transform.match.structured.init %s[0] : (!op) -> !transform.any_value
      %bits = transform.match.structured.elemental_bitwidth %init
          : (!transform.any_value) -> !size
      %single = transform.param.constant 32 : i64 -> !size
      transform.match.param.cmpi eq %bits, %single : !size
      %all = transform.match.structured.dim %s[all] : (!op) -> !size
      transform.match.structured.yield %all : !size
    }
    transform.include @are_known failures(propagate) (%sizes) : (!size) -> ()
    transform.yield %op : !op
  }

  // A size that isn't known is negative.
  transform.named_sequence @are_known(%sizes: !size {transform.readonly}) {
    %one = transform.param.constant 1 : i64 -> !size
    transform.foreach %sizes : !size {
    ^bb0(%size: !size):
      transform.match.param.cmpi ge %size, %one : !size
    }
    transform.yield
  }

  // Rows of results that fill half of a tile's columns at most, or more.
  transform.named_sequence @is_narrow(%op: !op {transform.readonly}) -> !op {
    %known = transform.include @is_known failures(propagate) (%op) : (!op) -> !op
    transform.match.structured failures(propagate) %op : !op {
    ^bb0(%s: !op):
      %columns = transform.match.structured.dim %s[3] : (!op) -> !size
      %half = transform.param.constant 16 : i64 {lh.bind = {value = "half"}} -> !size
      transform.match.param.cmpi le %columns, %half : !size
      %few = transform.param.constant 8 : i64 {lh.bind = {value = "quarter"}} -> !size
      transform.match.param.cmpi gt %columns, %few : !size
      transform.match.structured.yield
    }
    transform.yield %op : !op
  }

  transform.named_sequence @is_wide(%op: !op {transform.readonly}) -> !op {
    %known = transform.include @is_known failures(propagate) (%op) : (!op) -> !op
    transform.match.structured failures(propagate) %op : !op {
    ^bb0(%s: !op):
      %columns = transform.match.structured.dim %s[3] : (!op) -> !size
      %half = transform.param.constant 16 : i64 {lh.bind = {value = "half"}} -> !size
      transform.match.param.cmpi gt %columns, %half : !size
      transform.match.structured.yield
    }
    transform.yield %op : !op
  }

  transform.named_sequence @is_left(%op: !op {transform.readonly}) -> !op {
    %known = transform.include @is_known failures(propagate) (%op) : (!op) -> !op
    transform.include @is_unmarked failures(propagate) (%op) : (!op) -> ()
    transform.yield %op : !op
  }

  transform.named_sequence @is_unmarked(%op: !op {transform.readonly}) {
    %marked = transform.structured.match attributes{padded} in %op : (!op) -> !op
    transform.match.operation_empty %marked : !op
    transform.yield
  }

  // 2. Loops over filters, rows and columns of the results; then over the sum:
  // channels in sixteens, rows and columns of the window.
  transform.named_sequence @cut(%conv: !op {transform.consumed},
      %filters: !size {transform.readonly}, %columns: !size {transform.readonly}) {
    %tile, %loops:4 = transform.structured.tile_using_for %conv
        tile_sizes [1, %filters, 1, %columns]
        : (!op, !size, !size) -> (!op, !op, !op, !op, !op)
    %step, %sums:3 = transform.structured.tile_using_for %tile
        tile_sizes [0, 0, 0, 0, 16, 1, 1] : (!op) -> (!op, !op, !op, !op)
    transform.annotate %sums#0 "sum" : !op
    transform.annotate %sums#1 "sum" : !op
    transform.annotate %sums#2 "sum" : !op
    transform.yield
  }

  // 3. One point of the window is a product: filters x columns x channels.
  transform.named_sequence @vectorize_step(%step: !op {transform.consumed}) {
    %sum, %scope = transform.structured.tile_using_forall %step tile_sizes [1]
        : (!op) -> (!op, !op)
    %general = transform.structured.generalize %sum : (!op) -> !op
    transform.apply_patterns to %scope {
      transform.apply_patterns.linalg.fold_unit_extent_dims_via_slices
    } : !op
    %products = transform.structured.match ops{["linalg.generic"]}
        attributes{iterator_types = [#linalg.iterator_type<parallel>,
                                     #linalg.iterator_type<parallel>,
                                     #linalg.iterator_type<reduction>]}
        in %scope : (!op) -> !op
    // Of one filter.
    %rows = transform.structured.match ops{["linalg.generic"]}
        attributes{iterator_types = [#linalg.iterator_type<parallel>,
                                     #linalg.iterator_type<reduction>]}
        in %scope : (!op) -> !op
    // As the lowering to multiply-adds wants it: columns, filters, channels.
    %turned = transform.structured.interchange %products
        iterator_interchange = [1, 0, 2] : (!op) -> !op
    %one, %loop = transform.structured.tile_using_for %turned
        tile_sizes [0, 0, 1] : (!op) -> (!op, !op)
    %row, %row_loop = transform.structured.tile_using_for %rows
        tile_sizes [0, 1] : (!op) -> (!op, !op)
    transform.annotate %loop "sum" : !op
    transform.annotate %row_loop "sum" : !op
    %all = transform.structured.match ops{["linalg.generic"]} in %scope : (!op) -> !op
    transform.structured.vectorize %all : !op
    // Before the canonicalizer sees a sum of one step and makes a product of it.
    transform.apply_patterns to %scope {
      transform.apply_patterns.vector.reduction_to_contract
      transform.apply_patterns.vector.transfer_permutation_patterns
    } : !op
    transform.yield
  }

  // 4. Accumulators leave one loop after the other.
  transform.named_sequence @hoist(%functions: !op {transform.readonly}) {
    %sums = transform.structured.match ops{["scf.for"]} attributes{sum} in %functions
        : (!op) -> !op
    transform.apply_licm to %sums : !op
    transform.loop.hoist_loop_invariant_subsets %sums : !op
    transform.apply_patterns to %functions {
      transform.apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers
      transform.apply_patterns.vector.transfer_permutation_patterns
      transform.apply_patterns.canonicalization
    } : !op
    transform.yield
  }

  transform.named_sequence @convolutions(%root: !op {transform.readonly}) {
    %functions = transform.structured.match ops{["func.func"]} in %root : (!op) -> !op
    %dense = transform.structured.match ops{["linalg.conv_2d_nchw_fchw"]}
        attributes{strides = dense<1> : tensor<2xi64>} in %root : (!op) -> !op
    %narrow = transform.collect_matching @is_narrow in %dense : (!op) -> !op
    %wide = transform.collect_matching @is_wide in %dense : (!op) -> !op
    transform.foreach %narrow : !op {
    ^bb0(%conv: !op):
      %padded, %pads = transform.structured.pad_tiling_interface %conv
          to padding_sizes [0, 0, 0, 16] pad_to_multiple_of
          {padding_values = [0.0 : f32, 0.0 : f32, 0.0 : f32],
           lh.bind = {static_padding_sizes = [0, 0, 0, "half"]}}
          : (!op) -> (!op, !op)
      transform.annotate %padded "padded" : !op
      transform.annotate %padded "narrow" : !op
    }
    transform.foreach %wide : !op {
    ^bb0(%conv: !op):
      %padded, %pads = transform.structured.pad_tiling_interface %conv
          to padding_sizes [0, 0, 0, 32] pad_to_multiple_of
          {padding_values = [0.0 : f32, 0.0 : f32, 0.0 : f32],
           lh.bind = {static_padding_sizes = [0, 0, 0, "columns"]}}
          : (!op) -> (!op, !op)
      transform.annotate %padded "padded" : !op
      transform.annotate %padded "wide" : !op
    }
    // Other steps, without gaps in the window: the windows are put side by side.
    %gapless = transform.structured.match ops{["linalg.conv_2d_nchw_fchw"]}
        attributes{dilations = dense<1> : tensor<2xi64>} in %root : (!op) -> !op
    %others = transform.collect_matching @is_left in %gapless : (!op) -> !op
    transform.foreach %others : !op {
    ^bb0(%conv: !op):
      %width = transform.match.structured failures(propagate) %conv : (!op) -> !size {
      ^bb1(%s: !op):
        %size = transform.match.structured.dim %s[3] : (!op) -> !size
        transform.match.structured.yield %size : !size
      }
      %gather, %product = transform.structured.convert_conv2d_to_img2col %conv
          : (!op) -> (!op, !op)
      // Row by row: where its pixels lie is computed once. Tiling takes the quotients in
      // the gather's map for linear; in a whole row they are.
      %row, %rows = transform.structured.tile_using_forall %gather tile_sizes [0, 1, %width]
          : (!op, !size) -> (!op, !op)
    }
    transform.apply_patterns to %functions {
      transform.apply_patterns.canonicalization
    } : !op
    // A padded image is a fill and a copy.
    transform.apply_patterns to %functions {
      transform.apply_patterns.linalg.decompose_pad
    } : !op
    %filters = transform.param.constant 12 : i64 {lh.bind = {value = "rows"}} -> !size
    %columns = transform.param.constant 32 : i64 {lh.bind = {value = "columns"}} -> !size
    %twice = transform.param.constant 24 : i64 {lh.bind = {value = "twice"}} -> !size
    %half = transform.param.constant 16 : i64 {lh.bind = {value = "half"}} -> !size
    %of_columns = transform.structured.match attributes{wide} in %root : (!op) -> !op
    transform.foreach %of_columns : !op {
    ^bb0(%conv: !op):
      transform.include @cut failures(propagate) (%conv, %filters, %columns)
          : (!op, !size, !size) -> ()
    }
    %of_half = transform.structured.match attributes{narrow} in %root : (!op) -> !op
    transform.foreach %of_half : !op {
    ^bb0(%conv: !op):
      transform.include @cut failures(propagate) (%conv, %twice, %half)
          : (!op, !size, !size) -> ()
    }
    %peeled = transform.apply_registered_pass "scf-for-loop-peeling" to %functions
        : (!op) -> !op
    transform.apply_patterns to %peeled {
      transform.apply_patterns.linalg.tiling_canonicalization
      transform.apply_patterns.scf.for_loop_canonicalization
      transform.apply_patterns.canonicalization
    } : !op
    %steps = transform.structured.match ops{["linalg.conv_2d_nchw_fchw"]}
        attributes{padded} in %peeled : (!op) -> !op
    transform.foreach %steps : !op {
    ^bb0(%step: !op):
      transform.include @vectorize_step failures(propagate) (%step) : (!op) -> ()
    }
    transform.apply_patterns to %peeled {
      transform.apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers
      transform.apply_patterns.vector.cast_away_vector_leading_one_dim
      transform.apply_patterns.canonicalization
    } : !op
    transform.include @hoist failures(propagate) (%peeled) : (!op) -> ()
    transform.include @hoist failures(propagate) (%peeled) : (!op) -> ()
    transform.include @hoist failures(propagate) (%peeled) : (!op) -> ()
    transform.include @hoist failures(propagate) (%peeled) : (!op) -> ()
    transform.yield
  }
}
