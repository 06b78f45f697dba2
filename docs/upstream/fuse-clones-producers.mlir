// Kind: slow code
// Fault: `transform.structured.fuse` of a loop's root clones a producer that has another user, as a softmax's powers have: it is computed in the loop and, whole, once more before it. There is no way to name the producers that should be fused, nor to have the loop yield them.
// Expected: A loop of two results, the powers and their negation, as `scf::tileConsumerAndFuseProducersUsingSCF` can make.
// Ours: `lh-fuse-rows`, `transform.lh.fuse_into`
// Change: `FuseOp::apply` in `mlir/lib/Dialect/Linalg/TransformOps/LinalgTransformOps.cpp` calls `tileConsumerAndFuseProducersUsingSCF` with the default `fusionControlFn`. The op needs an operand or a named sequence that selects the producers, and an attribute that sets `SCFTileAndFuseOptions::ControlFnResult::yieldProducerReplacement`.
// Upstream: No report known
//
// RUN: mlir-opt %s -transform-interpreter -canonicalize | FileCheck %s

module attributes {transform.with_named_sequence} {
  // CHECK-LABEL: func.func @powers_and_negated
  //       CHECK:   linalg.exp {{.*}} -> tensor<64x1024xf32>
  //       CHECK:   scf.for {{.*}} -> (tensor<64x1024xf32>) {
  //       CHECK:     linalg.exp {{.*}} -> tensor<8x1024xf32>
  //       CHECK:     linalg.negf
  func.func @powers_and_negated(%x: tensor<64x1024xf32>) -> (tensor<64x1024xf32>, tensor<64x1024xf32>) {
    %e = tensor.empty() : tensor<64x1024xf32>
    %powers = linalg.exp ins(%x : tensor<64x1024xf32>) outs(%e : tensor<64x1024xf32>) -> tensor<64x1024xf32>
    %negated = linalg.negf ins(%powers : tensor<64x1024xf32>) outs(%e : tensor<64x1024xf32>) -> tensor<64x1024xf32>
    return %powers, %negated : tensor<64x1024xf32>, tensor<64x1024xf32>
  }

  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %last = transform.structured.match ops{["linalg.negf"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.fuse %last tile_sizes [8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
