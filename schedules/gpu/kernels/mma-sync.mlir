// One mma.sync of a warp, for types that MLIR's vector-to-nvgpu conversion
// doesn't take: 16 x 8 elements of the result, as much of the sum as one
// instruction adds up. Block dimensions are (32, warps, warps): the thread's x is
// its lane. Fragments as in the PTX ISA, "Matrix Fragments for mma.m16n8k16"
// and "... mma.m16n8k32": g = lane / 4 and t = lane mod 4 place A's rows g and
// g + 8, B's column g, and C's columns 2t and 2t + 1 in rows g and g + 8. C is
// read and written by halves at constant offsets: of a row computed as g + 8 the
// hoisting of accumulators doesn't see that it is another one. A's and B's rows lie
// as far apart as in the tiles of tile-products: through a cast to any distance
// the swizzling of those tiles wouldn't see them read.
module {
  func.func private @lh_mma_bf16(%a: tensor<16x16xbf16>, %b: tensor<16x8xbf16>,
                                 %c: tensor<16x8xf32>) -> tensor<16x8xf32>
      attributes {lh.kernel = "mma-bf16",
                  dlti.map = #dlti.map<"rows" = 16, "columns" = 8, "sum" = 16>} {
    %left = bufferization.to_buffer %a read_only : tensor<16x16xbf16> to
        memref<16x16xbf16, strided<[32, 1], offset: ?>, #gpu.address_space<workgroup>>
    %right = bufferization.to_buffer %b read_only : tensor<16x8xbf16> to
        memref<16x8xbf16, strided<[128, 1], offset: ?>, #gpu.address_space<workgroup>>
    %row, %column = func.call @lh_mma_bf16_row() : () -> (index, index)
    %c0 = arith.constant 0 : index
    %af = nvgpu.ldmatrix %left[%row, %column] {numTiles = 4 : i32, transpose = false}
        : memref<16x16xbf16, strided<[32, 1], offset: ?>, #gpu.address_space<workgroup>> -> vector<4x2xbf16>
    %bf = nvgpu.ldmatrix %right[%row, %c0] {numTiles = 2 : i32, transpose = true}
        : memref<16x8xbf16, strided<[128, 1], offset: ?>, #gpu.address_space<workgroup>> -> vector<2x2xbf16>
    %new = func.call @lh_mma_bf16_fragments(%af, %bf, %c)
        : (vector<4x2xbf16>, vector<2x2xbf16>, tensor<16x8xf32>) -> tensor<16x8xf32>
    return %new : tensor<16x8xf32>
  }

  // In tiles of 32 columns.
  func.func private @lh_mma_bf16_thin(%a: tensor<16x16xbf16>, %b: tensor<16x8xbf16>,
                                      %c: tensor<16x8xf32>) -> tensor<16x8xf32>
      attributes {lh.kernel = "mma-bf16-thin",
                  dlti.map = #dlti.map<"rows" = 16, "columns" = 8, "sum" = 16>} {
    %left = bufferization.to_buffer %a read_only : tensor<16x16xbf16> to
        memref<16x16xbf16, strided<[32, 1], offset: ?>, #gpu.address_space<workgroup>>
    %right = bufferization.to_buffer %b read_only : tensor<16x8xbf16> to
        memref<16x8xbf16, strided<[32, 1], offset: ?>, #gpu.address_space<workgroup>>
    %row, %column = func.call @lh_mma_bf16_row() : () -> (index, index)
    %c0 = arith.constant 0 : index
    %af = nvgpu.ldmatrix %left[%row, %column] {numTiles = 4 : i32, transpose = false}
        : memref<16x16xbf16, strided<[32, 1], offset: ?>, #gpu.address_space<workgroup>> -> vector<4x2xbf16>
    %bf = nvgpu.ldmatrix %right[%row, %c0] {numTiles = 2 : i32, transpose = true}
        : memref<16x8xbf16, strided<[32, 1], offset: ?>, #gpu.address_space<workgroup>> -> vector<2x2xbf16>
    %new = func.call @lh_mma_bf16_fragments(%af, %bf, %c)
        : (vector<4x2xbf16>, vector<2x2xbf16>, tensor<16x8xf32>) -> tensor<16x8xf32>
    return %new : tensor<16x8xf32>
  }

  // Each lane names the row of one of the 8 x 8 parts that ldmatrix reads.
  func.func private @lh_mma_bf16_row() -> (index, index) {
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %lane = gpu.thread_id x
    %row = arith.remui %lane, %c16 : index
    %half = arith.divui %lane, %c16 : index
    %column = arith.muli %half, %c8 : index
    return %row, %column : index, index
  }

  func.func private @lh_mma_bf16_fragments(
      %af: vector<4x2xbf16>, %bf: vector<2x2xbf16>, %c: tensor<16x8xf32>)
      -> tensor<16x8xf32> {
    %zero = arith.constant 0.0 : f32
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %lane = gpu.thread_id x
    %av0 = vector.extract %af[0] : vector<2xbf16> from vector<4x2xbf16>
    %aw0 = vector.bitcast %av0 : vector<2xbf16> to vector<1xi32>
    %a0 = vector.extract %aw0[0] : i32 from vector<1xi32>
    %av1 = vector.extract %af[1] : vector<2xbf16> from vector<4x2xbf16>
    %aw1 = vector.bitcast %av1 : vector<2xbf16> to vector<1xi32>
    %a1 = vector.extract %aw1[0] : i32 from vector<1xi32>
    %av2 = vector.extract %af[2] : vector<2xbf16> from vector<4x2xbf16>
    %aw2 = vector.bitcast %av2 : vector<2xbf16> to vector<1xi32>
    %a2 = vector.extract %aw2[0] : i32 from vector<1xi32>
    %av3 = vector.extract %af[3] : vector<2xbf16> from vector<4x2xbf16>
    %aw3 = vector.bitcast %av3 : vector<2xbf16> to vector<1xi32>
    %a3 = vector.extract %aw3[0] : i32 from vector<1xi32>
    %bv0 = vector.extract %bf[0] : vector<2xbf16> from vector<2x2xbf16>
    %bw0 = vector.bitcast %bv0 : vector<2xbf16> to vector<1xi32>
    %b0 = vector.extract %bw0[0] : i32 from vector<1xi32>
    %bv1 = vector.extract %bf[1] : vector<2xbf16> from vector<2x2xbf16>
    %bw1 = vector.bitcast %bv1 : vector<2xbf16> to vector<1xi32>
    %b1 = vector.extract %bw1[0] : i32 from vector<1xi32>
    %g = arith.divui %lane, %c4 : index
    %t = arith.remui %lane, %c4 : index
    %n = arith.muli %t, %c2 : index
    %top = tensor.extract_slice %c[0, 0] [8, 8] [1, 1]
        : tensor<16x8xf32> to tensor<8x8xf32>
    %bottom = tensor.extract_slice %c[8, 0] [8, 8] [1, 1]
        : tensor<16x8xf32> to tensor<8x8xf32>
    %upper = vector.transfer_read %top[%g, %n], %zero {in_bounds = [true]}
        : tensor<8x8xf32>, vector<2xf32>
    %lower = vector.transfer_read %bottom[%g, %n], %zero {in_bounds = [true]}
        : tensor<8x8xf32>, vector<2xf32>
    %x0 = vector.extract %upper[0] : f32 from vector<2xf32>
    %x1 = vector.extract %upper[1] : f32 from vector<2xf32>
    %x2 = vector.extract %lower[0] : f32 from vector<2xf32>
    %x3 = vector.extract %lower[1] : f32 from vector<2xf32>
    %d = nvvm.mma.sync A[%a0, %a1, %a2, %a3] B[%b0, %b1] C[%x0, %x1, %x2, %x3]
        {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>,
         multiplicandAPtxType = #nvvm.mma_type<bf16>,
         multiplicandBPtxType = #nvvm.mma_type<bf16>,
         shape = #nvvm.shape<m = 16, n = 8, k = 16>}
        : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
    %d0 = llvm.extractvalue %d[0] : !llvm.struct<(f32, f32, f32, f32)>
    %d1 = llvm.extractvalue %d[1] : !llvm.struct<(f32, f32, f32, f32)>
    %d2 = llvm.extractvalue %d[2] : !llvm.struct<(f32, f32, f32, f32)>
    %d3 = llvm.extractvalue %d[3] : !llvm.struct<(f32, f32, f32, f32)>
    %above = vector.from_elements %d0, %d1 : vector<2xf32>
    %below = vector.from_elements %d2, %d3 : vector<2xf32>
    %new_top = vector.transfer_write %above, %top[%g, %n] {in_bounds = [true]}
        : vector<2xf32>, tensor<8x8xf32>
    %half_new = tensor.insert_slice %new_top into %c[0, 0] [8, 8] [1, 1]
        : tensor<8x8xf32> into tensor<16x8xf32>
    %rest = tensor.extract_slice %half_new[8, 0] [8, 8] [1, 1]
        : tensor<16x8xf32> to tensor<8x8xf32>
    %new_bottom = vector.transfer_write %below, %rest[%g, %n] {in_bounds = [true]}
        : vector<2xf32>, tensor<8x8xf32>
    %new = tensor.insert_slice %new_bottom into %half_new[8, 0] [8, 8] [1, 1]
        : tensor<8x8xf32> into tensor<16x8xf32>
    return %new : tensor<16x8xf32>
  }

  // B comes by columns: 8 rows of 32 bytes. ldmatrix moves pairs of bytes, the
  // same to it as halves.
  func.func private @lh_mma_s8(%a: tensor<16x32xi8>, %b: tensor<8x32xi8>,
                               %c: tensor<16x8xi32>) -> tensor<16x8xi32>
      attributes {lh.kernel = "mma-s8",
                  dlti.map = #dlti.map<"rows" = 16, "columns" = 8, "sum" = 32>} {
    %zero = arith.constant 0 : i32
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %lane = gpu.thread_id x
    %left = bufferization.to_buffer %a read_only : tensor<16x32xi8> to
        memref<16x32xi8, strided<[64, 1], offset: ?>, #gpu.address_space<workgroup>>
    %right = bufferization.to_buffer %b read_only : tensor<8x32xi8> to
        memref<8x32xi8, strided<[64, 1], offset: ?>, #gpu.address_space<workgroup>>
    %row = arith.remui %lane, %c16 : index
    %half = arith.divui %lane, %c16 : index
    %column = arith.muli %half, %c16 : index
    %af = nvgpu.ldmatrix %left[%row, %column] {numTiles = 4 : i32, transpose = false}
        : memref<16x32xi8, strided<[64, 1], offset: ?>, #gpu.address_space<workgroup>> -> vector<4x4xi8>
    %brow = arith.remui %lane, %c8 : index
    %bpart = arith.divui %lane, %c8 : index
    %bhalf = arith.remui %bpart, %c2 : index
    %bcolumn = arith.muli %bhalf, %c16 : index
    %bf = nvgpu.ldmatrix %right[%brow, %bcolumn] {numTiles = 2 : i32, transpose = false}
        : memref<8x32xi8, strided<[64, 1], offset: ?>, #gpu.address_space<workgroup>> -> vector<2x4xi8>
    %av0 = vector.extract %af[0] : vector<4xi8> from vector<4x4xi8>
    %aw0 = vector.bitcast %av0 : vector<4xi8> to vector<1xi32>
    %a0 = vector.extract %aw0[0] : i32 from vector<1xi32>
    %av1 = vector.extract %af[1] : vector<4xi8> from vector<4x4xi8>
    %aw1 = vector.bitcast %av1 : vector<4xi8> to vector<1xi32>
    %a1 = vector.extract %aw1[0] : i32 from vector<1xi32>
    %av2 = vector.extract %af[2] : vector<4xi8> from vector<4x4xi8>
    %aw2 = vector.bitcast %av2 : vector<4xi8> to vector<1xi32>
    %a2 = vector.extract %aw2[0] : i32 from vector<1xi32>
    %av3 = vector.extract %af[3] : vector<4xi8> from vector<4x4xi8>
    %aw3 = vector.bitcast %av3 : vector<4xi8> to vector<1xi32>
    %a3 = vector.extract %aw3[0] : i32 from vector<1xi32>
    %bv0 = vector.extract %bf[0] : vector<4xi8> from vector<2x4xi8>
    %bw0 = vector.bitcast %bv0 : vector<4xi8> to vector<1xi32>
    %b0 = vector.extract %bw0[0] : i32 from vector<1xi32>
    %bv1 = vector.extract %bf[1] : vector<4xi8> from vector<2x4xi8>
    %bw1 = vector.bitcast %bv1 : vector<4xi8> to vector<1xi32>
    %b1 = vector.extract %bw1[0] : i32 from vector<1xi32>
    %g = arith.divui %lane, %c4 : index
    %t = arith.remui %lane, %c4 : index
    %n = arith.muli %t, %c2 : index
    %top = tensor.extract_slice %c[0, 0] [8, 8] [1, 1]
        : tensor<16x8xi32> to tensor<8x8xi32>
    %bottom = tensor.extract_slice %c[8, 0] [8, 8] [1, 1]
        : tensor<16x8xi32> to tensor<8x8xi32>
    %upper = vector.transfer_read %top[%g, %n], %zero {in_bounds = [true]}
        : tensor<8x8xi32>, vector<2xi32>
    %lower = vector.transfer_read %bottom[%g, %n], %zero {in_bounds = [true]}
        : tensor<8x8xi32>, vector<2xi32>
    %x0 = vector.extract %upper[0] : i32 from vector<2xi32>
    %x1 = vector.extract %upper[1] : i32 from vector<2xi32>
    %x2 = vector.extract %lower[0] : i32 from vector<2xi32>
    %x3 = vector.extract %lower[1] : i32 from vector<2xi32>
    %d = nvvm.mma.sync A[%a0, %a1, %a2, %a3] B[%b0, %b1] C[%x0, %x1, %x2, %x3]
        {intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>,
         layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>,
         multiplicandAPtxType = #nvvm.mma_type<s8>,
         multiplicandBPtxType = #nvvm.mma_type<s8>,
         shape = #nvvm.shape<m = 16, n = 8, k = 32>}
        : (i32, i32, i32) -> !llvm.struct<(i32, i32, i32, i32)>
    %d0 = llvm.extractvalue %d[0] : !llvm.struct<(i32, i32, i32, i32)>
    %d1 = llvm.extractvalue %d[1] : !llvm.struct<(i32, i32, i32, i32)>
    %d2 = llvm.extractvalue %d[2] : !llvm.struct<(i32, i32, i32, i32)>
    %d3 = llvm.extractvalue %d[3] : !llvm.struct<(i32, i32, i32, i32)>
    %above = vector.from_elements %d0, %d1 : vector<2xi32>
    %below = vector.from_elements %d2, %d3 : vector<2xi32>
    %new_top = vector.transfer_write %above, %top[%g, %n] {in_bounds = [true]}
        : vector<2xi32>, tensor<8x8xi32>
    %half_new = tensor.insert_slice %new_top into %c[0, 0] [8, 8] [1, 1]
        : tensor<8x8xi32> into tensor<16x8xi32>
    %rest = tensor.extract_slice %half_new[8, 0] [8, 8] [1, 1]
        : tensor<16x8xi32> to tensor<8x8xi32>
    %new_bottom = vector.transfer_write %below, %rest[%g, %n] {in_bounds = [true]}
        : vector<2xi32>, tensor<8x8xi32>
    %new = tensor.insert_slice %new_bottom into %half_new[8, 0] [8, 8] [1, 1]
        : tensor<8x8xi32> into tensor<16x8xi32>
    return %new : tensor<16x8xi32>
  }
}
