// Sequences shared by the schedules that pack operands of products into panels and
// tile the products.
//
// Parameters: none.
!op = !transform.any_op
!size = !transform.param<i64>
!flag = !transform.param<i1>
!pack = !transform.op<"linalg.pack">
!generic = !transform.op<"linalg.generic">
module attributes {transform.with_named_sequence} {
  // Orders the numbers of a panel as they are read: those at one point of the sum
  // are adjacent. For a pack from B[k, n], or B[batch, k, n] if batched; others have
  // that order. Returns the contraction that replaces the pack's user.
  transform.named_sequence @turn_panels(%pack: !op {transform.readonly},
      %batched: !flag {transform.readonly}) -> !op {
    %turned = transform.lh.if %batched : !flag -> !op {
      %by_k = transform.structured.match ops{["linalg.pack"]}
          attributes{inner_dims_pos = array<i64: 2>} in %pack : (!op) -> !pack
      %user = transform.get_consumers_of_result %by_k[0] : (!pack) -> !generic
      %product, %other, %none = transform.structured.pack_transpose %by_k
          with_compute_op(%user) outer_perm = [0, 2, 1]
          : (!pack, !generic) -> (!op, !pack, !op)
      transform.yield %product : !op
    } else {
      %by_k = transform.structured.match ops{["linalg.pack"]}
          attributes{inner_dims_pos = array<i64: 1>} in %pack : (!op) -> !pack
      %user = transform.get_consumers_of_result %by_k[0] : (!pack) -> !generic
      %product, %other, %none = transform.structured.pack_transpose %by_k
          with_compute_op(%user) outer_perm = [1, 0]
          : (!pack, !generic) -> (!op, !pack, !op)
      transform.yield %product : !op
    }
    transform.yield %turned : !op
  }

  // Loops over tiles of the given numbers of rows and columns (0: all at once), of
  // one element of a batch.
  transform.named_sequence @tile_for(
      %op: !op {transform.consumed}, %batched: !size {transform.readonly},
      %rows: !size {transform.readonly}, %columns: !size {transform.readonly})
      -> (!op, !op) {
    %tile, %loop = transform.lh.if %batched : !size -> !op, !op {
      %t, %l:2 = transform.structured.tile_using_for %op tile_sizes [0, %rows, %columns]
          : (!op, !size, !size) -> (!op, !op, !op)
      transform.yield %t, %l#0 : !op, !op
    } else {
      %t, %l:2 = transform.structured.tile_using_for %op tile_sizes [%rows, %columns]
          : (!op, !size, !size) -> (!op, !op, !op)
      transform.yield %t, %l#0 : !op, !op
    }
    transform.yield %tile, %loop : !op, !op
  }

  // Makes incomplete tiles loops of their own, of known size.
  transform.named_sequence @peel_tiles(%root: !op {transform.readonly}) -> !op {
    // A loop over strips is peeled once; the pass would split the remainder again.
    %done = transform.structured.match ops{["scf.for"]}
        attributes{lh.peeled_strips} in %root : (!op) -> !op
    transform.annotate %done "__peeled_loop__" : !op
    %whole = transform.structured.match ops{["func.func"]} in %root : (!op) -> !op
    %functions = transform.apply_registered_pass "scf-for-loop-peeling"
        to %whole : (!op) -> !op
    %strips = transform.structured.match ops{["scf.for"]} attributes{lh.strips}
        in %root : (!op) -> !op
    transform.annotate %strips "lh.peeled_strips" : !op
    transform.apply_patterns to %functions {
      transform.apply_patterns.linalg.tiling_canonicalization
      transform.apply_patterns.scf.for_loop_canonicalization
      transform.apply_patterns.canonicalization
    } : !op
    transform.yield %functions : !op
  }
}
