// Products of matrices whose sizes are multiples of a tile's.
//
// Expects: linalg on tensors.
// Result:  operands of each product of two matrices of known sizes that has no choice
//   yet (lh.choice) are padded with zeros to the next multiple of rows, columns and
//   sum, and its result is a slice. What would leave more than least_share allows to
//   zeros stays as it is.
// Parameters: rows, columns, sum; least_share, how much of the padded work must be the
//   product's, in percent.
// Source:  none.
!op = !transform.any_op
!choice = !transform.any_param
module attributes {transform.with_named_sequence} {
  transform.named_sequence @pad_products(%root: !op {transform.readonly}) {
    %named = transform.collect_matching @is_matmul in %root : (!op) -> !op
    %others = transform.collect_matching @is_of_one_type in %root : (!op) -> !op
    %products = transform.merge_handles deduplicate %named, %others : !op
    transform.foreach %products : !op {
    ^bb0(%product: !op):
      %padded, %pads, %none = transform.structured.pad %product
          pad_to_multiple_of [64, 64, 64]
          {padding_dimensions = [0, 1, 2], copy_back_op = "none",
           lh.bind = {static_pad_to_multiple_of = ["rows", "columns", "sum"]}}
          : (!op) -> (!op, !op, !op)
    }
    // Zeros that are padded are zeros.
    %functions = transform.structured.match ops{["func.func"]} in %root : (!op) -> !op
    transform.apply_patterns to %functions {
      transform.apply_patterns.linalg.tiling_canonicalization
      transform.apply_patterns.canonicalization
    } : !op
    transform.yield
  }

  // Of bytes, too: its name says what it computes of them.
  transform.named_sequence @is_matmul(%op: !op {transform.readonly}) -> !op {
    transform.match.operation_name %op ["linalg.matmul"] : !op
    transform.include @is_padded failures(propagate) (%op) : (!op) -> ()
    transform.yield %op : !op
  }

  transform.named_sequence @is_of_one_type(%op: !op {transform.readonly}) -> !op {
    %sizes:4 = transform.lh.match.product %op loops ["mnk"]
        {types = [f16, bf16, f32, f64, i32]} : !op
    transform.include @is_padded failures(propagate) (%op) : (!op) -> ()
    transform.yield %op : !op
  }

  transform.named_sequence @is_padded(%op: !op {transform.readonly}) {
    %choice = transform.lh.match.choice %op [""] : (!op) -> !choice
    %sizes:4 = transform.lh.match.product %op loops ["mnk"]
        {any_body, at_least = array<i64: -1, 1, 1, 1>,
         tiles = array<i64: -1, 64, 64, 64>, least_share = 0 : i64,
         lh.bind = {tiles = [-1, "rows", "columns", "sum"], least_share = "least_share"}}
        : !op
    transform.yield
  }
}
