// What is left when all contractions are tiled: packs, small products, and the
// patterns that bring accumulators into registers.
//
// Expects: what tile-contractions leaves, for each width of numbers.
// Result:  packs vectorized, masked at the edges; products that no strategy takes,
//   of at most 16 in each dimension, as one vector contraction, without a loop; what was packed but is
//   no contraction any more unpacked to loops' forms. Transfers that nothing but
//   a loop carries have become the loop's vectors.
// Parameters: columns, the width of a panel, as packed; unroll, the steps of a
//   scalable sum between two branches; word_tiles, whether there are products in
//   AMX's tiles, whose zeros are kept with them.
// Source:  the transform dialect's matmul schedules.
!op = !transform.any_op
!size = !transform.param<i64>
!flag = !transform.param<i1>
module attributes {transform.with_named_sequence} {
  // Of packs.mlir:
  transform.named_sequence private @lower_packs(!op {transform.readonly})

  // No strategy's, of f32 or f64, and too small for panels: the whole product, or
  // one with one more dimension of any kind, in registers, without a loop.
  transform.named_sequence @is_small(%op: !op {transform.readonly}) -> !op {
    %choice = transform.lh.match.choice %op ["plain", ""] : (!op) -> !transform.any_param
    %one = transform.param.constant 1 : i64 -> !size
    %three = transform.param.constant 3 : i64 -> !size
    %four = transform.param.constant 4 : i64 -> !size
    %sixteen = transform.param.constant 16 : i64 -> !size
    %single = transform.param.constant 32 : i64 -> !size
    %sizes = transform.match.structured failures(propagate) %op : (!op) -> !size {
    ^bb0(%s: !op):
      %rank = transform.match.structured.rank %s : (!op) -> !size
      transform.match.param.cmpi ge %rank, %three : !size
      transform.match.param.cmpi le %rank, %four : !size
      transform.match.structured.body %s
          {contraction = ["arith.mulf", "arith.addf"]} : !op
      transform.match.structured.input %s[all] {projected_permutation} : !op
      %init = transform.match.structured.init %s[0] : (!op) -> !transform.any_value
      %width = transform.match.structured.elemental_bitwidth %init :
          (!transform.any_value) -> !size
      transform.match.param.cmpi ge %width, %single : !size
      %all = transform.match.structured.dim %s[all] : (!op) -> !size
      transform.match.structured.yield %all : !size
    }
    transform.include @are_within failures(propagate) (%sizes, %one, %sixteen)
        : (!size, !size, !size) -> ()
    transform.yield %op : !op
  }

  // A dynamic dimension is negative.
  transform.named_sequence @are_within(%sizes: !size {transform.readonly},
      %least: !size {transform.readonly}, %most: !size {transform.readonly}) {
    transform.foreach %sizes : !size {
    ^bb0(%size: !size):
      transform.match.param.cmpi ge %size, %least : !size
      transform.match.param.cmpi le %size, %most : !size
    }
    transform.yield
  }

  // Rows of A are at pointers of their own: to move them costs as much as a
  // quarter of a step's products. Masked strips are rare, and stay short.
  transform.named_sequence @is_whole(%op: !op {transform.readonly}) -> !op {
    transform.match.operation_name %op ["scf.for"] : !op
    transform.include @has_no_masks failures(propagate) (%op) : (!op) -> ()
    transform.yield %op : !op
  }

  transform.named_sequence @has_no_masks(%sum: !op {transform.readonly}) {
    %masks = transform.structured.match ops{["vector.mask"]} in %sum : (!op) -> !op
    transform.match.operation_empty %masks : !op
    transform.yield
  }

  // The width of its panels.
  transform.named_sequence @width_of(%pack: !op {transform.readonly}) -> !size {
    %usual = transform.param.constant 32 : i64 {lh.bind = {value = "columns"}} -> !size
    %columns = transform.lh.match.choice %pack ["tile", "amx", "kernel", ""] key "columns" or %usual
        : (!op, !size) -> !size
    transform.yield %columns : !size
  }

  // Packs of B that are left, a piece of a panel at a time, along the rows of B.
  transform.named_sequence @vectorize_packs(%root: !op {transform.readonly}) {
    // B[k, n]
    %p0 = transform.structured.match ops{["linalg.pack"]}
        attributes{outer_dims_perm = array<i64: 1, 0>, inner_dims_pos =
        array<i64: 1>} in %root : (!op) -> !op
    transform.foreach %p0 : !op {
    ^bb0(%pack: !op):
      %columns = transform.include @width_of failures(propagate) (%pack) : (!op) -> !size
      %t, %l:2 = transform.structured.tile_using_for %pack tile_sizes [1, 4]
          interchange = [1, 0] : (!op) -> (!op, !op, !op)
      transform.structured.vectorize %t vector_sizes [1, 4, %columns] : !op, !size
    }
    // B[n, k]
    %p1 = transform.structured.match ops{["linalg.pack"]}
        attributes{outer_dims_perm = array<i64>, inner_dims_pos = array<i64: 0>}
        in %root : (!op) -> !op
    transform.foreach %p1 : !op {
    ^bb0(%pack: !op):
      %columns = transform.include @width_of failures(propagate) (%pack) : (!op) -> !size
      %t, %l:2 = transform.structured.tile_using_for %pack tile_sizes [1, 16]
          interchange = [1, 0] : (!op) -> (!op, !op, !op)
      transform.structured.vectorize %t vector_sizes [1, 16, %columns] : !op, !size
    }
    // B[batch, k, n]
    %p2 = transform.structured.match ops{["linalg.pack"]}
        attributes{outer_dims_perm = array<i64: 0, 2, 1>, inner_dims_pos =
        array<i64: 2>} in %root : (!op) -> !op
    transform.foreach %p2 : !op {
    ^bb0(%pack: !op):
      %columns = transform.include @width_of failures(propagate) (%pack) : (!op) -> !size
      %t, %l:3 = transform.structured.tile_using_for %pack tile_sizes [1, 1, 4]
          interchange = [0, 2, 1] : (!op) -> (!op, !op, !op, !op)
      transform.structured.vectorize %t vector_sizes [1, 1, 4, %columns] : !op, !size
    }
    // B[batch, n, k]
    %p3 = transform.structured.match ops{["linalg.pack"]}
        attributes{outer_dims_perm = array<i64>, inner_dims_pos = array<i64: 1>}
        in %root : (!op) -> !op
    transform.foreach %p3 : !op {
    ^bb0(%pack: !op):
      %columns = transform.include @width_of failures(propagate) (%pack) : (!op) -> !size
      %t, %l:3 = transform.structured.tile_using_for %pack tile_sizes [1, 1, 16]
          interchange = [0, 2, 1] : (!op) -> (!op, !op, !op, !op)
      transform.structured.vectorize %t vector_sizes [1, 1, 16, %columns] : !op, !size
    }
    transform.yield
  }

