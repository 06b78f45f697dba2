// Kind: slow code
// Fault: `convert-vector-to-amx` makes of a product in a loop a tile multiplication whose sum is stored to memory and loaded again in each iteration, as the loop still carries a vector. The buffer is allocated inside of the loop too.
// Expected: An `scf.for` that carries the `!amx.tile<16x16xf32>`: one load before the loop, one store behind it.
// Ours: `lh-lower-tiles`
// Change: `ContractionToAMX::matchAndRewrite` in `mlir/lib/Conversion/VectorToAMX/VectorToAMX.cpp` writes each accumulator to a buffer, loads the tile from there, and the other way round for the result. Add a pattern for an `scf.for` whose iteration argument is used by such a contraction alone: carry the tile in its place, and load and store it outside of the loop.
// Upstream: No report known
//
// RUN: mlir-opt %s -convert-vector-to-amx | FileCheck %s

#a = affine_map<(m, n, k, p) -> (m, k, p)>
#b = affine_map<(m, n, k, p) -> (k, n, p)>
#c = affine_map<(m, n, k, p) -> (m, n)>

// CHECK-LABEL: func.func @product
//       CHECK:   scf.for {{.*}} iter_args(%[[SUM:.*]] = %{{.*}}) -> (vector<16x16xf32>) {
//       CHECK:     %[[IN:.*]] = memref.alloca() : memref<16x16xf32>
//       CHECK:     vector.transfer_write %[[SUM]], %[[IN]]
//       CHECK:     %[[TILE:.*]] = amx.tile_load %[[IN]]
//       CHECK:     %[[NEXT:.*]] = amx.tile_mulf %{{.*}}, %{{.*}}, %[[TILE]]
//       CHECK:     %[[OUT:.*]] = memref.alloca() : memref<16x16xf32>
//       CHECK:     amx.tile_store %[[OUT]][{{.*}}, %[[NEXT]]
//       CHECK:     vector.transfer_read %[[OUT]]
//       CHECK:     scf.yield
func.func @product(%A: memref<4x16x16x2xbf16>, %B: memref<4x16x16x2xbf16>, %C: memref<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %zero_half = arith.constant 0.0 : bf16
  %start = vector.transfer_read %C[%c0, %c0], %zero {in_bounds = [true, true]} : memref<16x16xf32>, vector<16x16xf32>
  %end = scf.for %k = %c0 to %c4 step %c1 iter_args(%sum = %start) -> vector<16x16xf32> {
    %a = vector.transfer_read %A[%k, %c0, %c0, %c0], %zero_half {in_bounds = [true, true, true]}
        : memref<4x16x16x2xbf16>, vector<16x16x2xbf16>
    %b = vector.transfer_read %B[%k, %c0, %c0, %c0], %zero_half {in_bounds = [true, true, true]}
        : memref<4x16x16x2xbf16>, vector<16x16x2xbf16>
    %next = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
        %a, %b, %sum : vector<16x16x2xbf16>, vector<16x16x2xbf16> into vector<16x16xf32>
    scf.yield %next : vector<16x16xf32>
  }
  vector.transfer_write %end, %C[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32>
  return
}
