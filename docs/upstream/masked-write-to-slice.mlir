// Kind: refusal
// Fault: `convert-vector-to-scf` fails on the masked write of a matrix to memory that has a dimension more than the vector, between the vector's two. `fold-memref-alias-ops` makes such writes of those to a subview. Without the mask it works.
// Expected: row i of the vector written under row i of the mask.
// Ours: `lib:cpu/lower-vectors` turns masked matrix transfers into loads and stores before
// Change: `TransferWriteNonPermutationLowering` in `mlir/lib/Dialect/Vector/Transforms/LowerVectorTransfer.cpp` gives the vector the missing dimension at the front, and has the permutation map put it between the others. It gives the mask the dimension at the end (`extendMaskRank`), wherever the map puts it. A mask has the order of memory: the unit dimension belongs to the position that the map names.
// Upstream: No report known
//
// RUN: split-file %s %t
// RUN: mlir-opt %t/plain.mlir -fold-memref-alias-ops -convert-vector-to-scf=full-unroll | FileCheck %t/plain.mlir
// RUN: mlir-opt %t/masked.mlir -fold-memref-alias-ops | FileCheck %t/masked.mlir --check-prefix=FOLDED
// RUN: not mlir-opt %t/masked.mlir -fold-memref-alias-ops -convert-vector-to-scf=full-unroll 2>&1 | FileCheck %t/masked.mlir

//--- plain.mlir
// CHECK-COUNT-4: vector.transfer_write {{.*}} : vector<8xf32>, memref<4x2x8xf32>
func.func @write(%m: memref<4x2x8xf32>, %v: vector<4x8xf32>, %j: index) {
  %c0 = arith.constant 0 : index
  %slice = memref.subview %m[0, %j, 0] [4, 1, 8] [1, 1, 1] : memref<4x2x8xf32> to memref<4x8xf32, strided<[16, 1], offset: ?>>
  vector.transfer_write %v, %slice[%c0, %c0] {in_bounds = [true, true]} : vector<4x8xf32>, memref<4x8xf32, strided<[16, 1], offset: ?>>
  return
}

//--- masked.mlir
// FOLDED: vector.transfer_write {{.*}} : vector<4x8xf32>, memref<4x2x8xf32>
// CHECK: error: 'vector.transfer_write' op inferred mask type ('vector<8xi1>') and mask operand type ('vector<1xi1>') don't match
func.func @write(%m: memref<4x2x8xf32>, %v: vector<4x8xf32>, %mask: vector<4x8xi1>, %j: index) {
  %c0 = arith.constant 0 : index
  %slice = memref.subview %m[0, %j, 0] [4, 1, 8] [1, 1, 1] : memref<4x2x8xf32> to memref<4x8xf32, strided<[16, 1], offset: ?>>
  vector.transfer_write %v, %slice[%c0, %c0], %mask {in_bounds = [true, true]} : vector<4x8xf32>, memref<4x8xf32, strided<[16, 1], offset: ?>>
  return
}
