// Kind: crash
// Fault: A matcher of `transform.collect_matching` that holds an op which is no matcher, here `transform.structured.match`, is refused, and a crash after the message was seen in some runs. The same op in a sequence that the matcher includes is taken.
// Expected: the error alone; or, as the dialect has no matcher for element types, such ops in matchers.
// Ours: schedules put such ops into an included sequence
// Change: the failure that `transform.collect_matching` passes on (`mlir/lib/Dialect/Transform/IR/TransformOps.cpp`) reaches `DiagnosedSilenceableFailure::checkAndReport` without a location there. Report it once, where it is found.
// Upstream: No report known
//
// RUN: (mlir-opt %s -transform-interpreter 2>&1 || true) | FileCheck %s

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
