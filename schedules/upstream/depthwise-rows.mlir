// Depthwise convolutions of f32 whose windows move by one, channels one by one.
//
// Expects: linalg.depthwise_conv_2d_nchw_chw, as an importer leaves it and
//   pack-channels.mlir doesn't take it: its channels fill no blocks.
// Result:  rows of results padded to whole vectors; loops over channels, and tiles of
//   7 rows by one vector of columns, whose sums stay in registers over the window.
//   Other steps, other types and unknown sizes stay plain loops: no vectorizer of
//   upstream's takes what moves by two.
// Parameters: half, the columns of a tile: one vector.
// Measured (f32, one core with AMX, speed relative to cpu/optimize, by turns): 96
//   channels, 56 x 56 pixels, 3x3 0.82.
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

  // 2. A point of the window: rows x columns of one channel, by a number.
  transform.named_sequence @vectorize_channel(%step: !op {transform.consumed}) {
    %sum, %scope = transform.structured.tile_using_forall %step tile_sizes [1]
        : (!op) -> (!op, !op)
    %general = transform.structured.generalize %sum : (!op) -> !op
    transform.apply_patterns to %scope {
      transform.apply_patterns.linalg.fold_unit_extent_dims_via_slices
    } : !op
    %all = transform.structured.match ops{["linalg.generic"]} in %scope : (!op) -> !op
    transform.structured.vectorize %all : !op
    transform.yield
  }

  // 3. Accumulators leave one loop after the other.
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

  transform.named_sequence @depthwise_rows(%root: !op {transform.readonly}) {
    %functions = transform.structured.match ops{["func.func"]} in %root : (!op) -> !op
    %depthwise = transform.structured.match ops{["linalg.depthwise_conv_2d_nchw_chw"]}
        attributes{strides = dense<1> : tensor<2xi64>} in %root : (!op) -> !op
    %channels = transform.collect_matching @is_known in %depthwise : (!op) -> !op
    transform.foreach %channels : !op {
    ^bb0(%conv: !op):
      %padded, %pads = transform.structured.pad_tiling_interface %conv
          to padding_sizes [0, 0, 16] pad_to_multiple_of
          {padding_values = [0.0 : f32, 0.0 : f32, 0.0 : f32],
           lh.bind = {static_padding_sizes = [0, 0, "half"]}}
          : (!op) -> (!op, !op)
      transform.annotate %padded "padded" : !op
    }
    transform.apply_patterns to %functions {
      transform.apply_patterns.canonicalization
    } : !op
    %of_channels = transform.structured.match
        ops{["linalg.depthwise_conv_2d_nchw_chw"]} attributes{padded} in %root
        : (!op) -> !op
    transform.foreach %of_channels : !op {
    ^bb0(%conv: !op):
      %tile, %loops:4 = transform.structured.tile_using_for %conv
          tile_sizes [1, 7, 16, 1] interchange = [0, 3, 1, 2]
          {lh.bind = {static_sizes = [1, 7, "half", 1]}}
          : (!op) -> (!op, !op, !op, !op, !op)
      %step, %sums:2 = transform.structured.tile_using_for %tile
          tile_sizes [0, 0, 0, 0, 1, 1] : (!op) -> (!op, !op, !op)
      transform.annotate %sums#0 "sum" : !op
      transform.annotate %sums#1 "sum" : !op
    }
    %peeled = transform.apply_registered_pass "scf-for-loop-peeling" to %functions
        : (!op) -> !op
    transform.apply_patterns to %peeled {
      transform.apply_patterns.linalg.tiling_canonicalization
      transform.apply_patterns.scf.for_loop_canonicalization
      transform.apply_patterns.canonicalization
    } : !op
    %points = transform.structured.match ops{["linalg.depthwise_conv_2d_nchw_chw"]}
        attributes{padded} in %peeled : (!op) -> !op
    transform.foreach %points : !op {
    ^bb0(%step: !op):
      transform.include @vectorize_channel failures(propagate) (%step) : (!op) -> ()
    }
    transform.apply_patterns to %peeled {
      transform.apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers
      transform.apply_patterns.canonicalization
    } : !op
    transform.include @hoist failures(propagate) (%peeled) : (!op) -> ()
    transform.include @hoist failures(propagate) (%peeled) : (!op) -> ()
    transform.yield
  }
}
