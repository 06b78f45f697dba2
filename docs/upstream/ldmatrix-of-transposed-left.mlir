// Kind: wrong code
// Fault: Of a product whose left operand is read transposed, `convert-vector-to-gpu=use-nvgpu` exchanges two of the four tiles that `ldmatrix` loads: those of rows 8 to 15 with those of sums 8 to 15. The program stays valid; its numbers are wrong.
// Expected: lanes 0 to 7 and 8 to 15 give rows of the tiles at columns 0 and 8 of memory, lanes 16 to 31 the same from row 8 on: `%arg0[s0 mod 8 + (s0 floordiv 16) * 8, ((s0 floordiv 8) mod 2) * 8]`.
// Ours: `lib:upstream/gpu-contractions` leaves such products to loops; `lh-lay-out-products` turns the operand in memory
// Change: `nvgpu::getLaneIdToLdMatrixMatrixCoord` in `mlir/lib/Dialect/NVGPU/Utils/MMAUtils.cpp` sends lanes down the strided dimension of memory first, then to the next 16 bytes, for either order. For the left operand with `contiguousDimType` parallel, the second eight lanes belong to the next 16 bytes, and lanes 16 to 31 to the next eight rows of memory.
// Upstream: No report known
//
// RUN: mlir-opt %s -convert-vector-to-gpu=use-nvgpu=true -canonicalize -cse | FileCheck %s

// CHECK-DAG: #[[ROW:.*]] = affine_map<()[s0] -> (s0 mod 16)>
// CHECK-DAG: #[[COLUMN:.*]] = affine_map<()[s0] -> ((s0 floordiv 16) * 8)>
func.func @f(%a: memref<16x16xf16, #gpu.address_space<workgroup>>,
             %b: memref<16x8xf16, #gpu.address_space<workgroup>>,
             %c: memref<16x8xf32>) {
  %i0 = arith.constant 0 : index
  %h0 = arith.constant 0.0 : f16
  %f0 = arith.constant 0.0 : f32
  // CHECK-DAG: %[[J:.*]] = affine.apply #[[COLUMN]]()
  // CHECK-DAG: %[[I:.*]] = affine.apply #[[ROW]]()
  // CHECK: nvgpu.ldmatrix %arg0[%[[I]], %[[J]]] {numTiles = 4 : i32, transpose = true}
  %x = vector.transfer_read %a[%i0, %i0], %h0
      {permutation_map = affine_map<(i, j) -> (j, i)>, in_bounds = [true, true]}
      : memref<16x16xf16, #gpu.address_space<workgroup>>, vector<16x16xf16>
  %y = vector.transfer_read %b[%i0, %i0], %h0
      {permutation_map = affine_map<(i, j) -> (j, i)>, in_bounds = [true, true]}
      : memref<16x8xf16, #gpu.address_space<workgroup>>, vector<8x16xf16>
  %z = vector.transfer_read %c[%i0, %i0], %f0 {in_bounds = [true, true]}
      : memref<16x8xf32>, vector<16x8xf32>
  %r = vector.contract {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                       affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"],
      kind = #vector.kind<add>} %x, %y, %z
      : vector<16x16xf16>, vector<8x16xf16> into vector<16x8xf32>
  vector.transfer_write %r, %c[%i0, %i0] {in_bounds = [true, true]}
      : vector<16x8xf32>, memref<16x8xf32>
  return
}
