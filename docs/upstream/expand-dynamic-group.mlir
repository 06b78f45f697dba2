// Kind: crash
// Fault: `expand-strided-metadata` crashes on a `memref.expand_shape` that splits one dimension into several of unknown size, although `output_shape` names each.
// Expected: A `memref.reinterpret_cast` whose sizes are those of `output_shape`.
// Ours: `lh-lower-reshapes`
// Change: In `mlir/lib/Dialect/MemRef/Transforms/ExpandStridedMetadata.cpp`, `getExpandedSizes` and `getExpandedStrides` divide the source's size by the known sizes of a group, and so leave all but one unknown size of the group null. Both can take the sizes from `ExpandShapeOp::getMixedOutputShape`; a stride is the product of the sizes behind it in its group and of the source's stride.
// Upstream: Reported as https://github.com/llvm/llvm-project/issues/186830, mended after LLVM 22 by https://github.com/llvm/llvm-project/pull/187844
//
// RUN: not --crash mlir-opt %s -expand-strided-metadata

func.func @split(%m: memref<?xf32>, %rows: index, %columns: index) -> memref<?x?xf32> {
  %e = memref.expand_shape %m [[0, 1]] output_shape [%rows, %columns] : memref<?xf32> into memref<?x?xf32>
  return %e : memref<?x?xf32>
}
