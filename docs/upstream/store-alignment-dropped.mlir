// Kind: wrong code
// Fault: `fold-memref-alias-ops` drops `nontemporal` and `alignment` of a `vector.store` (of a `vector.load` too; of a `memref.store` the alignment alone) when it moves the access from a subview to its source. A non-temporal store becomes an ordinary one, without a word.
// Expected: Both attributes kept; the address is the same.
// Ours: `lh-stream-memory`, which runs afterwards
// Change: `StoreOpOfSubViewOpFolder::matchAndRewrite` in `mlir/lib/Dialect/MemRef/Transforms/FoldMemRefAliasOps.cpp` and its siblings build a new `vector::StoreOp` of value, source and indices. Pass `op.getNontemporal()` and `op.getAlignmentAttr()` too, as the case for `memref.store` does with `nontemporal`.
// Upstream: No report known
//
// RUN: mlir-opt %s -fold-memref-alias-ops | FileCheck %s

// CHECK-LABEL: func.func @stream(
//  CHECK-SAME:   %[[M:.*]]: memref<64xf32>, %[[V:.*]]: vector<16xf32>, %[[I:.*]]: index)
//  CHECK-NEXT:   vector.store %[[V]], %[[M]][%[[I]]] : memref<64xf32>, vector<16xf32>
func.func @stream(%m: memref<64xf32>, %v: vector<16xf32>, %i: index) {
  %c0 = arith.constant 0 : index
  %part = memref.subview %m[%i] [16] [1] : memref<64xf32> to memref<16xf32, strided<[1], offset: ?>>
  vector.store %v, %part[%c0] {alignment = 64, nontemporal = true} : memref<16xf32, strided<[1], offset: ?>>, vector<16xf32>
  return
}
