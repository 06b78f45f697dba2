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
!op = !transform.any_op
!size = !transform.param<i64>
module attributes {transform.with_named_sequence} {
  transform.named_sequence @is_dot(
      %op: !op {transform.readonly})
      -> (!op, !size) {
    %loops = transform.param.constant 3 : i64 -> !size
    %single = transform.param.constant 32 : i64 -> !size
    %one = transform.param.constant 1 : i64 -> !size
    %seven = transform.param.constant 7 : i64 -> !size
    %shortest = transform.param.constant 16 : i64 -> !size
    %rows = transform.param.constant 0 : i64 -> !size
    %columns = transform.param.constant 1 : i64 -> !size
    %sum = transform.param.constant 2 : i64 -> !size
    %few = transform.match.structured failures(propagate) %op : (!op) -> !size {
    ^bb0(%s: !op):
      %rank = transform.match.structured.rank %s : (!op) -> !size
      transform.match.param.cmpi eq %rank, %loops : !size
      transform.match.structured.body %s
          {contraction = ["arith.mulf", "arith.addf"]} : !op
      %init = transform.match.structured.init %s[0] : (!op)
          -> !transform.any_value
      %width = transform.match.structured.elemental_bitwidth %init :
          (!transform.any_value) -> !size
      transform.match.param.cmpi ge %width, %single : !size
      %batch, %m, %n, %k = transform.match.structured.classify_contraction_dims
          %s : (!op) -> (!size, !size, !size, !size)
      transform.match.param.cmpi eq %m, %rows : !size
      transform.match.param.cmpi eq %n, %columns : !size
      transform.match.param.cmpi eq %k, %sum : !size
      %height = transform.match.structured.dim %s[0] : (!op) -> !size
      transform.match.param.cmpi ge %height, %one : !size
      %width_of_c = transform.match.structured.dim %s[1] : (!op) -> !size
      transform.match.param.cmpi ge %width_of_c, %one : !size
      transform.match.param.cmpi le %width_of_c, %seven : !size
      %length = transform.match.structured.dim %s[2] : (!op) -> !size
      transform.match.param.cmpi ge %length, %shortest : !size
      transform.match.structured.yield %width_of_c : !size
    }
    transform.yield %op, %few : !op, !size
  }

  transform.named_sequence @is_partial_sum(
      %op: !op {transform.readonly})
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

  transform.named_sequence @peel(%root: !op {transform.readonly}) -> !op {
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
    transform.yield %functions : !op
  }

  transform.named_sequence @dot_contractions(%root: !op {transform.readonly}) {
    %dots, %widths = transform.collect_matching @is_dot in %root : (!op) ->
        (!op, !size)
    transform.foreach %dots : !op {
    ^bb0(%dot: !op):
      %strip, %strips = transform.structured.tile_using_for %dot
          tile_sizes [4, 0, 0] : (!op) -> (!op, !op)
      transform.annotate %strip "lh.strip" : !op
    }
    // Rows first: what is left of them has a known size then.
    %functions = transform.include @peel failures(propagate) (%root) : (!op) ->
        (!op)
    %rows = transform.structured.match attributes{lh.strip} in %root : (!op)
        -> !op
    transform.foreach %rows : !op {
    ^bb0(%strip: !op):
      %zeros, %partial, %sum, %steps =
          transform.structured.tile_reduction_using_for %strip by
          tile_sizes = [0, 0, 16] : (!op) -> (!op, !op, !op, !op)
      // finish-contractions brings the partial sums into registers.
      transform.annotate %steps "lh.sum" : !op
      transform.annotate %zeros "lh.dot" : !op
      transform.annotate %partial "lh.dot" : !op
      transform.annotate %sum "lh.dot" : !op
    }
    %again = transform.include @peel failures(propagate) (%root) : (!op) ->
        (!op)
    %ours = transform.structured.match attributes{lh.dot} in %root : (!op)
        -> !op
    %pieces, %columns = transform.collect_matching @is_partial_sum in %ours :
        (!op) -> (!op, !size)
    transform.foreach %pieces, %columns : !op, !size {
    ^bb0(%piece: !op, %width: !size):
      transform.structured.vectorize %piece vector_sizes [4, %width, 16]
          : !op, !size
    }
    transform.yield
  }
}
