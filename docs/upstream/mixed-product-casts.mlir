// Kind: slow code
// Fault: A matrix product of bf16 with a sum in f32 vectorizes to casts behind the broadcast of both operands: the vectorizer widens 4 x 16 x 16 elements of each operand, where the operands have 4 x 16 and 16 x 16. With `create_named_contraction` it makes a contraction of mixed types, whose lowering to outer products widens the operands in the innermost loop: each element once for each block of results that it takes part in.
// Expected: Casts of the operands before they are broadcast, or a way to turn the named op into casts and a product of f32.
// Ours: `lh-normalize-products`
// Change: `vectorizeAsLinalgGeneric` in `mlir/lib/Dialect/Linalg/Transforms/Vectorization.cpp` broadcasts each operand to the iteration space and then vectorizes the body with its casts. The inverse of `populateFoldAddIntoDestPatterns` and of the folding of casts is lacking: a pattern in `mlir/lib/Dialect/Linalg/Transforms` that replaces a contraction of mixed types by `linalg.generic` casts of its operands and a contraction of one type. `sink_ops` and `fold_arith_extension` of the vector dialect mend a part later.
// Upstream: No report known
//
// RUN: mlir-opt %s -transform-interpreter | FileCheck %s

module attributes {transform.with_named_sequence} {
  // CHECK-LABEL: func.func @product
  // CHECK-COUNT-2: arith.extf {{.*}} : vector<4x16x16xbf16> to vector<4x16x16xf32>
  func.func @product(%a: tensor<4x16xbf16>, %b: tensor<16x16xbf16>, %c: tensor<4x16xf32>) -> tensor<4x16xf32> {
    %r = linalg.matmul ins(%a, %b : tensor<4x16xbf16>, tensor<16x16xbf16>) outs(%c : tensor<4x16xf32>) -> tensor<4x16xf32>
    return %r : tensor<4x16xf32>
  }

  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %product = transform.structured.match ops{["linalg.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.structured.vectorize %product : !transform.any_op
    transform.yield
  }
}
