// A product's rows are normalized while they are in the cache.
//
// Expects: linalg on tensors, elementwise chains fused (fuse-elementwise): an op
//   that reads rows and one number for each of them, a sum over the same rows,
//   and what makes the rows of a product.
// Result:  one loop over tiles of rows, with all of these in it.
// Parameters: rows of a tile.
!op = !transform.any_op
!size = !transform.param<i64>
module attributes {transform.with_named_sequence} {
  // Fails on what isn't a sum over rows.
  transform.named_sequence @is_sum(%op: !op {transform.readonly}) {
    transform.match.operation_name %op ["linalg.generic"] : !op
    transform.match.structured failures(propagate) %op : !op {
    ^bb0(%s: !op):
      transform.match.structured.dim %s[0] {parallel} : !op
      transform.match.structured.dim %s[1] {reduction} : !op
      transform.match.structured.yield
    }
    transform.yield
  }

  // The last op of the group, and the others from last to first.
  transform.named_sequence @is_normalization(%op: !op {transform.readonly})
      -> (!op, !op, !op, !op) {
    transform.match.operation_name %op ["linalg.generic"] : !op
    transform.match.structured failures(propagate) %op : !op {
    ^bb0(%s: !op):
      transform.match.structured.dim %s[all] {parallel} : !op
      transform.match.structured.yield
    }
    %sum = transform.get_producer_of_operand %op[1] : (!op) -> !op
    transform.include @is_sum failures(propagate) (%sum) : (!op) -> ()
    %rows = transform.get_producer_of_operand %sum[0] : (!op) -> !op
    transform.match.operation_name %rows ["linalg.generic"] : !op
    %product = transform.get_producer_of_operand %rows[0] : (!op) -> !op
    transform.match.operation_name %product ["linalg.matmul"] : !op
    transform.yield %op, %sum, %rows, %product : !op, !op, !op, !op
  }

  transform.named_sequence @join_rows(
      %root: !op {transform.readonly},
      %size: !size {transform.readonly, lh.name = "rows"}) {
    // Importers keep dimensions of one element behind sums.
    %function = transform.structured.match ops{["func.func"]} in %root
        : (!op) -> !op
    transform.apply_patterns to %function {
      transform.apply_patterns.linalg.fold_unit_extent_dims_via_reshapes
      transform.apply_patterns.canonicalization
    } : !op
    %lasts, %sums, %rows, %products = transform.collect_matching
        @is_normalization in %root : (!op) -> (!op, !op, !op, !op)
    transform.foreach %lasts, %sums, %rows, %products : !op, !op, !op, !op {
    ^bb0(%last: !op, %sum: !op, %row: !op, %product: !op):
      %none = transform.get_producer_of_operand %sum[1] : (!op) -> !op
      %start = transform.get_producer_of_operand %product[2] : (!op) -> !op
      %tile, %loop = transform.structured.tile_using_for %last
          tile_sizes [%size] : (!op, !size) -> (!op, !op)
      %s, %l0 = transform.structured.fuse_into_containing_op %sum into %loop
          : (!op, !op) -> (!op, !op)
      %n, %l1 = transform.structured.fuse_into_containing_op %none into %l0
          : (!op, !op) -> (!op, !op)
      %r, %l2 = transform.structured.fuse_into_containing_op %row into %l1
          : (!op, !op) -> (!op, !op)
      %p, %l3 = transform.structured.fuse_into_containing_op %product into %l2
          : (!op, !op) -> (!op, !op)
      %z, %l4 = transform.structured.fuse_into_containing_op %start into %l3
          : (!op, !op) -> (!op, !op)
    }
    // The last tile may have fewer rows: it gets a body of its own.
    %peeled = transform.apply_registered_pass "scf-for-loop-peeling" to %function
        : (!op) -> !op
    transform.apply_patterns to %peeled {
      transform.apply_patterns.linalg.tiling_canonicalization
      transform.apply_patterns.scf.for_loop_canonicalization
      transform.apply_patterns.canonicalization
    } : !op
    transform.apply_cse to %peeled : !op
    transform.yield
  }
}
