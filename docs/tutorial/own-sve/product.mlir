// Products in vectors whose length nobody knows yet.
//
// Expects: linalg.matmul of f32 on tensors.
// Result:  loops over rows and strips of columns, with sums in registers over all
//   of k. A strip is as many vectors wide as `lanes` has units of 4; where it
//   reaches over the end, its lanes are masked.
// Parameters: rows and lanes of a tile.
!op = !transform.any_op
!loop = !transform.op<"scf.for">
module attributes {transform.with_named_sequence} {
  // Rows, strips, and one step of k at a time. [8] is 8 times vscale: 2 vectors of
  // f32, as vscale is 1 for each 128 bits. The rows that fill no tile get a loop of
  // their own, so that the number of rows is always known.
  transform.named_sequence @tile(%product: !op {transform.consumed}) {
    %tile, %rows, %strips = transform.structured.tile_using_for %product
        tile_sizes [6, [8], 0] {lh.bind = {static_sizes = ["rows", "lanes", 0]}}
        : (!op) -> (!op, !loop, !op)
    transform.annotate %tile "own.tile" : !op
    %whole, %rest = transform.loop.peel %rows : (!loop) -> (!op, !op)
    transform.yield
  }

  transform.named_sequence @vectorize(%tile: !op {transform.consumed}) {
    %rows = transform.match.structured failures(propagate) %tile
        : (!op) -> !transform.param<i64> {
    ^bb0(%s: !op):
      %size = transform.match.structured.dim %s[0] : (!op) -> !transform.param<i64>
      transform.match.structured.yield %size : !transform.param<i64>
    }
    %step, %sum = transform.structured.tile_using_for %tile tile_sizes [0, 0, 1]
        : (!op) -> (!op, !op)
    transform.annotate %sum "own.sum" : !op
    // Only masks are long enough for a length that isn't known.
    transform.structured.vectorize %step vector_sizes [%rows, [8], 1]
        {create_named_contraction, lh.bind = {static_vector_sizes = [-1, "lanes", 1]}}
        : !op, !transform.param<i64>
    transform.yield
  }

  transform.named_sequence @multiply(%root: !op {transform.readonly}) {
    %functions = transform.structured.match ops{["func.func"]} in %root : (!op) -> !op
    %products = transform.structured.match ops{["linalg.matmul"]} in %root
        : (!op) -> !op
    transform.foreach %products : !op {
    ^bb0(%product: !op):
      transform.include @tile failures(propagate) (%product) : (!op) -> ()
    }
    transform.apply_patterns to %functions {
      transform.apply_patterns.linalg.tiling_canonicalization
      transform.apply_patterns.canonicalization
    } : !op
    %tiles = transform.structured.match attributes{own.tile} in %root : (!op) -> !op
    transform.foreach %tiles : !op {
    ^bb0(%tile: !op):
      transform.include @vectorize failures(propagate) (%tile) : (!op) -> ()
    }
    transform.apply_patterns to %functions {
      transform.apply_patterns.vector.lower_masked_transfers
    } : !op
    // What is added up stays in registers, round the loop over k.
    %sums = transform.structured.match ops{["scf.for"]} attributes{own.sum} in %root
        : (!op) -> !op
    transform.apply_licm to %sums : !op
    transform.loop.hoist_loop_invariant_subsets %sums : !op
    // A number of A times a vector of B: SVE's multiply-add takes the mask.
    transform.apply_patterns to %sums {
      transform.apply_patterns.vector.transfer_permutation_patterns
      transform.apply_patterns.vector.lower_contraction lowering_strategy = "outerproduct"
      transform.apply_patterns.vector.lower_masks
      transform.apply_patterns.vector.lower_outerproduct
    } : !op
    transform.apply_patterns to %functions {
      transform.apply_patterns.canonicalization
    } {apply_cse} : !op
    transform.yield
  }
}
