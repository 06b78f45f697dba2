// Kind: refusal
// Fault: The linalg vectorizer refuses an op that reads by a quotient, as lanes do that hold several groups of channels, even if the whole operand fits into one vector.
// Expected: one read of `vector<4xf32>` and a `vector.shuffle` that repeats each element four times.
// Ours: `transform.lh.vectorize_lanes`
// Change: `vectorizeLinalgOpPrecondition` in `mlir/lib/Dialect/Linalg/Transforms/Vectorization.cpp` asks that all indexing maps are projected permutations. For an operand of static shape whose map has quotients or remainders by constants in its last result, read the row and shuffle it by the constant indices that the map gives for 0, 1, 2 and so on.
// Upstream: No report known
//
// RUN: not mlir-opt %s -transform-interpreter 2>&1 | FileCheck %s

#group = affine_map<(i) -> (i floordiv 4)>
#lane = affine_map<(i) -> (i)>
module attributes {transform.with_named_sequence} {
  func.func @repeat(%x: tensor<4xf32>, %o: tensor<16xf32>) -> tensor<16xf32> {
    // CHECK: error: Attempted to vectorize, but failed
    %r = linalg.generic {indexing_maps = [#group, #lane], iterator_types = ["parallel"]}
        ins(%x : tensor<4xf32>) outs(%o : tensor<16xf32>) {
    ^bb0(%a: f32, %b: f32):
      linalg.yield %a : f32
    } -> tensor<16xf32>
    return %r : tensor<16xf32>
  }

  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["linalg.generic"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.structured.vectorize %op : !transform.any_op
    transform.yield
  }
}
