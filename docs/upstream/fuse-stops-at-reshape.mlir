// Kind: slow code
// Fault: `transform.structured.fuse` and `fuse_into_containing_op` stop at a `tensor.expand_shape`, as importers put it between the two products of an attention: of the reshape the whole is computed before the loop.
// Expected: The exponential of 8 x 1024 elements inside of the loop.
// Ours: `lh-fuse-attention`
// Change: `tensor.expand_shape` and `tensor.collapse_shape` have no `TilingInterface`. An external model beside the one of `tensor.pad` in `mlir/lib/Dialect/Tensor/IR/TensorTilingInterfaceImpl.cpp` could tile a reshape whose tile covers whole dimensions behind the first of each group, and produce the slice of the source that belongs to it. Until then, between the steps of the fusion: `transform.apply_patterns.tensor.bubble_up_extract_slice`, which moves the slice before the reshape (`lib:upstream/epilogues`).
// Upstream: No report known
//
// RUN: mlir-opt %s -transform-interpreter -canonicalize | FileCheck %s

module attributes {transform.with_named_sequence} {
  // CHECK-LABEL: func.func @through_reshape
  //       CHECK:   linalg.exp {{.*}} -> tensor<64x1024xf32>
  //       CHECK:   tensor.expand_shape
  //       CHECK:   scf.for
  //   CHECK-NOT:     linalg.exp
  //       CHECK:     linalg.negf {{.*}} -> tensor<1x8x1024xf32>
  func.func @through_reshape(%x: tensor<64x1024xf32>, %out: tensor<8x8x1024xf32>) -> tensor<8x8x1024xf32> {
    %e = tensor.empty() : tensor<64x1024xf32>
    %powers = linalg.exp ins(%x : tensor<64x1024xf32>) outs(%e : tensor<64x1024xf32>) -> tensor<64x1024xf32>
    %heads = tensor.expand_shape %powers [[0, 1], [2]] output_shape [8, 8, 1024] : tensor<64x1024xf32> into tensor<8x8x1024xf32>
    %negated = linalg.negf ins(%heads : tensor<8x8x1024xf32>) outs(%out : tensor<8x8x1024xf32>) -> tensor<8x8x1024xf32>
    return %negated : tensor<8x8x1024xf32>
  }

  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %last = transform.structured.match ops{["linalg.negf"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.fuse %last tile_sizes [1] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
