// Copies of buffers as vectors.
//
// Expects: linalg.copy on buffers, as bufferization leaves it. A copy of tensors is
//   nothing to the canonicalizer, so that none can be vectorized before.
// Result:  rows in strips of vectors, of what is left of a row one vector more.
//   Of sizes that only the run knows, and of more than 5 dimensions: plain loops.
// Parameters: strip, the numbers in a strip (four vectors).
!op = !transform.any_op
!size = !transform.param<i64>
module attributes {transform.with_named_sequence} {
  // 1. Of how many dimensions, all of them known.
  transform.named_sequence @is_of(%op: !op {transform.readonly},
      %rank: !size {transform.readonly}) {
    transform.match.operation_name %op ["linalg.copy"] : !op
    %sizes = transform.match.structured failures(propagate) %op : (!op) -> !size {
    ^bb0(%s: !op):
      %loops = transform.match.structured.rank %s : (!op) -> !size
      transform.match.param.cmpi eq %loops, %rank : !size
      %all = transform.match.structured.dim %s[all] : (!op) -> !size
      transform.match.structured.yield %all : !size
    }
    %one = transform.param.constant 1 : i64 -> !size
    transform.foreach %sizes : !size {
    ^bb0(%size: !size):
      transform.match.param.cmpi ge %size, %one : !size
    }
    transform.yield
  }

  transform.named_sequence @of_1(%op: !op {transform.readonly}) -> !op {
    %rank = transform.param.constant 1 : i64 -> !size
    transform.include @is_of failures(propagate) (%op, %rank) : (!op, !size) -> ()
    transform.yield %op : !op
  }
  transform.named_sequence @of_2(%op: !op {transform.readonly}) -> !op {
    %rank = transform.param.constant 2 : i64 -> !size
    transform.include @is_of failures(propagate) (%op, %rank) : (!op, !size) -> ()
    transform.yield %op : !op
  }
  transform.named_sequence @of_3(%op: !op {transform.readonly}) -> !op {
    %rank = transform.param.constant 3 : i64 -> !size
    transform.include @is_of failures(propagate) (%op, %rank) : (!op, !size) -> ()
    transform.yield %op : !op
  }
  transform.named_sequence @of_4(%op: !op {transform.readonly}) -> !op {
    %rank = transform.param.constant 4 : i64 -> !size
    transform.include @is_of failures(propagate) (%op, %rank) : (!op, !size) -> ()
    transform.yield %op : !op
  }

  // 2. Strips of rows.
  transform.named_sequence @copies(%root: !op {transform.readonly}) {
    %functions = transform.structured.match ops{["func.func"]} in %root : (!op) -> !op
    %c1 = transform.collect_matching @of_1 in %root : (!op) -> !op
    transform.foreach %c1 : !op {
    ^bb0(%copy: !op):
      %t, %l = transform.structured.tile_using_for %copy tile_sizes [64]
          {lh.bind = {static_sizes = ["strip"]}} : (!op) -> (!op, !op)
      transform.annotate %t "strip" : !op
    }
    %c2 = transform.collect_matching @of_2 in %root : (!op) -> !op
    transform.foreach %c2 : !op {
    ^bb0(%copy: !op):
      %t, %l:2 = transform.structured.tile_using_for %copy tile_sizes [1, 64]
          {lh.bind = {static_sizes = [1, "strip"]}} : (!op) -> (!op, !op, !op)
      transform.annotate %t "strip" : !op
    }
    %c3 = transform.collect_matching @of_3 in %root : (!op) -> !op
    transform.foreach %c3 : !op {
    ^bb0(%copy: !op):
      %t, %l:3 = transform.structured.tile_using_for %copy tile_sizes [1, 1, 64]
          {lh.bind = {static_sizes = [1, 1, "strip"]}} : (!op) -> (!op, !op, !op, !op)
      transform.annotate %t "strip" : !op
    }
    %c4 = transform.collect_matching @of_4 in %root : (!op) -> !op
    transform.foreach %c4 : !op {
    ^bb0(%copy: !op):
      %t, %l:4 = transform.structured.tile_using_for %copy tile_sizes [1, 1, 1, 64]
          {lh.bind = {static_sizes = [1, 1, 1, "strip"]}}
          : (!op) -> (!op, !op, !op, !op, !op)
      transform.annotate %t "strip" : !op
    }
    %peeled = transform.apply_registered_pass "scf-for-loop-peeling" to %functions
        : (!op) -> !op
    transform.apply_patterns to %peeled {
      transform.apply_patterns.linalg.tiling_canonicalization
      transform.apply_patterns.scf.for_loop_canonicalization
      transform.apply_patterns.canonicalization
    } : !op
    %strips = transform.structured.match ops{["linalg.copy"]} attributes{strip} in %root
        : (!op) -> !op
    transform.structured.vectorize %strips : !op
    transform.yield
  }
}
