// Computes products of a few rows with a matrix that is read once, unpacked.
//
// Expects: linalg on tensors; products C[m, n] of f32 or f64 whose lh.choice is
//   "thin" (choose): few rows, a matrix [k][n] that is no weight, known sizes.
//   Packing that matrix would cost more than the product.
// Result:  a loop over 8 rows of the matrix, in it one over 64 of its columns:
//   each number of the matrix is read once, in the order of memory, and the sums
//   stay in the L1 cache. Incomplete tiles are peeled off.
// Parameters: none. Tiles of 8 x 64 keep 4 x m sums in registers of 512 bits
//   and read 8 lines at a time, as many as the caches prefetch.
// Source:  level-2 BLAS' gemv, unrolled along the sum.
!op = !transform.any_op
module attributes {transform.with_named_sequence} {
  // Of panels.mlir:
  transform.named_sequence private @peel_tiles(!op {transform.readonly}) -> !op

  transform.named_sequence @is_thin(%op: !op {transform.readonly}) -> !op {
    %choice = transform.lh.match.choice %op ["thin"] : (!op) -> !transform.any_param
    %sizes:4 = transform.lh.match.product %op loops ["mnk"]
        {at_least = array<i64: -1, 1, 1, 1>} : !op
    transform.yield %op : !op
  }

  transform.named_sequence @thin_contractions(%root: !op {transform.readonly}) {
    %products = transform.collect_matching @is_thin in %root : (!op) -> !op
    transform.lh.if %products : !op {
      %tile, %loops:2 = transform.structured.tile_using_for %products
          tile_sizes [0, 64, 8] interchange = [2, 1, 0] : (!op) -> (!op, !op, !op)
      // The sum is peeled first, so that its remainder has a known size.
      %once = transform.include @peel_tiles failures(propagate) (%root) : (!op) -> !op
      %twice = transform.include @peel_tiles failures(propagate) (%root) : (!op) -> !op
      %pieces = transform.collect_matching @is_thin in %root : (!op) -> !op
      transform.structured.vectorize %pieces : !op
    }
    transform.yield
  }
}
