// Kind: refusal
// Fault: A matcher of `transform.collect_matching` that holds an op which is no matcher, here `transform.structured.match`, is refused. The same op in a sequence that the matcher includes is taken.
// Expected: such ops in matchers, as the dialect has no matcher for element types or for the ops of a body.
// Ours: schedules put such ops into an included sequence
// Change: `matchBlock` in `mlir/lib/Dialect/Transform/IR/TransformOps.cpp` asks each op for `MatchOpInterface`. Let it take ops that only read their handles as well, as it does behind `transform.include`.
// Upstream: No report known
//
// RUN: not mlir-opt %s -transform-interpreter 2>&1 | FileCheck %s

// CHECK: error: expected operations in the match part to implement MatchOpInterface
module attributes {transform.with_named_sequence} {
  transform.named_sequence @widens(%op: !transform.any_op {transform.readonly})
      -> !transform.any_op {
    %widened = transform.structured.match ops{["arith.extf"]} in %op
        : (!transform.any_op) -> !transform.any_op
    transform.yield %op : !transform.any_op
  }
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %found = transform.collect_matching @widens in %root
        : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
  func.func @f() {
    return
  }
}
