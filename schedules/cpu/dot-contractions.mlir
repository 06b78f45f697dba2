// Products with few columns as dot products: vectors along the sum.
//
// Expects: linalg on tensors, what pack-contractions left because a panel would
//   be mostly padding: f32 or f64 products C[m, n] with n < 8, as a matrix times
//   a vector. Sums of known length, at least 16.
// Leaves:  a loop over 4 rows, in it one over 16 steps of the sum whose 4 x n x 16
//   partial sums are carried in registers, and their reduction at the end. What
//   doesn't fill a tile is masked.
// Parameters: none. 4 rows give 4 independent chains for n = 1, and 28
//   accumulators for n = 7.
// Source:  the transform dialect's tile_reduction_using_for.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @is_dot(
      %op: !transform.any_op {transform.readonly})
      -> (!transform.any_op, !transform.param<i64>) {
    %loops = transform.param.constant 3 : i64 -> !transform.param<i64>
    %single = transform.param.constant 32 : i64 -> !transform.param<i64>
    %one = transform.param.constant 1 : i64 -> !transform.param<i64>
    %seven = transform.param.constant 7 : i64 -> !transform.param<i64>
    %shortest = transform.param.constant 16 : i64 -> !transform.param<i64>
    %rows = transform.param.constant 0 : i64 -> !transform.param<i64>
    %columns = transform.param.constant 1 : i64 -> !transform.param<i64>
    %sum = transform.param.constant 2 : i64 -> !transform.param<i64>
    %few = transform.match.structured failures(propagate) %op
        : (!transform.any_op) -> !transform.param<i64> {
    ^bb0(%s: !transform.any_op):
      %rank = transform.match.structured.rank %s
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi eq %rank, %loops : !transform.param<i64>
      transform.match.structured.body %s
          {contraction = ["arith.mulf", "arith.addf"]} : !transform.any_op
      %init = transform.match.structured.init %s[0]
          : (!transform.any_op) -> !transform.any_value
      %width = transform.match.structured.elemental_bitwidth %init
          : (!transform.any_value) -> !transform.param<i64>
      transform.match.param.cmpi ge %width, %single : !transform.param<i64>
      %batch, %m, %n, %k = transform.match.structured.classify_contraction_dims %s
          : (!transform.any_op) -> (!transform.param<i64>, !transform.param<i64>,
                                    !transform.param<i64>, !transform.param<i64>)
      transform.match.param.cmpi eq %m, %rows : !transform.param<i64>
      transform.match.param.cmpi eq %n, %columns : !transform.param<i64>
      transform.match.param.cmpi eq %k, %sum : !transform.param<i64>
      %height = transform.match.structured.dim %s[0]
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi ge %height, %one : !transform.param<i64>
      %width_of_c = transform.match.structured.dim %s[1]
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi ge %width_of_c, %one : !transform.param<i64>
      transform.match.param.cmpi le %width_of_c, %seven : !transform.param<i64>
      %length = transform.match.structured.dim %s[2]
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi ge %length, %shortest : !transform.param<i64>
      transform.match.structured.yield %width_of_c : !transform.param<i64>
    }
    transform.yield %op, %few : !transform.any_op, !transform.param<i64>
  }

  transform.named_sequence @is_partial_sum(
      %op: !transform.any_op {transform.readonly})
      -> (!transform.any_op, !transform.param<i64>) {
    %loops = transform.param.constant 3 : i64 -> !transform.param<i64>
    %few = transform.match.structured failures(propagate) %op
        : (!transform.any_op) -> !transform.param<i64> {
    ^bb0(%s: !transform.any_op):
      %rank = transform.match.structured.rank %s
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi eq %rank, %loops : !transform.param<i64>
      %columns = transform.match.structured.dim %s[1]
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.structured.yield %columns : !transform.param<i64>
    }
    transform.yield %op, %few : !transform.any_op, !transform.param<i64>
  }

  transform.named_sequence @peel(
      %root: !transform.any_op {transform.readonly}) -> !transform.any_op {
    // A loop over strips is peeled once: the pass would cut what is left again.
    %done = transform.structured.match ops{["scf.for"]}
        attributes{lh.peeled_strips} in %root
        {lh.optional = "vectors may be of known length"}
        : (!transform.any_op) -> !transform.any_op
    transform.annotate %done "__peeled_loop__" : !transform.any_op
    %whole = transform.structured.match ops{["func.func"]} in %root
        : (!transform.any_op) -> !transform.any_op
    %functions = transform.apply_registered_pass "scf-for-loop-peeling"
        to %whole : (!transform.any_op) -> !transform.any_op
    %strips = transform.structured.match ops{["scf.for"]}
        attributes{lh.strips} in %root
        {lh.optional = "vectors may be of known length"}
        : (!transform.any_op) -> !transform.any_op
    transform.annotate %strips "lh.peeled_strips" : !transform.any_op
    transform.apply_patterns to %functions {
      transform.apply_patterns.linalg.tiling_canonicalization
      transform.apply_patterns.scf.for_loop_canonicalization
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.yield %functions : !transform.any_op
  }

  transform.named_sequence @dot_contractions(
      %root: !transform.any_op {transform.readonly}) {
    %dots, %widths = transform.collect_matching @is_dot in %root
        : (!transform.any_op) -> (!transform.any_op, !transform.param<i64>)
    transform.foreach %dots : !transform.any_op {
    ^bb0(%dot: !transform.any_op):
      %strip, %strips = transform.structured.tile_using_for %dot
          tile_sizes [4, 0, 0]
          : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
      transform.annotate %strip "lh.strip" : !transform.any_op
    }
    // Rows first: what is left of them has a known size then.
    %functions = transform.include @peel failures(propagate) (%root)
        : (!transform.any_op) -> (!transform.any_op)
    %rows = transform.structured.match attributes{lh.strip} in %root
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %rows : !transform.any_op {
    ^bb0(%strip: !transform.any_op):
      %zeros, %partial, %sum, %steps =
          transform.structured.tile_reduction_using_for %strip
          by tile_sizes = [0, 0, 16]
          : (!transform.any_op) -> (!transform.any_op, !transform.any_op,
                                    !transform.any_op, !transform.any_op)
      // finish-contractions brings the partial sums into registers.
      transform.annotate %steps "lh.sum" : !transform.any_op
      transform.annotate %zeros "lh.dot" : !transform.any_op
      transform.annotate %partial "lh.dot" : !transform.any_op
      transform.annotate %sum "lh.dot" : !transform.any_op
    }
    %again = transform.include @peel failures(propagate) (%root)
        : (!transform.any_op) -> (!transform.any_op)
    %ours = transform.structured.match attributes{lh.dot} in %root
        : (!transform.any_op) -> !transform.any_op
    %pieces, %columns = transform.collect_matching @is_partial_sum in %ours
        : (!transform.any_op) -> (!transform.any_op, !transform.param<i64>)
    transform.foreach %pieces, %columns
        : !transform.any_op, !transform.param<i64> {
    ^bb0(%piece: !transform.any_op, %width: !transform.param<i64>):
      transform.structured.vectorize %piece vector_sizes [4, %width, 16]
          : !transform.any_op, !transform.param<i64>
    }
    transform.yield
  }
}
