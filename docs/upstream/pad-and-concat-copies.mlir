// Kind: slow code
// Fault: Of a `tensor.pad` bufferization fills the whole padded image and then copies the source over the inside, although what computes the source could write there. A `tensor.concat` becomes insertions, whose sources are computed in place by `eliminate-empty-tensors` only if no reshape stands between: `@joined_reshaped` computes each half in a buffer of its own and copies it.
// Expected: The border filled and the inside computed in place; both halves computed in place.
// Ours: `lh-assemble`
// Change: `PadOpInterface::bufferize` in `mlir/lib/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.cpp` makes a `linalg.map` over the result and an insertion. Make `tensor.pad` a destination-style op as far as bufferization goes: fill the border, and let the inside alias the source's buffer. For reshapes, `findValidInsertionPoint` and the anchors in `mlir/lib/Dialect/Bufferization/Transforms/EmptyTensorElimination.cpp` would have to replace a `tensor.empty` by the reshaped (collapsed) slice of the destination where that slice can be collapsed.
// Upstream: No report known
//
// RUN: mlir-opt %s -transform-interpreter -eliminate-empty-tensors -one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" -cse -canonicalize | FileCheck %s

module attributes {transform.with_named_sequence} {
  // CHECK-LABEL: func.func @padded
  //       CHECK:   %[[INSIDE:.*]] = memref.alloc() {{.*}} : memref<8x8xf32>
  //       CHECK:   linalg.exp {{.*}} outs(%[[INSIDE]]
  //       CHECK:   %[[IMAGE:.*]] = memref.alloc() {{.*}} : memref<10x10xf32>
  //       CHECK:   linalg.map outs(%[[IMAGE]]
  //       CHECK:   memref.copy %[[INSIDE]]
  func.func @padded(%x: tensor<8x8xf32>) -> tensor<10x10xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8x8xf32>
    %a = linalg.exp ins(%x : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
    %image = tensor.pad %a low[1, 1] high[1, 1] {
    ^bb0(%i: index, %j: index):
      tensor.yield %zero : f32
    } : tensor<8x8xf32> to tensor<10x10xf32>
    return %image : tensor<10x10xf32>
  }

  // CHECK-LABEL: func.func @joined(
  //   CHECK-NOT:   memref.copy
  //       CHECK:   return
  func.func @joined(%x: tensor<2x8xf32>, %y: tensor<2x8xf32>) -> tensor<2x16xf32> {
    %e = tensor.empty() : tensor<2x8xf32>
    %a = linalg.exp ins(%x : tensor<2x8xf32>) outs(%e : tensor<2x8xf32>) -> tensor<2x8xf32>
    %b = linalg.log ins(%y : tensor<2x8xf32>) outs(%e : tensor<2x8xf32>) -> tensor<2x8xf32>
    %c = tensor.concat dim(1) %a, %b : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x16xf32>
    return %c : tensor<2x16xf32>
  }

  // CHECK-LABEL: func.func @joined_reshaped(
  // CHECK-COUNT-2: memref.copy
  func.func @joined_reshaped(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<2x16xf32> {
    %e = tensor.empty() : tensor<16xf32>
    %a = linalg.exp ins(%x : tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
    %b = linalg.log ins(%y : tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
    %a_rows = tensor.expand_shape %a [[0, 1]] output_shape [2, 8] : tensor<16xf32> into tensor<2x8xf32>
    %b_rows = tensor.expand_shape %b [[0, 1]] output_shape [2, 8] : tensor<16xf32> into tensor<2x8xf32>
    %c = tensor.concat dim(1) %a_rows, %b_rows : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x16xf32>
    return %c : tensor<2x16xf32>
  }

  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %f = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %f {
      transform.apply_patterns.tensor.decompose_concat
    } : !transform.any_op
    transform.yield
  }
}
