// What each strategy can compute, whatever the rules choose.
//
// Expects: an op of choose.mlir, before it is chosen or after.
// Result:  each sequence is a matcher that fails where the strategy can't compute
//   the op. `lh-run list --choices` tells why, `lh-run tune` tries those that can,
//   and a measured choice is held against them.
// Parameters: those of choose.mlir.
// Source:  none.
!op = !transform.any_op
!size = !transform.param<i64>
!choice = !transform.any_param
#matrices = ["mnk", "bmnk", "mmnk", "nmnk"]
#windows = ["mmmnkkk", "mmmbnkkk"]
module attributes {transform.with_named_sequence} {
  // Of choose.mlir:
  transform.named_sequence private @widens(
      !op {transform.readonly}, !size {transform.readonly})
  transform.named_sequence private @widens_bytes(!op {transform.readonly})
  transform.named_sequence private @is_of_words(!op {transform.readonly})

  transform.named_sequence @can_kernel(%op: !op {transform.readonly}) {
    %sizes:4 = transform.lh.match.product %op loops ["mnk"] {any_body} : !op
    %function, %bias = transform.lh.match.kernel %op "none"
        {lh.bind = {kernel = "kernel.name"}} : (!op) -> (!op, !transform.any_value)
    transform.yield
  }

  transform.named_sequence @can_unpack(%op: !op {transform.readonly}) {
    %sizes:4 = transform.lh.match.product %op loops ["mnkkk"]
        {types = [f32], at_least = array<i64: -1, 1, 1, 1>,
         multiple_of = array<i64: -1, -1, 32, -1>,
         lh.bind = {multiple_of = [-1, -1, "panel", -1]}} : !op
    transform.include @widens_bytes failures(propagate) (%op) : (!op) -> ()
    transform.yield
  }

  // Bytes or bf16, in matrices or in windows.
  transform.named_sequence @can_words(%op: !op {transform.readonly}) {
    %known = transform.collect_matching @is_matrix in %op : (!op) -> !op
    transform.lh.if %known : !op {
      %sizes:4 = transform.lh.match.product %op loops #matrices
          {types = [i32, f32], at_least = array<i64: -1, -1, 1, 1>} : !op
      transform.yield
    } else {
      %sizes:4 = transform.lh.match.product %op loops ["mmmnkkk"]
          {windows, types = [i32, f32], at_least = array<i64: -1, 1, 1, 1>} : !op
      transform.yield
    }
    %bits = transform.param.constant 8 : i64 {lh.bind = {value = "word_bits"}} -> !size
    transform.include @widens failures(propagate) (%op, %bits) : (!op, !size) -> ()
    transform.yield
  }

  transform.named_sequence @is_matrix(%op: !op {transform.readonly}) -> !op {
    %sizes:4 = transform.lh.match.product %op loops #matrices {any_body} : !op
    transform.yield %op : !op
  }

  // Windows of 3 x 3 side by side.
  transform.named_sequence @can_winograd(%op: !op {transform.readonly}) {
    %groups, %image, %filters, %sum = transform.lh.match.product %op loops ["mmmnkkk"]
        {windows, types = [f32], at_least = array<i64: -1, 4, 1, 1>,
         steps = array<i64: 1, 1, 1, 1>} : !op
    %one = transform.param.constant 1 : i64 -> !size
    %three = transform.param.constant 3 : i64 -> !size
    %any = transform.param.constant 9223372036854775807 : i64 -> !size
    %narrowest = transform.merge_handles %three, %three, %one : !size
    transform.match.param.cmpi ge %sum, %narrowest : !size
    %widest = transform.merge_handles %three, %three, %any : !size
    transform.match.param.cmpi le %sum, %widest : !size
    transform.yield
  }

  transform.named_sequence @can_lanes(%op: !op {transform.readonly}) {
    %sizes:4 = transform.lh.match.product %op loops ["mmmbnkkk"]
        {windows, types = [f32, f64], at_least = array<i64: 1, 1, 1, 1>,
         at_most = array<i64: -1, -1, 8, 32>,
         lh.bind = {at_most = [-1, -1, "lane_filters", "lane_channels"]}} : !op
    transform.yield
  }

  transform.named_sequence @can_gather(%op: !op {transform.readonly}) {
    %sizes:4 = transform.lh.match.product %op loops #windows
        {windows, any_body, at_least = array<i64: 1, 1, 1, 1>} : !op
    transform.yield
  }

  // The rows of C are registers.
  transform.named_sequence @can_thin(%op: !op {transform.readonly}) {
    %sizes:4 = transform.lh.match.product %op loops ["mnk"]
        {operands = "mk,kn->mn", types = [f32, f64],
         at_least = array<i64: -1, 1, 1, 1>, at_most = array<i64: -1, 8, -1, -1>} : !op
    transform.yield
  }

  // The columns of C are registers.
  transform.named_sequence @can_dot(%op: !op {transform.readonly}) {
    %sizes:4 = transform.lh.match.product %op loops ["mnk"]
        {types = [f32, f64], at_least = array<i64: -1, 1, 1, 16>,
         at_most = array<i64: -1, -1, 7, -1>} : !op
    transform.yield
  }

  transform.named_sequence @can_outer(%op: !op {transform.readonly}) {
    %sizes:4 = transform.lh.match.product %op loops #matrices
        {types = [f32, f64], unknown_is_large, at_least = array<i64: -1, 1, 1, -1>} : !op
    transform.yield
  }

  transform.named_sequence @can_amx(%op: !op {transform.readonly}) {
    %sizes:4 = transform.lh.match.product %op loops #matrices {any_body} : !op
    transform.include @is_of_words failures(propagate) (%op) : (!op) -> ()
    transform.yield
  }

  // Numbers, and words that are multiplied as numbers of 32 bits.
  transform.named_sequence @can_tile(%op: !op {transform.readonly}) {
    %words = transform.structured.match attributes{lh.product} in %op : (!op) -> !op
    transform.lh.if %words : !op {
      %sizes:4 = transform.lh.match.product %op loops #matrices {any_body} : !op
      transform.yield
    } else {
      %sizes:4 = transform.lh.match.product %op loops #matrices
          {types = [f32, f64, i32, i64], unknown_is_large,
           at_least = array<i64: -1, -1, 1, -1>} : !op
      transform.yield
    }
    transform.yield
  }

  transform.named_sequence @can_plain(%op: !op {transform.readonly}) {
    transform.yield
  }
}
