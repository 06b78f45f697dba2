// Kind: slow code
// Fault: `transform.structured.bufferize_to_allocation` makes a `memref.alloc` without alignment, so that vectors of 64 bytes straddle cache lines; `one-shot-bufferize` aligns its own to 64.
// Expected: `memref.alloc() {alignment = 64 : i64}`, or an attribute of the op.
// Ours: A schedule annotates the allocation, or leaves it to `one-shot-bufferize`
// Change: `allocateBufferForResult` and its kin in `mlir/lib/Dialect/Linalg/Transforms/ConvertToDestinationStyle.cpp` build `memref::AllocOp` of the type and the sizes alone. Add an alignment to `BufferizeToAllocationOptions` and to the transform op, with the default of `BufferizationOptions::bufferAlignment`, 64.
// Upstream: No report known
//
// RUN: mlir-opt %s -transform-interpreter | FileCheck %s

module attributes {transform.with_named_sequence} {
  // CHECK-LABEL: func.func @exp
  //       CHECK:   memref.alloc() : memref<64x64xf32>
  func.func @exp(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %e = tensor.empty() : tensor<64x64xf32>
    %r = linalg.exp ins(%x : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
    return %r : tensor<64x64xf32>
  }

  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %exp = transform.structured.match ops{["linalg.exp"]} in %root : (!transform.any_op) -> !transform.any_op
    %buffer, %new = transform.structured.bufferize_to_allocation %exp {bufferize_destination_only} : !transform.any_op
    transform.yield
  }
}
