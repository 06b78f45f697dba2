// One matrix instruction of CDNA: a wave of 64 lanes multiplies 16 x 16 x 16. Block
// dimensions are (64, waves, waves): the thread's x is its lane. With r = lane mod
// 16 and q = lane / 16, a lane has A's row r and B's column r, four numbers along
// the sum from 4q on, and of C's column r the rows 4q to 4q + 3 (AMD matrix
// instruction calculator, v_mfma_f32_16x16x16_f16 and ..._bf16_1k). B comes by
// columns, so that those four lie side by side. C is read and written by every
// fourth row, at constant offsets, so that the hoisting of accumulators sees that
// rows don't overlap.
module {
  func.func private @lh_mfma_f16(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>,
                                 %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
    %zero = arith.constant 0.0 : f16
    %none = arith.constant 0.0 : f32
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %lane = gpu.thread_id x
    %r = arith.remui %lane, %c16 : index
    %q = arith.divui %lane, %c16 : index
    %k = arith.muli %q, %c4 : index
    %av = vector.transfer_read %a[%r, %k], %zero {in_bounds = [true]}
        : tensor<16x16xf16>, vector<4xf16>
    %bv = vector.transfer_read %b[%r, %k], %zero {in_bounds = [true]}
        : tensor<16x16xf16>, vector<4xf16>
    %c_0 = tensor.extract_slice %c[0, 0] [4, 16] [4, 1]
        : tensor<16x16xf32> to tensor<4x16xf32>
    %v0 = vector.transfer_read %c_0[%q, %r], %none {in_bounds = [true]}
        : tensor<4x16xf32>, vector<1xf32>
    %s0 = vector.extract %v0[0] : f32 from vector<1xf32>
    %c_1 = tensor.extract_slice %c[1, 0] [4, 16] [4, 1]
        : tensor<16x16xf32> to tensor<4x16xf32>
    %v1 = vector.transfer_read %c_1[%q, %r], %none {in_bounds = [true]}
        : tensor<4x16xf32>, vector<1xf32>
    %s1 = vector.extract %v1[0] : f32 from vector<1xf32>
    %c_2 = tensor.extract_slice %c[2, 0] [4, 16] [4, 1]
        : tensor<16x16xf32> to tensor<4x16xf32>
    %v2 = vector.transfer_read %c_2[%q, %r], %none {in_bounds = [true]}
        : tensor<4x16xf32>, vector<1xf32>
    %s2 = vector.extract %v2[0] : f32 from vector<1xf32>
    %c_3 = tensor.extract_slice %c[3, 0] [4, 16] [4, 1]
        : tensor<16x16xf32> to tensor<4x16xf32>
    %v3 = vector.transfer_read %c_3[%q, %r], %none {in_bounds = [true]}
        : tensor<4x16xf32>, vector<1xf32>
    %s3 = vector.extract %v3[0] : f32 from vector<1xf32>
    %cv = vector.from_elements %s0, %s1, %s2, %s3 : vector<4xf32>
    %d = amdgpu.mfma 16x16x16 %av * %bv + %cv
        {abid = 0 : i32, blocks = 1 : i32, cbsz = 0 : i32} blgp = none
        : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %d0 = vector.extract %d[0] : f32 from vector<4xf32>
    %w0 = vector.from_elements %d0 : vector<1xf32>
    %p0 = tensor.extract_slice %c[0, 0] [4, 16] [4, 1]
        : tensor<16x16xf32> to tensor<4x16xf32>
    %n0 = vector.transfer_write %w0, %p0[%q, %r] {in_bounds = [true]}
        : vector<1xf32>, tensor<4x16xf32>
    %e0 = tensor.insert_slice %n0 into %c[0, 0] [4, 16] [4, 1]
        : tensor<4x16xf32> into tensor<16x16xf32>
    %d1 = vector.extract %d[1] : f32 from vector<4xf32>
    %w1 = vector.from_elements %d1 : vector<1xf32>
    %p1 = tensor.extract_slice %e0[1, 0] [4, 16] [4, 1]
        : tensor<16x16xf32> to tensor<4x16xf32>
    %n1 = vector.transfer_write %w1, %p1[%q, %r] {in_bounds = [true]}
        : vector<1xf32>, tensor<4x16xf32>
    %e1 = tensor.insert_slice %n1 into %e0[1, 0] [4, 16] [4, 1]
        : tensor<4x16xf32> into tensor<16x16xf32>
    %d2 = vector.extract %d[2] : f32 from vector<4xf32>
    %w2 = vector.from_elements %d2 : vector<1xf32>
    %p2 = tensor.extract_slice %e1[2, 0] [4, 16] [4, 1]
        : tensor<16x16xf32> to tensor<4x16xf32>
    %n2 = vector.transfer_write %w2, %p2[%q, %r] {in_bounds = [true]}
        : vector<1xf32>, tensor<4x16xf32>
    %e2 = tensor.insert_slice %n2 into %e1[2, 0] [4, 16] [4, 1]
        : tensor<4x16xf32> into tensor<16x16xf32>
    %d3 = vector.extract %d[3] : f32 from vector<4xf32>
    %w3 = vector.from_elements %d3 : vector<1xf32>
    %p3 = tensor.extract_slice %e2[3, 0] [4, 16] [4, 1]
        : tensor<16x16xf32> to tensor<4x16xf32>
    %n3 = vector.transfer_write %w3, %p3[%q, %r] {in_bounds = [true]}
        : vector<1xf32>, tensor<4x16xf32>
    %e3 = tensor.insert_slice %n3 into %e2[3, 0] [4, 16] [4, 1]
        : tensor<4x16xf32> into tensor<16x16xf32>
    return %e3 : tensor<16x16xf32>
  }

  func.func private @lh_mfma_bf16(%a: tensor<16x16xbf16>, %b: tensor<16x16xbf16>,
                                 %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
    %zero = arith.constant 0.0 : bf16
    %none = arith.constant 0.0 : f32
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %lane = gpu.thread_id x
    %r = arith.remui %lane, %c16 : index
    %q = arith.divui %lane, %c16 : index
    %k = arith.muli %q, %c4 : index
    %av = vector.transfer_read %a[%r, %k], %zero {in_bounds = [true]}
        : tensor<16x16xbf16>, vector<4xbf16>
    %bv = vector.transfer_read %b[%r, %k], %zero {in_bounds = [true]}
        : tensor<16x16xbf16>, vector<4xbf16>
    %c_0 = tensor.extract_slice %c[0, 0] [4, 16] [4, 1]
        : tensor<16x16xf32> to tensor<4x16xf32>
    %v0 = vector.transfer_read %c_0[%q, %r], %none {in_bounds = [true]}
        : tensor<4x16xf32>, vector<1xf32>
    %s0 = vector.extract %v0[0] : f32 from vector<1xf32>
    %c_1 = tensor.extract_slice %c[1, 0] [4, 16] [4, 1]
        : tensor<16x16xf32> to tensor<4x16xf32>
    %v1 = vector.transfer_read %c_1[%q, %r], %none {in_bounds = [true]}
        : tensor<4x16xf32>, vector<1xf32>
    %s1 = vector.extract %v1[0] : f32 from vector<1xf32>
    %c_2 = tensor.extract_slice %c[2, 0] [4, 16] [4, 1]
        : tensor<16x16xf32> to tensor<4x16xf32>
    %v2 = vector.transfer_read %c_2[%q, %r], %none {in_bounds = [true]}
        : tensor<4x16xf32>, vector<1xf32>
    %s2 = vector.extract %v2[0] : f32 from vector<1xf32>
    %c_3 = tensor.extract_slice %c[3, 0] [4, 16] [4, 1]
        : tensor<16x16xf32> to tensor<4x16xf32>
    %v3 = vector.transfer_read %c_3[%q, %r], %none {in_bounds = [true]}
        : tensor<4x16xf32>, vector<1xf32>
    %s3 = vector.extract %v3[0] : f32 from vector<1xf32>
    %cv = vector.from_elements %s0, %s1, %s2, %s3 : vector<4xf32>
    %d = amdgpu.mfma 16x16x16 %av * %bv + %cv
        {abid = 0 : i32, blocks = 1 : i32, cbsz = 0 : i32} blgp = none
        : vector<4xbf16>, vector<4xbf16>, vector<4xf32>
    %d0 = vector.extract %d[0] : f32 from vector<4xf32>
    %w0 = vector.from_elements %d0 : vector<1xf32>
    %p0 = tensor.extract_slice %c[0, 0] [4, 16] [4, 1]
        : tensor<16x16xf32> to tensor<4x16xf32>
    %n0 = vector.transfer_write %w0, %p0[%q, %r] {in_bounds = [true]}
        : vector<1xf32>, tensor<4x16xf32>
    %e0 = tensor.insert_slice %n0 into %c[0, 0] [4, 16] [4, 1]
        : tensor<4x16xf32> into tensor<16x16xf32>
    %d1 = vector.extract %d[1] : f32 from vector<4xf32>
    %w1 = vector.from_elements %d1 : vector<1xf32>
    %p1 = tensor.extract_slice %e0[1, 0] [4, 16] [4, 1]
        : tensor<16x16xf32> to tensor<4x16xf32>
    %n1 = vector.transfer_write %w1, %p1[%q, %r] {in_bounds = [true]}
        : vector<1xf32>, tensor<4x16xf32>
    %e1 = tensor.insert_slice %n1 into %e0[1, 0] [4, 16] [4, 1]
        : tensor<4x16xf32> into tensor<16x16xf32>
    %d2 = vector.extract %d[2] : f32 from vector<4xf32>
    %w2 = vector.from_elements %d2 : vector<1xf32>
    %p2 = tensor.extract_slice %e1[2, 0] [4, 16] [4, 1]
        : tensor<16x16xf32> to tensor<4x16xf32>
    %n2 = vector.transfer_write %w2, %p2[%q, %r] {in_bounds = [true]}
        : vector<1xf32>, tensor<4x16xf32>
    %e2 = tensor.insert_slice %n2 into %e1[2, 0] [4, 16] [4, 1]
        : tensor<4x16xf32> into tensor<16x16xf32>
    %d3 = vector.extract %d[3] : f32 from vector<4xf32>
    %w3 = vector.from_elements %d3 : vector<1xf32>
    %p3 = tensor.extract_slice %e2[3, 0] [4, 16] [4, 1]
        : tensor<16x16xf32> to tensor<4x16xf32>
    %n3 = vector.transfer_write %w3, %p3[%q, %r] {in_bounds = [true]}
        : vector<1xf32>, tensor<4x16xf32>
    %e3 = tensor.insert_slice %n3 into %e2[3, 0] [4, 16] [4, 1]
        : tensor<4x16xf32> into tensor<16x16xf32>
    return %e3 : tensor<16x16xf32>
  }
}
