// Kind: refusal
// Fault: The linalg vectorizer takes gathers on tensors (`tensor.extract`) and refuses the same op on buffers (`memref.load`). Where threads copy into shared memory, what each copies is known on buffers alone.
// Expected: `vector.transfer_read` of the row, as for `tensor.extract` (`@from_outside` in `gather-by-operand.mlir`).
// Ours: `lh-load-contiguous`
// Change: `vectorizeLinalgOpPrecondition` in `mlir/lib/Dialect/Linalg/Transforms/Vectorization.cpp` has `tensorExtractVectorizationPrecondition` for `tensor.extract` and refuses ops with memory effects. Treat a `memref.load` likewise where nothing in the op writes to that buffer.
// Upstream: No report known
//
// RUN: not mlir-opt %s -transform-interpreter 2>&1 | FileCheck %s

#id = affine_map<(i, c) -> (i, c)>
module attributes {transform.with_named_sequence} {
  func.func @row(%table: memref<10x16xf32>, %row: index, %out: memref<1x16xf32>) {
    // CHECK: error: Attempted to vectorize, but failed
    linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%out : memref<1x16xf32>) {
    ^bb0(%o: f32):
      %column = linalg.index 1 : index
      %e = memref.load %table[%row, %column] : memref<10x16xf32>
      linalg.yield %e : f32
    }
    return
  }

  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["linalg.generic"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.structured.vectorize %op {vectorize_nd_extract} : !transform.any_op
    transform.yield
  }
}
