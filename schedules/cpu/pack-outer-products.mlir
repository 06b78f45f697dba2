// Data layout of products that become outer products of scalable vectors (SME):
// both operands in panels.
//
// Expects: linalg on tensors, with lh.choice (choose).
// Leaves:  where the target has outer products, each product whose strategy is
//   "outer", a matrix or one for each element of a batch, as a linalg.generic marked lh.outer on panels of both operands,
//   [rows/panel][K][panel] and [columns/panel][K][panel]; what doesn't fill a
//   panel is zeros, so that later steps need no mask.
// Parameters: outer_products, whether the target has them; panel, rows and columns
//   of a panel, as in outer-products.mlir.
// Source:  as outer-products.mlir.
!op = !transform.any_op
!size = !transform.param<i64>
!flag = !transform.param<i1>
module attributes {transform.with_named_sequence} {
  // Of panels.mlir:
  transform.named_sequence private @has_right_batch(!op {transform.readonly}) -> !flag
  transform.named_sequence private @turn_panels(
      !op {transform.readonly}, !flag {transform.readonly}) -> !op

  transform.named_sequence @is_product(%op: !op {transform.readonly}) -> !op {
    %choice = transform.lh.match.choice %op ["outer"] : (!op) -> !transform.any_param
    %sizes:4 = transform.lh.match.product %op
        loops ["mnk", "bmnk", "mmnk", "nmnk"] {types = [f32, f64]} : !op
    transform.yield %op : !op
  }

  // Whether each element of the batch has its own left-hand matrix.
  transform.named_sequence @has_left_batch(%op: !op {transform.readonly}) -> !flag {
    %sizes:4 = transform.lh.match.product %op loops ["bmnk", "mmnk"] : !op
    %yes = transform.param.constant true -> !flag
    transform.yield %yes : !flag
  }

  transform.named_sequence @pack(%product: !op {transform.consumed}) {
    %left_batched = transform.collect_matching @has_left_batch in %product
        {lh.optional = "all may share one matrix"} : (!op) -> !flag
    %right_batched = transform.collect_matching @has_right_batch in %product
        {lh.optional = "all may share one matrix"} : (!op) -> !flag
    %packed = transform.structured.pack_greedily %product
        matmul_packed_sizes = [128, 128, 0] matmul_inner_dims_order = [0, 1, 2]
        {lh.bind = {static_matmul_packed_sizes = ["panel", "panel", 0]}}
        : (!op) -> !transform.op<"linalg.generic">
    transform.annotate %packed "lh.outer" : !transform.op<"linalg.generic">
    %left = transform.get_producer_of_operand %packed[0]
        : (!transform.op<"linalg.generic">) -> !op
    %right = transform.get_producer_of_operand %packed[1]
        : (!transform.op<"linalg.generic">) -> !op
    %once = transform.include @turn_panels failures(propagate)
        (%left, %left_batched) : (!op, !flag) -> !op
    transform.annotate %once "lh.outer" : !op
    %twice = transform.include @turn_panels failures(propagate)
        (%right, %right_batched) : (!op, !flag) -> !op
    transform.annotate %twice "lh.outer" : !op
    transform.yield
  }

  transform.named_sequence @pack_products(%root: !op {transform.readonly}) {
    %products = transform.collect_matching @is_product in %root
        {lh.optional = "there may be no products"} : (!op) -> !op
    transform.foreach %products : !op {
    ^bb0(%product: !op):
      transform.include @pack failures(propagate) (%product) : (!op) -> ()
    }
    %packed = transform.structured.match ops{["linalg.generic"]}
        attributes{lh.outer} in %root
        {lh.optional = "there may be no products"} : (!op) -> !op
    %left = transform.get_producer_of_operand %packed[0] : (!op) -> !op
    %right = transform.get_producer_of_operand %packed[1] : (!op) -> !op
    %packs = transform.merge_handles %left, %right : !op
    transform.annotate %packs "lh.outer" : !op
    %functions = transform.structured.match ops{["func.func"]} in %root : (!op) -> !op
    transform.apply_patterns to %functions {
      transform.apply_patterns.canonicalization
    } : !op
    transform.apply_cse to %functions : !op
    transform.yield
  }

  transform.named_sequence @pack_outer_products(%root: !op {transform.readonly}) {
    %has = transform.param.constant false {lh.bind = {value = "outer_products"}} -> !flag
    transform.lh.if %has : !flag {
      transform.include @pack_products failures(propagate) (%root) : (!op) -> ()
    }
    transform.yield
  }
}
