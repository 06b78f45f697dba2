// Products of a few rows with a matrix that is read once, where it lies.
//
// Expects: linalg on tensors, what pack-contractions marked lh.thin: f32 or f64
//   products C[m, n] of at most 4 rows with a matrix [k][n] that is no weight, of
//   known sizes. Packing that matrix would cost more than the product.
// Leaves:  a loop over 8 rows of the matrix, in it one over 64 of its columns:
//   each number of the matrix is read once, in the order of memory, and the sums
//   stay in the first cache. What doesn't fill a tile is peeled off.
// Parameters: none. Tiles of 8 x 64 keep 4 x m sums in registers of 512 bits
//   and read 8 lines at a time, as many as the caches prefetch.
// Source:  level-2 BLAS' gemv, unrolled along the sum.
!op = !transform.any_op
module attributes {transform.with_named_sequence} {
  transform.named_sequence @peel(%root: !op {transform.readonly}) {
    // A loop over strips is peeled once: the pass would cut what is left again.
    %done = transform.structured.match ops{["scf.for"]}
        attributes{lh.peeled_strips} in %root
        {lh.optional = "vectors may be of known length"} : (!op) -> !op
    transform.annotate %done "__peeled_loop__" : !op
    %whole = transform.structured.match ops{["func.func"]} in %root : (!op)
        -> !op
    %functions = transform.apply_registered_pass "scf-for-loop-peeling"
        to %whole : (!op) -> !op
    %strips = transform.structured.match ops{["scf.for"]} attributes{lh.strips}
        in %root {lh.optional = "vectors may be of known length"} : (!op) -> !op
    transform.annotate %strips "lh.peeled_strips" : !op
    transform.apply_patterns to %functions {
      transform.apply_patterns.linalg.tiling_canonicalization
      transform.apply_patterns.scf.for_loop_canonicalization
      transform.apply_patterns.canonicalization
    } : !op
    transform.yield
  }

  transform.named_sequence @thin_contractions(%root: !op {transform.readonly}) {
    %products = transform.structured.match attributes{lh.thin} in %root
        {lh.optional = "there may be no thin products"} : (!op) -> !op
    transform.foreach %products : !op {
    ^bb0(%product: !op):
      %tile, %loops:2 = transform.structured.tile_using_for %product
          tile_sizes [0, 64, 8] interchange = [2, 1, 0] : (!op) ->
          (!op, !op, !op)
    }
    // The sum first: what is left of it has a known size then.
    transform.include @peel failures(propagate) (%root) : (!op) -> ()
    transform.include @peel failures(propagate) (%root) : (!op) -> ()
    %pieces = transform.structured.match attributes{lh.thin} in %root
        {lh.optional = "there may be no thin products"} : (!op) -> !op
    transform.structured.vectorize %pieces : !op
    transform.yield
  }
}
