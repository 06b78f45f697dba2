// Kind: slow code
// Fault: Patterns that move a layout through a graph exist as a C++ library, but no pass and no transform op applies them.
// Expected: The transform op runs the patterns and moves `linalg.pack` up through the exponential.
// Ours: `lh-channels-last`
// Change: Add `ApplyDataLayoutPropagationPatternsOp` to `mlir/include/mlir/Dialect/Linalg/TransformOps/LinalgTransformOps.td`, whose `populatePatterns` calls `populateDataLayoutPropagationPatterns` (`mlir/lib/Dialect/Linalg/Transforms/DataLayoutPropagation.cpp`). Patterns that move a `linalg.transpose`, and that take `tensor.concat`, are lacking there.
// Upstream: https://github.com/llvm/lighthouse uses such an op of a later LLVM
//
// RUN: not mlir-opt %s -transform-interpreter 2>&1 | FileCheck %s

module attributes {transform.with_named_sequence} {
  func.func @exp(%x: tensor<64x32xf32>, %packed: tensor<4x32x16xf32>) -> tensor<4x32x16xf32> {
    %e = tensor.empty() : tensor<64x32xf32>
    %y = linalg.exp ins(%x : tensor<64x32xf32>) outs(%e : tensor<64x32xf32>) -> tensor<64x32xf32>
    %p = linalg.pack %y inner_dims_pos = [0] inner_tiles = [16] into %packed : tensor<64x32xf32> -> tensor<4x32x16xf32>
    return %p : tensor<4x32x16xf32>
  }

  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %f = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %f {
      // CHECK: error: custom op 'transform.apply_patterns.linalg.data_layout_propagation' is unknown
      transform.apply_patterns.linalg.data_layout_propagation
    } : !transform.any_op
    transform.yield
  }
}
