// A gate, SiLU(a b + bias) * (a c), in one loop over register tiles.
//
// Expects: linalg on tensors: an elementwise op of two dimensions whose first and
//   third input are products.
// Result:  loops over columns and rows; in a tile, two sums that are carried in
//   registers, and the gate computed on them.
// Parameters: rows and columns of the tile of either product.
!op = !transform.any_op
!size = !transform.param<i64>
module attributes {transform.with_named_sequence} {
  transform.named_sequence @is_gate(%op: !op {transform.readonly})
      -> (!op, !op, !op) {
    transform.match.operation_name %op ["linalg.generic"] : !op
    transform.match.structured failures(propagate) %op : !op {
    ^bb0(%s: !op):
      transform.match.structured.dim %s[all] {parallel} : !op
      transform.match.structured.yield
    }
    %left = transform.get_producer_of_operand %op[0] : (!op) -> !op
    transform.match.operation_name %left ["linalg.matmul"] : !op
    %right = transform.get_producer_of_operand %op[2] : (!op) -> !op
    transform.match.operation_name %right ["linalg.matmul"] : !op
    transform.yield %op, %left, %right : !op, !op, !op
  }

  // The product and what it starts from move into the loop.
  transform.named_sequence @fuse(%product: !op {transform.consumed},
                                 %loop: !op {transform.readonly}) -> !op {
    %start = transform.get_producer_of_operand %product[2] : (!op) -> !op
    %p, %around = transform.structured.fuse_into_containing_op %product into %loop
        : (!op, !op) -> (!op, !op)
    %s, %again = transform.structured.fuse_into_containing_op %start into %around
        : (!op, !op) -> (!op, !op)
    transform.yield %again : !op
  }

  // Tiles that aren't whole get loops of their own, so that all sizes are known.
  transform.named_sequence @peel(%root: !op {transform.readonly}) {
    %function = transform.structured.match ops{["func.func"]} in %root
        : (!op) -> !op
    %peeled = transform.apply_registered_pass "scf-for-loop-peeling"
        to %function : (!op) -> !op
    transform.apply_patterns to %peeled {
      transform.apply_patterns.linalg.tiling_canonicalization
      transform.apply_patterns.scf.for_loop_canonicalization
      transform.apply_patterns.canonicalization
    } : !op
    transform.yield
  }

  transform.named_sequence @fold_slices(%function: !op {transform.readonly}) {
    transform.apply_patterns to %function {
      transform.apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers
      transform.apply_patterns.canonicalization
    } : !op
    transform.apply_cse to %function : !op
    transform.yield
  }

  transform.named_sequence @tile_gates(
      %root: !op {transform.readonly},
      %rows: !size {transform.readonly, lh.name = "rows"},
      %columns: !size {transform.readonly, lh.name = "columns"}) {
    %gates, %lefts, %rights = transform.collect_matching @is_gate in %root
        : (!op) -> (!op, !op, !op)
    transform.annotate %gates "own.gate" : !op
    transform.annotate %lefts "own.gate" : !op
    transform.annotate %rights "own.gate" : !op
    transform.foreach %gates, %lefts, %rights : !op, !op, !op {
    ^bb0(%gate: !op, %left: !op, %right: !op):
      %tile, %loops:2 = transform.structured.tile_using_for %gate
          tile_sizes [%rows, %columns] interchange = [1, 0]
          : (!op, !size, !size) -> (!op, !op, !op)
      %l = transform.include @fuse failures(propagate) (%left, %loops#1)
          : (!op, !op) -> !op
      %r = transform.include @fuse failures(propagate) (%right, %l)
          : (!op, !op) -> !op
    }
    transform.include @peel failures(propagate) (%root) : (!op) -> ()
    transform.include @peel failures(propagate) (%root) : (!op) -> ()

    // One step of both sums at a time, as vectors. Rows of a are read once.
    %function = transform.structured.match ops{["func.func"]} in %root
        : (!op) -> !op
    %inside = transform.structured.match ops{["linalg.generic"]}
        attributes{own.gate} in %root : (!op) -> !op
    %l_sums, %r_sums = transform.foreach %inside : !op -> !op, !op {
    ^bb0(%gate: !op):
      %l = transform.get_producer_of_operand %gate[0] : (!op) -> !op
      %r = transform.get_producer_of_operand %gate[2] : (!op) -> !op
      %start = transform.get_producer_of_operand %l[2] : (!op) -> !op
      %again = transform.get_producer_of_operand %r[2] : (!op) -> !op
      %l_step, %l_sum = transform.structured.tile_using_for %l
          tile_sizes [0, 0, 1] : (!op) -> (!op, !op)
      %r_step, %r_sum = transform.structured.tile_using_for %r
          tile_sizes [0, 0, 1] : (!op) -> (!op, !op)
      %vectors = transform.merge_handles %start, %again, %gate : !op
      transform.structured.vectorize %vectors : !op
      transform.yield %l_sum, %r_sum : !op, !op
    }
    transform.apply_cse to %function : !op
    transform.foreach %l_sums, %r_sums : !op, !op {
    ^bb0(%l_sum: !op, %r_sum: !op):
      %sum = transform.loop.fuse_sibling %l_sum into %r_sum
          : (!op, !op) -> !op
      transform.annotate %sum "own.sum" : !op
    }
    %steps = transform.structured.match ops{["linalg.matmul"]}
        attributes{own.gate} in %root : (!op) -> !op
    transform.structured.vectorize %steps {create_named_contraction} : !op

    // The sums stay in registers from step to step, and on to the gate.
    transform.include @fold_slices failures(propagate) (%function) : (!op) -> ()
    %sums = transform.structured.match ops{["scf.for"]} attributes{own.sum}
        in %root : (!op) -> !op
    transform.loop.hoist_loop_invariant_subsets %sums : !op
    transform.include @fold_slices failures(propagate) (%function) : (!op) -> ()
    transform.yield
  }
}