  // Zeros in memory that holds nothing yet.
  transform.named_sequence @are_first(%op: !op {transform.readonly}) -> (!op, !op) {
    transform.match.operation_name %op ["linalg.fill"] : !op
    %memory = transform.get_producer_of_operand %op[1] : (!op) -> !op
    transform.match.operation_name %memory ["tensor.empty"] : !op
    transform.yield %op, %memory : !op, !op
  }

  // Sums in AMX's tiles begin with zeros in an allocation of their own: so these
  // stay where lh-lower-tiles sees them, and no loop further out has zeros to copy.
  transform.named_sequence @keep_zeros(%root: !op {transform.readonly}) {
    %products = transform.structured.match ops{["linalg.generic"]}
        attributes{lh.outer} in %root : (!op) -> !op
    %around = transform.get_parent_op %products {deduplicate} : (!op) -> !op
    transform.apply_patterns to %around {
      transform.apply_patterns.tensor.fold_tensor_empty
    } : !op
    %zeros, %memory = transform.collect_matching @are_first in %around
        : (!op) -> (!op, !op)
    transform.annotate %zeros "lh.outer" : !op
    %once = transform.merge_handles deduplicate %memory : !op
    %empty = transform.cast %once : !op to !transform.op<"tensor.empty">
    %own = transform.bufferization.empty_tensor_to_alloc_tensor %empty
        : (!transform.op<"tensor.empty">) -> !transform.op<"bufferization.alloc_tensor">
    transform.yield
  }

  // Once for all contractions, of either width.
  transform.named_sequence @finish_contractions(%root: !op {transform.readonly}) {
    // A slice as long as scalable vectors are is not known to be whole, and
    // would be folded into the read alone.
    %scalable_sums = transform.structured.match ops{["scf.for"]}
        attributes{lh.scalable_sum} in %root : (!op) -> !op
    transform.loop.hoist_loop_invariant_subsets %scalable_sums : !op
    %tiles = transform.param.constant false {lh.bind = {value = "word_tiles"}} -> !flag
    transform.lh.if %tiles : !flag {
      transform.include @keep_zeros failures(propagate) (%root) : (!op) -> ()
    }
    transform.include @vectorize_packs failures(propagate) (%root) : (!op) -> ()
    // A contraction with a constant of one value has become a scaled sum by
    // now: nothing above takes it, and its packs are left.
    transform.include @lower_packs failures(propagate) (%root) : (!op) -> ()
    %functions = transform.structured.match ops{["func.func"]} in %root : (!op) -> !op
    %small = transform.collect_matching @is_small in %root : (!op) -> !op
    transform.structured.vectorize %small : !op
    transform.apply_patterns to %functions {
      transform.apply_patterns.vector.reduction_to_contract
      transform.apply_patterns.vector.transfer_permutation_patterns
    } : !op
    transform.apply_patterns to %functions {
      transform.apply_patterns.vector.lower_masked_transfers
    } : !op
    transform.apply_patterns to %functions {
      transform.apply_patterns.vector.transfer_permutation_patterns
      transform.apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers
      transform.apply_patterns.canonicalization
    } : !op
    transform.apply_patterns to %functions {
      transform.apply_patterns.vector.cast_away_vector_leading_one_dim
      transform.apply_patterns.canonicalization
    } : !op
    transform.apply_cse to %functions : !op
    %all_loops = transform.structured.match ops{["scf.for"]} in %root : (!op) -> !op
    transform.apply_licm to %all_loops : !op
    // Of panels that may not be full: sums go on to their epilogue.
    %forwarded = transform.apply_registered_pass "lh-forward-masked"
        to %functions : (!op) -> !op
    // Only the sums' own loops: to compare the slices of all others takes
    // minutes where sizes are unknown.
    %sums = transform.structured.match ops{["scf.for"]} attributes{lh.sum}
        in %root : (!op) -> !op
    transform.loop.hoist_loop_invariant_subsets %sums : !op
    transform.apply_patterns to %forwarded {
      transform.apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers
      transform.apply_patterns.canonicalization
    } : !op
    %long_sums = transform.structured.match ops{["scf.for"]}
        attributes{lh.scalable_sum} in %root : (!op) -> !op
    %whole_sums = transform.collect_matching @is_whole in %long_sums : (!op) -> !op
    transform.loop.unroll %whole_sums {factor = 4 : i64, lh.bind = {factor = "unroll"}}
        : !op
    transform.apply_cse to %forwarded : !op
    transform.yield
  }
}
