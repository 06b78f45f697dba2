// What schedules share that cut loops into strips of vectors.
//
// Parameters: none.
!op = !transform.any_op
!size = !transform.param<i64>
module attributes {transform.with_named_sequence} {
  // Fails on what masked lanes must not compute, and on gathers.
  transform.named_sequence @is_safe_masked(%op: !op {transform.readonly}) {
    %none = transform.param.constant 0 : i64 -> !size
    %unsafe = transform.structured.match ops{[
        "arith.divsi", "arith.divui", "arith.remsi", "arith.remui",
        "arith.ceildivsi", "arith.ceildivui", "arith.floordivsi",
        "tensor.extract"]} in %op {lh.optional = "most have none"} : (!op) -> !op
    %count = transform.num_associations %unsafe : (!op) -> !size
    transform.match.param.cmpi eq %count, %none : !size
    transform.yield
  }

  // One loop over whole strips, and one, of one iteration, for the rest.
  transform.named_sequence @peel(%loop: !op {transform.readonly}) {
    %for = transform.cast %loop : !op to !transform.op<"scf.for">
    %whole, %rest = transform.loop.peel %for : (!transform.op<"scf.for">) ->
        (!op, !op)
    transform.yield
  }

  transform.named_sequence @drop_unit_loops(
      %functions: !op {transform.readonly}) {
    transform.apply_patterns to %functions {
      transform.apply_patterns.linalg.fold_unit_extent_dims_via_slices
      transform.apply_patterns.tensor.fold_tensor_empty
      transform.apply_patterns.canonicalization
    } : !op
    transform.apply_cse to %functions : !op
    transform.yield
  }
}
