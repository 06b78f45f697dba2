// Computes products with few columns as dot products, by vectors along the sum.
//
// Expects: linalg on tensors; products C[m, n] of f32 or f64 whose lh.choice is
//   "dot" (choose): n < 8, as in a matrix times a vector, where a panel would be
//   mostly padding. Sums of known length, at least 16.
// Result:  a loop over 4 rows, in it one over 16 steps of the sum whose 4 x n x 16
//   partial sums are kept in registers and reduced at the end. Incomplete tiles
//   are masked.
// Parameters: none. 4 rows give 4 independent chains for n = 1, and 28
//   accumulators for n = 7.
// Source:  the transform dialect's tile_reduction_using_for.
!op = !transform.any_op
!size = !transform.param<i64>
module attributes {transform.with_named_sequence} {
  // Of panels.mlir:
  transform.named_sequence private @peel_tiles(!op {transform.readonly}) -> !op

  transform.named_sequence @is_dot(%op: !op {transform.readonly}) -> !op {
    %choice = transform.lh.match.choice %op ["dot"] : (!op) -> !transform.any_param
    %sizes:4 = transform.lh.match.product %op loops ["mnk"]
        {any_body, at_least = array<i64: -1, 1, 1, 1>} : !op
    transform.yield %op : !op
  }

  transform.named_sequence @is_partial_sum(%op: !op {transform.readonly})
      -> (!op, !size) {
    %loops = transform.param.constant 3 : i64 -> !size
    %few = transform.match.structured failures(propagate) %op : (!op) -> !size {
    ^bb0(%s: !op):
      %rank = transform.match.structured.rank %s : (!op) -> !size
      transform.match.param.cmpi eq %rank, %loops : !size
      %columns = transform.match.structured.dim %s[1] : (!op) -> !size
      transform.match.structured.yield %columns : !size
    }
    transform.yield %op, %few : !op, !size
  }

  transform.named_sequence @dot_contractions(%root: !op {transform.readonly}) {
    %dots = transform.collect_matching @is_dot in %root : (!op) -> !op
    transform.lh.if %dots : !op {
      %strip, %strips = transform.structured.tile_using_for %dots tile_sizes [4, 0, 0]
          : (!op) -> (!op, !op)
      transform.annotate %strip "lh.strip" : !op
      // Rows are peeled first, so that their remainder has a known size.
      %functions = transform.include @peel_tiles failures(propagate) (%root) : (!op) -> !op
      %rows = transform.structured.match attributes{lh.strip} in %root : (!op) -> !op
      %zeros, %partial, %sum, %steps =
          transform.structured.tile_reduction_using_for %rows by
          tile_sizes = [0, 0, 16] : (!op) -> (!op, !op, !op, !op)
      // finish-contractions keeps the partial sums in registers.
      transform.annotate %steps "lh.sum" : !op
      %parts = transform.merge_handles %zeros, %partial, %sum : !op
      transform.annotate %parts "lh.dot" : !op
      %again = transform.include @peel_tiles failures(propagate) (%root) : (!op) -> !op
      %ours = transform.structured.match attributes{lh.dot} in %root : (!op) -> !op
      %pieces, %columns = transform.collect_matching @is_partial_sum in %ours :
          (!op) -> (!op, !size)
      transform.foreach %pieces, %columns : !op, !size {
      ^bb0(%piece: !op, %width: !size):
        transform.structured.vectorize %piece vector_sizes [4, %width, 16] : !op, !size
      }
    }
    transform.yield
  }
}
