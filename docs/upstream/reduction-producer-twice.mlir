// Kind: slow code
// Fault: A producer fused into the loop of a tiled reduction is computed in the loop for the sum, and once more, whole, for its other users. A softmax's powers are needed twice: summed, and divided by the sum.
// Expected: One loop that yields the powers and the partial sums.
// Ours: `lh-vectorize-rows`
// Change: `FuseIntoContainingOp` in `mlir/lib/Dialect/Linalg/TransformOps/LinalgTransformOps.cpp` yields a fused producer's result (`tileAndFuseFirstExtractUse`, `replaceForAllWithNewSignature`) only for `scf.forall` loops whose other users the loop dominates. Do the same for the `scf.for` of `tile_reduction_using_for`: an iteration argument of the producer's size, into which each iteration inserts its slice.
// Upstream: No report known
//
// RUN: mlir-opt %s -transform-interpreter -canonicalize | FileCheck %s

module attributes {transform.with_named_sequence} {
  // CHECK-LABEL: func.func @powers_and_sums
  //       CHECK:   %[[POWERS:.*]] = linalg.exp {{.*}} -> tensor<8x64xf32>
  //       CHECK:   scf.for {{.*}} -> (tensor<8x16xf32>) {
  //       CHECK:     linalg.exp {{.*}} -> tensor<8x16xf32>
  //       CHECK:   return %[[POWERS]]
  func.func @powers_and_sums(%x: tensor<8x64xf32>, %o: tensor<8xf32>) -> (tensor<8x64xf32>, tensor<8xf32>) {
    %e = tensor.empty() : tensor<8x64xf32>
    %powers = linalg.exp ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
    %sums = linalg.reduce ins(%powers : tensor<8x64xf32>) outs(%o : tensor<8xf32>) dimensions = [1] (%a: f32, %s: f32) {
      %t = arith.addf %s, %a : f32
      linalg.yield %t : f32
    }
    return %powers, %sums : tensor<8x64xf32>, tensor<8xf32>
  }

  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %sum = transform.structured.match ops{["linalg.reduce"]} in %root : (!transform.any_op) -> !transform.any_op
    %exp = transform.structured.match ops{["linalg.exp"]} in %root : (!transform.any_op) -> !transform.any_op
    %fill, %part, %merge, %loop = transform.structured.tile_reduction_using_for %sum by tile_sizes = [0, 16]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    %fused, %new = transform.structured.fuse_into_containing_op %exp into %loop : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
