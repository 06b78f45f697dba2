// Kind: wrong code
// Fault: `fold-memref-alias-ops` moves a `vector.transfer_read` of a matrix from a `memref.expand_shape` to its source, where the next row of the vector is the next row of the source. Here row 1 of the vector has to be the elements 8 to 15 of the source, and becomes the elements 64 to 71.
// Expected: No folding where a dimension of the vector other than the last one was made by splitting.
// Ours: `lh-lower-reshapes`
// Change: In `mlir/lib/Dialect/MemRef/Transforms/FoldMemRefAliasOps.cpp`, `LoadOpOfExpandShapeOpFolder::matchAndRewrite` has a case for `vector::TransferReadOp` that looks at the permutation map alone. It has to fail also where the last dimensions of the source and of the `expand_shape`, as many as the vector has, aren't the same, or the strides between them change.
// Upstream: https://github.com/llvm/llvm-project/pull/177016 describes the same for `vector.load` and `vector.transfer_read`; the fold came with https://github.com/llvm/llvm-project/pull/167679
//
// RUN: mlir-opt %s -fold-memref-alias-ops | FileCheck %s
// RUN: mlir-opt %s %{to-llvm} | mlir-runner %{runner} | FileCheck %s --check-prefix=RIGHT
// RUN: mlir-opt %s -fold-memref-alias-ops %{to-llvm} | mlir-runner %{runner} | FileCheck %s --check-prefix=WRONG

// CHECK-LABEL: func.func @read(
//  CHECK-SAME:   %[[SOURCE:.*]]: memref<8x64xi32>)
//   CHECK-NOT: memref.expand_shape
//       CHECK: vector.transfer_read %[[SOURCE]][{{.*}} : memref<8x64xi32>, vector<2x8xi32>
func.func @read(%source: memref<8x64xi32>) -> vector<2x8xi32> {
  %i = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %split = memref.expand_shape %source [[0], [1, 2]] output_shape [8, 8, 8]
      : memref<8x64xi32> into memref<8x8x8xi32>
  %v = vector.transfer_read %split[%i, %i, %i], %zero {in_bounds = [true, true]}
      : memref<8x8x8xi32>, vector<2x8xi32>
  return %v : vector<2x8xi32>
}

// Each element of the source is its own place.
// RIGHT: ( ( 0, 1, 2, 3, 4, 5, 6, 7 ), ( 8, 9, 10, 11, 12, 13, 14, 15 ) )
// WRONG: ( ( 0, 1, 2, 3, 4, 5, 6, 7 ), ( 64, 65, 66, 67, 68, 69, 70, 71 ) )
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c512 = arith.constant 512 : index
  %source = memref.alloc() : memref<8x64xi32>
  %flat = memref.collapse_shape %source [[0, 1]] : memref<8x64xi32> into memref<512xi32>
  scf.for %i = %c0 to %c512 step %c1 {
    %place = arith.index_cast %i : index to i32
    memref.store %place, %flat[%i] : memref<512xi32>
  }
  %v = call @read(%source) : (memref<8x64xi32>) -> vector<2x8xi32>
  vector.print %v : vector<2x8xi32>
  return
}
