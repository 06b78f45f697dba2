// Converts named linalg ops to generics, for the sparsifier, which takes no
// others.
//
// Expects: linalg on tensors, sparse ones among them.
// Result:  linalg.generic, but for fills: of one that yields zero the sparsifier
//   would make a constant as large as the result, and a copy of it.
// Parameters: none.
!op = !transform.any_op
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
}
