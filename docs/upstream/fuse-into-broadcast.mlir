// Kind: slow code
// Fault: `linalg-fuse-elementwise-ops` fuses an op into a broadcast of it, so that each of 64 exponentials is computed 1024 times, and into a transposition, whose reads don't follow each other in memory.
// Expected: An option against the first (the number of computations grows) and the second.
// Ours: `lh-fuse-elementwise`
// Change: `LinalgElementwiseOpFusionPass::runOnOperation` in `mlir/lib/Dialect/Linalg/Transforms/ElementwiseOpFusion.cpp` has a `defaultControlFn` that asks for one user alone. An option of the pass (`mlir/include/mlir/Dialect/Linalg/Passes.td`) could select a control function that also asks that the consumer's indexing map for the fused operand is a permutation, or the identity.
// Upstream: No report known
//
// RUN: mlir-opt %s -linalg-fuse-elementwise-ops | FileCheck %s

#one = affine_map<(i) -> (i)>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#turned = affine_map<(i, j) -> (j, i)>

// CHECK-LABEL: func.func @broadcast
//       CHECK:   linalg.generic
//       CHECK:   ^bb0
//       CHECK:     math.exp
//   CHECK-NOT:   linalg.generic
//       CHECK:   return
func.func @broadcast(%x: tensor<64xf32>) -> tensor<64x1024xf32> {
  %small = tensor.empty() : tensor<64xf32>
  %powers = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
      ins(%x : tensor<64xf32>) outs(%small : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = math.exp %a : f32
    linalg.yield %p : f32
  } -> tensor<64xf32>
  %large = tensor.empty() : tensor<64x1024xf32>
  %rows = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%powers : tensor<64xf32>) outs(%large : tensor<64x1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<64x1024xf32>
  return %rows : tensor<64x1024xf32>
}

// CHECK-LABEL: func.func @transpose
//       CHECK:   linalg.generic
//       CHECK:     math.exp
//   CHECK-NOT:   linalg.generic
//       CHECK:   return
func.func @transpose(%x: tensor<64x32xf32>) -> tensor<32x64xf32> {
  %e = tensor.empty() : tensor<64x32xf32>
  %powers = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x32xf32>) outs(%e : tensor<64x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = math.exp %a : f32
    linalg.yield %p : f32
  } -> tensor<64x32xf32>
  %t = tensor.empty() : tensor<32x64xf32>
  %turned = linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]}
      ins(%powers : tensor<64x32xf32>) outs(%t : tensor<32x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<32x64xf32>
  return %turned : tensor<32x64xf32>
}
