// Converts named linalg ops to generics, for the sparsifier, which takes no
// others, and runs the sparsifier.
//
// Expects: linalg on tensors, sparse ones among them.
// Result:  of @generalize_sparse linalg.generic, but for fills: of one that yields
//   zero the sparsifier would make a constant as large as the result, and a copy of
//   it. Of @sparsify loops over what is stored.
// Parameters: lanes, of a vector; row_lanes, where a module has sums along rows (the
//   sparsifier has one length for a module); scalable; parallel, upstream's word for
//   which loops become parallel ones.
!op = !transform.any_op
!number = !transform.param<i64>
!flag = !transform.any_param
module attributes {transform.with_named_sequence} {
  transform.named_sequence @is_fill(%op: !op {transform.readonly}) -> !op {
    transform.match.operation_name %op ["linalg.fill"] : !op
    transform.yield %op : !op
  }

  transform.named_sequence @is_named(%op: !op {transform.readonly}) -> !op {
    transform.match.structured failures(propagate) %op : !op {
    ^bb0(%s: !op):
      transform.match.structured.yield
    }
    transform.yield %op : !op
  }

  transform.named_sequence @keep(%op: !op {transform.readonly}) {
    transform.yield
  }

  transform.named_sequence @generalize(%op: !op {transform.consumed}) {
    transform.structured.generalize %op : (!op) -> !op
    transform.yield
  }

  transform.named_sequence @generalize_sparse(%root: !op {transform.consumed}) {
    %done = transform.foreach_match in %root
        @is_fill -> @keep,
        @is_named -> @generalize : (!op) -> !op
    transform.yield
  }

  // A sum along a row: its vectors are as long as rows have use for. In all other
  // products they lie along a dense dimension.
  transform.named_sequence @is_row_sum(%op: !op {transform.readonly}) -> !op {
    transform.match.structured failures(propagate) %op : !op {
    ^bb0(%s: !op):
      %rank = transform.match.structured.rank %s : (!op) -> !number
      %two = transform.param.constant 2 : i64 -> !number
      transform.match.param.cmpi eq %rank, %two : !number
      transform.match.structured.dim %s[-1] {reduction} : !op
      transform.match.structured.yield
    }
    transform.yield %op : !op
  }

  transform.named_sequence @sparsify(%root: !op {transform.consumed}) {
    %scalable = transform.param.constant false {lh.bind = {value = "scalable"}} -> !flag
    %parallel = transform.param.constant "none" {lh.bind = {value = "parallel"}} -> !flag
    %sums = transform.collect_matching @is_row_sum in %root
        {lh.optional = "vectors may all lie along dense dimensions"} : (!op) -> !op
    %lanes = transform.lh.if %sums : !op -> !number {
      %rows = transform.param.constant 8 : i64 {lh.bind = {value = "row_lanes"}} -> !number
      transform.yield %rows : !number
    } else {
      %all = transform.param.constant 8 : i64 {lh.bind = {value = "lanes"}} -> !number
      transform.yield %all : !number
    }
    %loops = transform.apply_registered_pass "sparsification-and-bufferization"
        with options = {"vl" = %lanes, "enable-vla-vectorization" = %scalable,
                        "enable-simd-index32" = true,
                        "parallelization-strategy" = %parallel}
        to %root : (!op, !number, !flag, !flag) -> !op
    transform.yield
  }
}
