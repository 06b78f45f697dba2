// What schedules share that pack the operands of products into panels.
//
// Parameters: none.
!op = !transform.any_op
!flag = !transform.param<i1>
module attributes {transform.with_named_sequence} {
  // Whether each element of the batch has its own right-hand matrix.
  transform.named_sequence @has_right_batch(
      %op: !op {transform.readonly}) -> !flag {
    %sizes:4 = transform.lh.match.product %op loops ["bmnk", "nmnk"]
        {any_body} : !op
    %yes = transform.param.constant true -> !flag
    transform.yield %yes : !flag
  }

  // The numbers of a panel lie in the order in which they are read: those at one
  // point of the sum side by side. Of a pack from B[k, n], or from B[batch, k, n]
  // where it is batched. Gives the contraction that replaces the pack's user.
  transform.named_sequence @turn_panels(
      %pack: !op {transform.readonly},
      %batched: !flag {transform.readonly}) -> !op {
    %by_k = transform.lh.if %batched : !flag -> !op {
      %found = transform.structured.match ops{["linalg.pack"]}
          attributes{inner_dims_pos = array<i64: 2>} in %pack
          {lh.optional = "it may lie in that order"} : (!op) -> !op
      transform.yield %found : !op
    } else {
      %found = transform.structured.match ops{["linalg.pack"]}
          attributes{inner_dims_pos = array<i64: 1>} in %pack
          {lh.optional = "it may lie in that order"} : (!op) -> !op
      transform.yield %found : !op
    }
    %turned = transform.foreach %by_k : !op -> !op {
    ^bb0(%each: !op):
      %user = transform.get_consumers_of_result %each[0] : (!op) -> !op
      %p = transform.cast %each : !op to !transform.op<"linalg.pack">
      %g = transform.cast %user : !op to !transform.op<"linalg.generic">
      %t = transform.lh.if %batched : !flag -> !op {
        %product, %other, %none = transform.structured.pack_transpose %p
            with_compute_op(%g) outer_perm = [0, 2, 1]
            : (!transform.op<"linalg.pack">, !transform.op<"linalg.generic">)
            -> (!op, !transform.op<"linalg.pack">, !op)
        transform.yield %product : !op
      } else {
        %product, %other, %none = transform.structured.pack_transpose %p
            with_compute_op(%g) outer_perm = [1, 0]
            : (!transform.op<"linalg.pack">, !transform.op<"linalg.generic">)
            -> (!op, !transform.op<"linalg.pack">, !op)
        transform.yield %product : !op
      }
      transform.yield %t : !op
    }
    transform.yield %turned : !op
  }
}
