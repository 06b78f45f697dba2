// Kind: wrong code
// Fault: `linalg-specialize-generic-ops` and `linalg-morph-ops=generic-to-named` turn a `linalg.generic` that computes C + A * transpose(B) into a plain `linalg.matmul`, which computes C + A * B. For square operands the program stays valid and its numbers are wrong: here 3, 4, 1, 2 in place of 2, 4, 1, 3. Operands that aren't square fail in the verifier.
// Expected: A `linalg.matmul` with the `indexing_maps` of the generic, or no change.
// Ours: None; the engine never raises contractions
// Change: In `mlir/lib/Dialect/Linalg/Transforms/Specialize.cpp`, `specializeLinalgContractions` finds out which operand is transposed, then `replaceWithMatmulVariant` makes the named op without indexing maps. Give the maps to the named op, in the named op's order of loops, or return failure if either operand is transposed.
// Upstream: Mended after LLVM 22 by https://github.com/llvm/llvm-project/pull/181387 and https://github.com/llvm/llvm-project/pull/184294
//
// RUN: mlir-opt %s -linalg-specialize-generic-ops | FileCheck %s
// RUN: mlir-opt %s -linalg-morph-ops=generic-to-named | FileCheck %s
// RUN: mlir-opt %s %{to-llvm} | mlir-runner %{runner} | FileCheck %s --check-prefix=RIGHT
// RUN: mlir-opt %s -linalg-specialize-generic-ops %{to-llvm} | mlir-runner %{runner} | FileCheck %s --check-prefix=WRONG

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#at = affine_map<(m, n, k) -> (k, m)>
#bt = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func.func @product
//   CHECK-NOT: indexing_maps
//       CHECK: linalg.matmul ins(%{{.*}}, %{{.*}} : memref<2x2xf32>, memref<2x2xf32>)
func.func @product(%a: memref<2x2xf32>, %b: memref<2x2xf32>, %c: memref<2x2xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<2x2xf32>, memref<2x2xf32>) outs(%c : memref<2x2xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %product = arith.mulf %x, %y : f32
    %total = arith.addf %sum, %product : f32
    linalg.yield %total : f32
  }
  return
}

// The left operand's order is lost likewise.
// CHECK-LABEL: func.func @left_turned
//   CHECK-NOT: indexing_maps
//       CHECK: linalg.matmul ins(%{{.*}}, %{{.*}} : memref<2x2xf32>, memref<2x2xf32>)
func.func @left_turned(%a: memref<2x2xf32>, %b: memref<2x2xf32>, %c: memref<2x2xf32>) {
  linalg.generic {indexing_maps = [#at, #bt, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<2x2xf32>, memref<2x2xf32>) outs(%c : memref<2x2xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %product = arith.mulf %x, %y : f32
    %total = arith.addf %sum, %product : f32
    linalg.yield %total : f32
  }
  return
}

// The first matrix swaps rows; the second is 1 2 / 3 4.
memref.global "private" constant @swap : memref<2x2xf32> = dense<[[0.0, 1.0], [1.0, 0.0]]>
memref.global "private" constant @numbers : memref<2x2xf32> = dense<[[1.0, 2.0], [3.0, 4.0]]>
memref.global "private" @result : memref<2x2xf32> = dense<0.0>

// RIGHT: ( 2, 4, 1, 3 )
// WRONG: ( 3, 4, 1, 2 )
func.func @main() {
  %a = memref.get_global @swap : memref<2x2xf32>
  %b = memref.get_global @numbers : memref<2x2xf32>
  %c = memref.get_global @result : memref<2x2xf32>
  call @product(%a, %b, %c) : (memref<2x2xf32>, memref<2x2xf32>, memref<2x2xf32>) -> ()
  %i = arith.constant 0 : index
  %flat = memref.collapse_shape %c [[0, 1]] : memref<2x2xf32> into memref<4xf32>
  %v = vector.load %flat[%i] : memref<4xf32>, vector<4xf32>
  vector.print %v : vector<4xf32>
  return
}
