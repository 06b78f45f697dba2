// One matrix instruction of CDNA: a wave of 64 lanes multiplies 16 x 16 x 16, or
// 16 x 16 x 32 bytes on CDNA 3. Block dimensions are (64, waves, waves): the
// thread's x is its lane. With r = lane mod 16 and q = lane / 16, a lane has A's
// row r and B's column r, a quarter of the numbers along the sum from the q-th
// quarter on, and of D's column r the rows 4q to 4q + 3 (AMD matrix instruction
// calculator, v_mfma_f32_16x16x16_f16, ..._bf16_1k, v_mfma_i32_16x16x16i8,
// v_mfma_i32_16x16x32_i8). B comes by columns, so that a lane's numbers lie side
// by side. The instruction gets the factors swapped and so makes C turned: a lane
// then has row r, columns 4q to 4q + 3, which are one vector at a constant offset
// from the next tile's. The hoisting of accumulators sees that tiles don't overlap;
// through views of every fourth row it sees nothing.
module {
  func.func private @lh_mfma_f16(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>,
                                 %c: tensor<16x16xf32>) -> tensor<16x16xf32>
      attributes {lh.kernel = "mfma-f16",
                  dlti.map = #dlti.map<"rows" = 16, "columns" = 16, "sum" = 16>} {
    %zero = arith.constant 0.0 : f16
    %none = arith.constant 0.0 : f32
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %lane = gpu.thread_id x
    %r = arith.remui %lane, %c16 : index
    %q = arith.divui %lane, %c16 : index
    %four = arith.muli %q, %c4 : index
    %av = vector.transfer_read %a[%r, %four], %zero {in_bounds = [true]}
        : tensor<16x16xf16>, vector<4xf16>
    %bv = vector.transfer_read %b[%r, %four], %zero {in_bounds = [true]}
        : tensor<16x16xf16>, vector<4xf16>
    %cv = vector.transfer_read %c[%r, %four], %none {in_bounds = [true]}
        : tensor<16x16xf32>, vector<4xf32>
    %d = amdgpu.mfma 16x16x16 %bv * %av + %cv
        {abid = 0 : i32, blocks = 1 : i32, cbsz = 0 : i32} blgp = none
        : vector<4xf16>, vector<4xf16>, vector<4xf32>
    %new = vector.transfer_write %d, %c[%r, %four] {in_bounds = [true]}
        : vector<4xf32>, tensor<16x16xf32>
    return %new : tensor<16x16xf32>
  }

  func.func private @lh_mfma_bf16(%a: tensor<16x16xbf16>, %b: tensor<16x16xbf16>,
                                  %c: tensor<16x16xf32>) -> tensor<16x16xf32>
      attributes {lh.kernel = "mfma-bf16",
                  dlti.map = #dlti.map<"rows" = 16, "columns" = 16, "sum" = 16>} {
    %zero = arith.constant 0.0 : bf16
    %none = arith.constant 0.0 : f32
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %lane = gpu.thread_id x
    %r = arith.remui %lane, %c16 : index
    %q = arith.divui %lane, %c16 : index
    %four = arith.muli %q, %c4 : index
    %av = vector.transfer_read %a[%r, %four], %zero {in_bounds = [true]}
        : tensor<16x16xbf16>, vector<4xbf16>
    %bv = vector.transfer_read %b[%r, %four], %zero {in_bounds = [true]}
        : tensor<16x16xbf16>, vector<4xbf16>
    %cv = vector.transfer_read %c[%r, %four], %none {in_bounds = [true]}
        : tensor<16x16xf32>, vector<4xf32>
    %d = amdgpu.mfma 16x16x16 %bv * %av + %cv
        {abid = 0 : i32, blocks = 1 : i32, cbsz = 0 : i32} blgp = none
        : vector<4xbf16>, vector<4xbf16>, vector<4xf32>
    %new = vector.transfer_write %d, %c[%r, %four] {in_bounds = [true]}
        : vector<4xf32>, tensor<16x16xf32>
    return %new : tensor<16x16xf32>
  }

  func.func private @lh_mfma_s8_k16(%a: tensor<16x16xi8>, %b: tensor<16x16xi8>,
                                    %c: tensor<16x16xi32>) -> tensor<16x16xi32>
      attributes {lh.kernel = "mfma-s8-k16",
                  dlti.map = #dlti.map<"rows" = 16, "columns" = 16, "sum" = 16>} {
    %zero = arith.constant 0 : i8
    %none = arith.constant 0 : i32
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %lane = gpu.thread_id x
    %r = arith.remui %lane, %c16 : index
    %q = arith.divui %lane, %c16 : index
    %four = arith.muli %q, %c4 : index
    %av = vector.transfer_read %a[%r, %four], %zero {in_bounds = [true]}
        : tensor<16x16xi8>, vector<4xi8>
    %bv = vector.transfer_read %b[%r, %four], %zero {in_bounds = [true]}
        : tensor<16x16xi8>, vector<4xi8>
    %cv = vector.transfer_read %c[%r, %four], %none {in_bounds = [true]}
        : tensor<16x16xi32>, vector<4xi32>
    %d = amdgpu.mfma 16x16x16 %bv * %av + %cv
        {abid = 0 : i32, blocks = 1 : i32, cbsz = 0 : i32} blgp = none
        : vector<4xi8>, vector<4xi8>, vector<4xi32>
    %new = vector.transfer_write %d, %c[%r, %four] {in_bounds = [true]}
        : vector<4xi32>, tensor<16x16xi32>
    return %new : tensor<16x16xi32>
  }

  func.func private @lh_mfma_s8_k32(%a: tensor<16x32xi8>, %b: tensor<16x32xi8>,
                                    %c: tensor<16x16xi32>) -> tensor<16x16xi32>
      attributes {lh.kernel = "mfma-s8-k32",
                  dlti.map = #dlti.map<"rows" = 16, "columns" = 16, "sum" = 32>} {
    %zero = arith.constant 0 : i8
    %none = arith.constant 0 : i32
    %c8 = arith.constant 8 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %lane = gpu.thread_id x
    %r = arith.remui %lane, %c16 : index
    %q = arith.divui %lane, %c16 : index
    %k = arith.muli %q, %c8 : index
    %av = vector.transfer_read %a[%r, %k], %zero {in_bounds = [true]}
        : tensor<16x32xi8>, vector<8xi8>
    %bv = vector.transfer_read %b[%r, %k], %zero {in_bounds = [true]}
        : tensor<16x32xi8>, vector<8xi8>
    %column = arith.muli %q, %c4 : index
    %cv = vector.transfer_read %c[%r, %column], %none {in_bounds = [true]}
        : tensor<16x16xi32>, vector<4xi32>
    %d = amdgpu.mfma 16x16x32 %bv * %av + %cv
        {abid = 0 : i32, blocks = 1 : i32, cbsz = 0 : i32} blgp = none
        : vector<8xi8>, vector<8xi8>, vector<4xi32>
    %new = vector.transfer_write %d, %c[%r, %column] {in_bounds = [true]}
        : vector<4xi32>, tensor<16x16xi32>
    return %new : tensor<16x16xi32>
  }
}
