// What schedules share that cut loops into strips of vectors.
//
// Parameters: vector_bits chooses the strip (vectorize-elementwise.mlir says why
//   it is two registers); scalable says whether vectors are as long as the
//   machine has them.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @strip_of_wide_vectors(
      %op: !transform.any_op {transform.readonly}) -> !transform.param<i64> {
    transform.match.operation_name %op ["builtin.module"] : !transform.any_op
    %fact = transform.param.constant 512 : i64 {lh.bind = {value = "vector_bits"}}
        -> !transform.param<i64>
    %bound = transform.param.constant 512 : i64 -> !transform.param<i64>
    transform.match.param.cmpi ge %fact, %bound : !transform.param<i64>
    %value = transform.param.constant 32 : i64 -> !transform.param<i64>
    transform.yield %value : !transform.param<i64>
  }

  transform.named_sequence @strip_of_narrow_vectors(
      %op: !transform.any_op {transform.readonly}) -> !transform.param<i64> {
    transform.match.operation_name %op ["builtin.module"] : !transform.any_op
    %fact = transform.param.constant 512 : i64 {lh.bind = {value = "vector_bits"}}
        -> !transform.param<i64>
    %bound = transform.param.constant 512 : i64 -> !transform.param<i64>
    transform.match.param.cmpi lt %fact, %bound : !transform.param<i64>
    %value = transform.param.constant 16 : i64 -> !transform.param<i64>
    transform.yield %value : !transform.param<i64>
  }

  // Numbers of a strip: two registers of f32.
  transform.named_sequence @strip_of_vectors(
      %root: !transform.any_op {transform.readonly}) -> !transform.param<i64> {
    // Exactly one of the two matches.
    %wide = transform.collect_matching @strip_of_wide_vectors in %root
        : (!transform.any_op) -> !transform.param<i64>
    %narrow = transform.collect_matching @strip_of_narrow_vectors in %root
        : (!transform.any_op) -> !transform.param<i64>
    %strip = transform.merge_handles %wide, %narrow : !transform.param<i64>
    transform.yield %strip : !transform.param<i64>
  }

  // Where vectors are as long as the machine has them.
  transform.named_sequence @has_scalable_vectors(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    transform.match.operation_name %op ["func.func"] : !transform.any_op
    %scalable = transform.param.constant false
        {lh.bind = {value = "scalable"}} -> !transform.param<i1>
    %yes = transform.param.constant true -> !transform.param<i1>
    transform.match.param.cmpi eq %scalable, %yes : !transform.param<i1>
    transform.yield %op : !transform.any_op
  }

  // Fails on what masked lanes must not compute, and on gathers.
  transform.named_sequence @is_safe_masked(
      %op: !transform.any_op {transform.readonly}) {
    %none = transform.param.constant 0 : i64 -> !transform.param<i64>
    %unsafe = transform.structured.match ops{[
        "arith.divsi", "arith.divui", "arith.remsi", "arith.remui",
        "arith.ceildivsi", "arith.ceildivui", "arith.floordivsi",
        "tensor.extract"]} in %op {lh.optional = "most have none"}
        : (!transform.any_op) -> !transform.any_op
    %count = transform.num_associations %unsafe
        : (!transform.any_op) -> !transform.param<i64>
    transform.match.param.cmpi eq %count, %none : !transform.param<i64>
    transform.yield
  }

  // One loop over whole strips, and one, of one iteration, for the rest.
  transform.named_sequence @peel(
      %loop: !transform.any_op {transform.readonly}) {
    %for = transform.cast %loop : !transform.any_op to !transform.op<"scf.for">
    %whole, %rest = transform.loop.peel %for
        : (!transform.op<"scf.for">) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }

  transform.named_sequence @drop_unit_loops(
      %functions: !transform.any_op {transform.readonly}) {
    transform.apply_patterns to %functions {
      transform.apply_patterns.linalg.fold_unit_extent_dims_via_slices
      transform.apply_patterns.tensor.fold_tensor_empty
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.apply_cse to %functions : !transform.any_op
    transform.yield
  }
}
