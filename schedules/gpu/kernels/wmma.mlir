// One matrix instruction of RDNA 3: a wave of 32 lanes multiplies 16 x 16 x 16. Block
// dimensions are (32, waves, waves): the thread's x is its lane. With r = lane mod
// 16 and q = lane / 16, a lane has A's row r and B's column r, all 16 numbers along
// the sum (both halves of the wave the same), and of C's column r the rows 2i + q
// (RDNA 3 ISA, "Wave Matrix Multiply Accumulate"). B comes by columns, so that its
// numbers lie side by side. C is read and written by pairs of rows, at constant
// offsets, so that the hoisting of accumulators sees that they don't overlap.
module {
  func.func private @lh_wmma_f16(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>,
                                 %c: tensor<16x16xf32>) -> tensor<16x16xf32>
      attributes {lh.kernel = "wmma-f16",
                  dlti.map = #dlti.map<"rows" = 16, "columns" = 16, "sum" = 16>} {
    %zero = arith.constant 0.0 : f16
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %lane = gpu.thread_id x
    %r = arith.remui %lane, %c16 : index
    %av = vector.transfer_read %a[%r, %c0], %zero {in_bounds = [true]}
        : tensor<16x16xf16>, vector<16xf16>
    %bv = vector.transfer_read %b[%r, %c0], %zero {in_bounds = [true]}
        : tensor<16x16xf16>, vector<16xf16>
    %cv = func.call @lh_wmma_sums_f32(%c) : (tensor<16x16xf32>) -> vector<8xf32>
    %d = amdgpu.wmma 16x16x16 %av * %bv + %cv
        : vector<16xf16>, vector<16xf16>, vector<8xf32>
    %new = func.call @lh_wmma_store_f32(%d, %c)
        : (vector<8xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    return %new : tensor<16x16xf32>
  }

  func.func private @lh_wmma_bf16(%a: tensor<16x16xbf16>, %b: tensor<16x16xbf16>,
                                  %c: tensor<16x16xf32>) -> tensor<16x16xf32>
      attributes {lh.kernel = "wmma-bf16",
                  dlti.map = #dlti.map<"rows" = 16, "columns" = 16, "sum" = 16>} {
    %zero = arith.constant 0.0 : bf16
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %lane = gpu.thread_id x
    %r = arith.remui %lane, %c16 : index
    %av = vector.transfer_read %a[%r, %c0], %zero {in_bounds = [true]}
        : tensor<16x16xbf16>, vector<16xbf16>
    %bv = vector.transfer_read %b[%r, %c0], %zero {in_bounds = [true]}
        : tensor<16x16xbf16>, vector<16xbf16>
    %cv = func.call @lh_wmma_sums_f32(%c) : (tensor<16x16xf32>) -> vector<8xf32>
    %d = amdgpu.wmma 16x16x16 %av * %bv + %cv
        : vector<16xbf16>, vector<16xbf16>, vector<8xf32>
    %new = func.call @lh_wmma_store_f32(%d, %c)
        : (vector<8xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    return %new : tensor<16x16xf32>
  }

  func.func private @lh_wmma_s8(%a: tensor<16x16xi8>, %b: tensor<16x16xi8>,
                                %c: tensor<16x16xi32>) -> tensor<16x16xi32>
      attributes {lh.kernel = "wmma-s8",
                  dlti.map = #dlti.map<"rows" = 16, "columns" = 16, "sum" = 16>} {
    %zero = arith.constant 0 : i8
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %lane = gpu.thread_id x
    %r = arith.remui %lane, %c16 : index
    %av = vector.transfer_read %a[%r, %c0], %zero {in_bounds = [true]}
        : tensor<16x16xi8>, vector<16xi8>
    %bv = vector.transfer_read %b[%r, %c0], %zero {in_bounds = [true]}
        : tensor<16x16xi8>, vector<16xi8>
    %cv = func.call @lh_wmma_sums_i32(%c) : (tensor<16x16xi32>) -> vector<8xi32>
    %d = amdgpu.wmma 16x16x16 %av * %bv + %cv
        : vector<16xi8>, vector<16xi8>, vector<8xi32>
    %new = func.call @lh_wmma_store_i32(%d, %c)
        : (vector<8xi32>, tensor<16x16xi32>) -> tensor<16x16xi32>
    return %new : tensor<16x16xi32>
  }

  // A lane's eight sums: every second row from q on.
  func.func private @lh_wmma_sums_f32(%c: tensor<16x16xf32>) -> vector<8xf32> {
    %none = arith.constant 0.0 : f32
    %c16 = arith.constant 16 : index
    %lane = gpu.thread_id x
    %r = arith.remui %lane, %c16 : index
    %q = arith.divui %lane, %c16 : index
    %c_0 = tensor.extract_slice %c[0, 0] [2, 16] [1, 1]
        : tensor<16x16xf32> to tensor<2x16xf32>
    %v0 = vector.transfer_read %c_0[%q, %r], %none {in_bounds = [true]}
        : tensor<2x16xf32>, vector<1xf32>
    %s0 = vector.extract %v0[0] : f32 from vector<1xf32>
    %c_1 = tensor.extract_slice %c[2, 0] [2, 16] [1, 1]
        : tensor<16x16xf32> to tensor<2x16xf32>
    %v1 = vector.transfer_read %c_1[%q, %r], %none {in_bounds = [true]}
        : tensor<2x16xf32>, vector<1xf32>
    %s1 = vector.extract %v1[0] : f32 from vector<1xf32>
    %c_2 = tensor.extract_slice %c[4, 0] [2, 16] [1, 1]
        : tensor<16x16xf32> to tensor<2x16xf32>
    %v2 = vector.transfer_read %c_2[%q, %r], %none {in_bounds = [true]}
        : tensor<2x16xf32>, vector<1xf32>
    %s2 = vector.extract %v2[0] : f32 from vector<1xf32>
    %c_3 = tensor.extract_slice %c[6, 0] [2, 16] [1, 1]
        : tensor<16x16xf32> to tensor<2x16xf32>
    %v3 = vector.transfer_read %c_3[%q, %r], %none {in_bounds = [true]}
        : tensor<2x16xf32>, vector<1xf32>
    %s3 = vector.extract %v3[0] : f32 from vector<1xf32>
    %c_4 = tensor.extract_slice %c[8, 0] [2, 16] [1, 1]
        : tensor<16x16xf32> to tensor<2x16xf32>
    %v4 = vector.transfer_read %c_4[%q, %r], %none {in_bounds = [true]}
        : tensor<2x16xf32>, vector<1xf32>
    %s4 = vector.extract %v4[0] : f32 from vector<1xf32>
    %c_5 = tensor.extract_slice %c[10, 0] [2, 16] [1, 1]
        : tensor<16x16xf32> to tensor<2x16xf32>
    %v5 = vector.transfer_read %c_5[%q, %r], %none {in_bounds = [true]}
        : tensor<2x16xf32>, vector<1xf32>
    %s5 = vector.extract %v5[0] : f32 from vector<1xf32>
    %c_6 = tensor.extract_slice %c[12, 0] [2, 16] [1, 1]
        : tensor<16x16xf32> to tensor<2x16xf32>
    %v6 = vector.transfer_read %c_6[%q, %r], %none {in_bounds = [true]}
        : tensor<2x16xf32>, vector<1xf32>
    %s6 = vector.extract %v6[0] : f32 from vector<1xf32>
    %c_7 = tensor.extract_slice %c[14, 0] [2, 16] [1, 1]
        : tensor<16x16xf32> to tensor<2x16xf32>
    %v7 = vector.transfer_read %c_7[%q, %r], %none {in_bounds = [true]}
        : tensor<2x16xf32>, vector<1xf32>
    %s7 = vector.extract %v7[0] : f32 from vector<1xf32>
    %sums = vector.from_elements %s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7
        : vector<8xf32>
    return %sums : vector<8xf32>
  }

  func.func private @lh_wmma_store_f32(%d: vector<8xf32>, %c: tensor<16x16xf32>)
      -> tensor<16x16xf32> {
    %c16 = arith.constant 16 : index
    %lane = gpu.thread_id x
    %r = arith.remui %lane, %c16 : index
    %q = arith.divui %lane, %c16 : index
    %d0 = vector.extract %d[0] : f32 from vector<8xf32>
    %w0 = vector.from_elements %d0 : vector<1xf32>
    %p0 = tensor.extract_slice %c[0, 0] [2, 16] [1, 1]
        : tensor<16x16xf32> to tensor<2x16xf32>
    %n0 = vector.transfer_write %w0, %p0[%q, %r] {in_bounds = [true]}
        : vector<1xf32>, tensor<2x16xf32>
    %e0 = tensor.insert_slice %n0 into %c[0, 0] [2, 16] [1, 1]
        : tensor<2x16xf32> into tensor<16x16xf32>
    %d1 = vector.extract %d[1] : f32 from vector<8xf32>
    %w1 = vector.from_elements %d1 : vector<1xf32>
    %p1 = tensor.extract_slice %e0[2, 0] [2, 16] [1, 1]
        : tensor<16x16xf32> to tensor<2x16xf32>
    %n1 = vector.transfer_write %w1, %p1[%q, %r] {in_bounds = [true]}
        : vector<1xf32>, tensor<2x16xf32>
    %e1 = tensor.insert_slice %n1 into %e0[2, 0] [2, 16] [1, 1]
        : tensor<2x16xf32> into tensor<16x16xf32>
    %d2 = vector.extract %d[2] : f32 from vector<8xf32>
    %w2 = vector.from_elements %d2 : vector<1xf32>
    %p2 = tensor.extract_slice %e1[4, 0] [2, 16] [1, 1]
        : tensor<16x16xf32> to tensor<2x16xf32>
    %n2 = vector.transfer_write %w2, %p2[%q, %r] {in_bounds = [true]}
        : vector<1xf32>, tensor<2x16xf32>
    %e2 = tensor.insert_slice %n2 into %e1[4, 0] [2, 16] [1, 1]
        : tensor<2x16xf32> into tensor<16x16xf32>
    %d3 = vector.extract %d[3] : f32 from vector<8xf32>
    %w3 = vector.from_elements %d3 : vector<1xf32>
    %p3 = tensor.extract_slice %e2[6, 0] [2, 16] [1, 1]
        : tensor<16x16xf32> to tensor<2x16xf32>
    %n3 = vector.transfer_write %w3, %p3[%q, %r] {in_bounds = [true]}
        : vector<1xf32>, tensor<2x16xf32>
    %e3 = tensor.insert_slice %n3 into %e2[6, 0] [2, 16] [1, 1]
        : tensor<2x16xf32> into tensor<16x16xf32>
    %d4 = vector.extract %d[4] : f32 from vector<8xf32>
    %w4 = vector.from_elements %d4 : vector<1xf32>
    %p4 = tensor.extract_slice %e3[8, 0] [2, 16] [1, 1]
        : tensor<16x16xf32> to tensor<2x16xf32>
    %n4 = vector.transfer_write %w4, %p4[%q, %r] {in_bounds = [true]}
        : vector<1xf32>, tensor<2x16xf32>
    %e4 = tensor.insert_slice %n4 into %e3[8, 0] [2, 16] [1, 1]
        : tensor<2x16xf32> into tensor<16x16xf32>
    %d5 = vector.extract %d[5] : f32 from vector<8xf32>
    %w5 = vector.from_elements %d5 : vector<1xf32>
    %p5 = tensor.extract_slice %e4[10, 0] [2, 16] [1, 1]
        : tensor<16x16xf32> to tensor<2x16xf32>
    %n5 = vector.transfer_write %w5, %p5[%q, %r] {in_bounds = [true]}
        : vector<1xf32>, tensor<2x16xf32>
    %e5 = tensor.insert_slice %n5 into %e4[10, 0] [2, 16] [1, 1]
        : tensor<2x16xf32> into tensor<16x16xf32>
    %d6 = vector.extract %d[6] : f32 from vector<8xf32>
    %w6 = vector.from_elements %d6 : vector<1xf32>
    %p6 = tensor.extract_slice %e5[12, 0] [2, 16] [1, 1]
        : tensor<16x16xf32> to tensor<2x16xf32>
    %n6 = vector.transfer_write %w6, %p6[%q, %r] {in_bounds = [true]}
        : vector<1xf32>, tensor<2x16xf32>
    %e6 = tensor.insert_slice %n6 into %e5[12, 0] [2, 16] [1, 1]
        : tensor<2x16xf32> into tensor<16x16xf32>
    %d7 = vector.extract %d[7] : f32 from vector<8xf32>
    %w7 = vector.from_elements %d7 : vector<1xf32>
    %p7 = tensor.extract_slice %e6[14, 0] [2, 16] [1, 1]
        : tensor<16x16xf32> to tensor<2x16xf32>
    %n7 = vector.transfer_write %w7, %p7[%q, %r] {in_bounds = [true]}
        : vector<1xf32>, tensor<2x16xf32>
    %e7 = tensor.insert_slice %n7 into %e6[14, 0] [2, 16] [1, 1]
        : tensor<2x16xf32> into tensor<16x16xf32>
    return %e7 : tensor<16x16xf32>
  }

  func.func private @lh_wmma_sums_i32(%c: tensor<16x16xi32>) -> vector<8xi32> {
    %none = arith.constant 0 : i32
    %c16 = arith.constant 16 : index
    %lane = gpu.thread_id x
    %r = arith.remui %lane, %c16 : index
    %q = arith.divui %lane, %c16 : index
    %c_0 = tensor.extract_slice %c[0, 0] [2, 16] [1, 1]
        : tensor<16x16xi32> to tensor<2x16xi32>
    %v0 = vector.transfer_read %c_0[%q, %r], %none {in_bounds = [true]}
        : tensor<2x16xi32>, vector<1xi32>
    %s0 = vector.extract %v0[0] : i32 from vector<1xi32>
    %c_1 = tensor.extract_slice %c[2, 0] [2, 16] [1, 1]
        : tensor<16x16xi32> to tensor<2x16xi32>
    %v1 = vector.transfer_read %c_1[%q, %r], %none {in_bounds = [true]}
        : tensor<2x16xi32>, vector<1xi32>
    %s1 = vector.extract %v1[0] : i32 from vector<1xi32>
    %c_2 = tensor.extract_slice %c[4, 0] [2, 16] [1, 1]
        : tensor<16x16xi32> to tensor<2x16xi32>
    %v2 = vector.transfer_read %c_2[%q, %r], %none {in_bounds = [true]}
        : tensor<2x16xi32>, vector<1xi32>
    %s2 = vector.extract %v2[0] : i32 from vector<1xi32>
    %c_3 = tensor.extract_slice %c[6, 0] [2, 16] [1, 1]
        : tensor<16x16xi32> to tensor<2x16xi32>
    %v3 = vector.transfer_read %c_3[%q, %r], %none {in_bounds = [true]}
        : tensor<2x16xi32>, vector<1xi32>
    %s3 = vector.extract %v3[0] : i32 from vector<1xi32>
    %c_4 = tensor.extract_slice %c[8, 0] [2, 16] [1, 1]
        : tensor<16x16xi32> to tensor<2x16xi32>
    %v4 = vector.transfer_read %c_4[%q, %r], %none {in_bounds = [true]}
        : tensor<2x16xi32>, vector<1xi32>
    %s4 = vector.extract %v4[0] : i32 from vector<1xi32>
    %c_5 = tensor.extract_slice %c[10, 0] [2, 16] [1, 1]
        : tensor<16x16xi32> to tensor<2x16xi32>
    %v5 = vector.transfer_read %c_5[%q, %r], %none {in_bounds = [true]}
        : tensor<2x16xi32>, vector<1xi32>
    %s5 = vector.extract %v5[0] : i32 from vector<1xi32>
    %c_6 = tensor.extract_slice %c[12, 0] [2, 16] [1, 1]
        : tensor<16x16xi32> to tensor<2x16xi32>
    %v6 = vector.transfer_read %c_6[%q, %r], %none {in_bounds = [true]}
        : tensor<2x16xi32>, vector<1xi32>
    %s6 = vector.extract %v6[0] : i32 from vector<1xi32>
    %c_7 = tensor.extract_slice %c[14, 0] [2, 16] [1, 1]
        : tensor<16x16xi32> to tensor<2x16xi32>
    %v7 = vector.transfer_read %c_7[%q, %r], %none {in_bounds = [true]}
        : tensor<2x16xi32>, vector<1xi32>
    %s7 = vector.extract %v7[0] : i32 from vector<1xi32>
    %sums = vector.from_elements %s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7
        : vector<8xi32>
    return %sums : vector<8xi32>
  }

  func.func private @lh_wmma_store_i32(%d: vector<8xi32>, %c: tensor<16x16xi32>)
      -> tensor<16x16xi32> {
    %c16 = arith.constant 16 : index
    %lane = gpu.thread_id x
    %r = arith.remui %lane, %c16 : index
    %q = arith.divui %lane, %c16 : index
    %d0 = vector.extract %d[0] : i32 from vector<8xi32>
    %w0 = vector.from_elements %d0 : vector<1xi32>
    %p0 = tensor.extract_slice %c[0, 0] [2, 16] [1, 1]
        : tensor<16x16xi32> to tensor<2x16xi32>
    %n0 = vector.transfer_write %w0, %p0[%q, %r] {in_bounds = [true]}
        : vector<1xi32>, tensor<2x16xi32>
    %e0 = tensor.insert_slice %n0 into %c[0, 0] [2, 16] [1, 1]
        : tensor<2x16xi32> into tensor<16x16xi32>
    %d1 = vector.extract %d[1] : i32 from vector<8xi32>
    %w1 = vector.from_elements %d1 : vector<1xi32>
    %p1 = tensor.extract_slice %e0[2, 0] [2, 16] [1, 1]
        : tensor<16x16xi32> to tensor<2x16xi32>
    %n1 = vector.transfer_write %w1, %p1[%q, %r] {in_bounds = [true]}
        : vector<1xi32>, tensor<2x16xi32>
    %e1 = tensor.insert_slice %n1 into %e0[2, 0] [2, 16] [1, 1]
        : tensor<2x16xi32> into tensor<16x16xi32>
    %d2 = vector.extract %d[2] : i32 from vector<8xi32>
    %w2 = vector.from_elements %d2 : vector<1xi32>
    %p2 = tensor.extract_slice %e1[4, 0] [2, 16] [1, 1]
        : tensor<16x16xi32> to tensor<2x16xi32>
    %n2 = vector.transfer_write %w2, %p2[%q, %r] {in_bounds = [true]}
        : vector<1xi32>, tensor<2x16xi32>
    %e2 = tensor.insert_slice %n2 into %e1[4, 0] [2, 16] [1, 1]
        : tensor<2x16xi32> into tensor<16x16xi32>
    %d3 = vector.extract %d[3] : i32 from vector<8xi32>
    %w3 = vector.from_elements %d3 : vector<1xi32>
    %p3 = tensor.extract_slice %e2[6, 0] [2, 16] [1, 1]
        : tensor<16x16xi32> to tensor<2x16xi32>
    %n3 = vector.transfer_write %w3, %p3[%q, %r] {in_bounds = [true]}
        : vector<1xi32>, tensor<2x16xi32>
    %e3 = tensor.insert_slice %n3 into %e2[6, 0] [2, 16] [1, 1]
        : tensor<2x16xi32> into tensor<16x16xi32>
    %d4 = vector.extract %d[4] : i32 from vector<8xi32>
    %w4 = vector.from_elements %d4 : vector<1xi32>
    %p4 = tensor.extract_slice %e3[8, 0] [2, 16] [1, 1]
        : tensor<16x16xi32> to tensor<2x16xi32>
    %n4 = vector.transfer_write %w4, %p4[%q, %r] {in_bounds = [true]}
        : vector<1xi32>, tensor<2x16xi32>
    %e4 = tensor.insert_slice %n4 into %e3[8, 0] [2, 16] [1, 1]
        : tensor<2x16xi32> into tensor<16x16xi32>
    %d5 = vector.extract %d[5] : i32 from vector<8xi32>
    %w5 = vector.from_elements %d5 : vector<1xi32>
    %p5 = tensor.extract_slice %e4[10, 0] [2, 16] [1, 1]
        : tensor<16x16xi32> to tensor<2x16xi32>
    %n5 = vector.transfer_write %w5, %p5[%q, %r] {in_bounds = [true]}
        : vector<1xi32>, tensor<2x16xi32>
    %e5 = tensor.insert_slice %n5 into %e4[10, 0] [2, 16] [1, 1]
        : tensor<2x16xi32> into tensor<16x16xi32>
    %d6 = vector.extract %d[6] : i32 from vector<8xi32>
    %w6 = vector.from_elements %d6 : vector<1xi32>
    %p6 = tensor.extract_slice %e5[12, 0] [2, 16] [1, 1]
        : tensor<16x16xi32> to tensor<2x16xi32>
    %n6 = vector.transfer_write %w6, %p6[%q, %r] {in_bounds = [true]}
        : vector<1xi32>, tensor<2x16xi32>
    %e6 = tensor.insert_slice %n6 into %e5[12, 0] [2, 16] [1, 1]
        : tensor<2x16xi32> into tensor<16x16xi32>
    %d7 = vector.extract %d[7] : i32 from vector<8xi32>
    %w7 = vector.from_elements %d7 : vector<1xi32>
    %p7 = tensor.extract_slice %e6[14, 0] [2, 16] [1, 1]
        : tensor<16x16xi32> to tensor<2x16xi32>
    %n7 = vector.transfer_write %w7, %p7[%q, %r] {in_bounds = [true]}
        : vector<1xi32>, tensor<2x16xi32>
    %e7 = tensor.insert_slice %n7 into %e6[14, 0] [2, 16] [1, 1]
        : tensor<2x16xi32> into tensor<16x16xi32>
    return %e7 : tensor<16x16xi32>
  }
}
