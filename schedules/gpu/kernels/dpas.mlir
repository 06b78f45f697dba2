// One matrix instruction of Intel's Xe HPC: a subgroup of 16 lanes multiplies
// 8 x 16 x 16, of bytes 8 x 16 x 32. Block dimensions are (16, subgroups, subgroups): the thread's x is its
// lane. A lane has a column of A (two of bytes), of B and of C; B's numbers fill words
// along the sum (OpenCL, cl_intel_subgroup_matrix_multiply_accumulate). B comes by columns, so
// that they lie side by side. C is read and written by rows, at constant offsets, so
// that the hoisting of accumulators sees that they don't overlap.
module {
  func.func private @lh_dpas_f16(%a: tensor<8x16xf16>, %b: tensor<16x16xf16>,
                                 %c: tensor<8x16xf32>) -> tensor<8x16xf32>
      attributes {lh.kernel = "dpas-f16",
                  dlti.map = #dlti.map<"rows" = 8, "columns" = 16, "sum" = 16>} {
    %zero = arith.constant 0.0 : f16
    %c0 = arith.constant 0 : index
    %lane = gpu.thread_id x
    %a_0 = tensor.extract_slice %a[0, 0] [1, 16] [1, 1]
        : tensor<8x16xf16> to tensor<1x16xf16>
    %v0 = vector.transfer_read %a_0[%c0, %lane], %zero {in_bounds = [true]}
        : tensor<1x16xf16>, vector<1xf16>
    %s0 = vector.extract %v0[0] : f16 from vector<1xf16>
    %a_1 = tensor.extract_slice %a[1, 0] [1, 16] [1, 1]
        : tensor<8x16xf16> to tensor<1x16xf16>
    %v1 = vector.transfer_read %a_1[%c0, %lane], %zero {in_bounds = [true]}
        : tensor<1x16xf16>, vector<1xf16>
    %s1 = vector.extract %v1[0] : f16 from vector<1xf16>
    %a_2 = tensor.extract_slice %a[2, 0] [1, 16] [1, 1]
        : tensor<8x16xf16> to tensor<1x16xf16>
    %v2 = vector.transfer_read %a_2[%c0, %lane], %zero {in_bounds = [true]}
        : tensor<1x16xf16>, vector<1xf16>
    %s2 = vector.extract %v2[0] : f16 from vector<1xf16>
    %a_3 = tensor.extract_slice %a[3, 0] [1, 16] [1, 1]
        : tensor<8x16xf16> to tensor<1x16xf16>
    %v3 = vector.transfer_read %a_3[%c0, %lane], %zero {in_bounds = [true]}
        : tensor<1x16xf16>, vector<1xf16>
    %s3 = vector.extract %v3[0] : f16 from vector<1xf16>
    %a_4 = tensor.extract_slice %a[4, 0] [1, 16] [1, 1]
        : tensor<8x16xf16> to tensor<1x16xf16>
    %v4 = vector.transfer_read %a_4[%c0, %lane], %zero {in_bounds = [true]}
        : tensor<1x16xf16>, vector<1xf16>
    %s4 = vector.extract %v4[0] : f16 from vector<1xf16>
    %a_5 = tensor.extract_slice %a[5, 0] [1, 16] [1, 1]
        : tensor<8x16xf16> to tensor<1x16xf16>
    %v5 = vector.transfer_read %a_5[%c0, %lane], %zero {in_bounds = [true]}
        : tensor<1x16xf16>, vector<1xf16>
    %s5 = vector.extract %v5[0] : f16 from vector<1xf16>
    %a_6 = tensor.extract_slice %a[6, 0] [1, 16] [1, 1]
        : tensor<8x16xf16> to tensor<1x16xf16>
    %v6 = vector.transfer_read %a_6[%c0, %lane], %zero {in_bounds = [true]}
        : tensor<1x16xf16>, vector<1xf16>
    %s6 = vector.extract %v6[0] : f16 from vector<1xf16>
    %a_7 = tensor.extract_slice %a[7, 0] [1, 16] [1, 1]
        : tensor<8x16xf16> to tensor<1x16xf16>
    %v7 = vector.transfer_read %a_7[%c0, %lane], %zero {in_bounds = [true]}
        : tensor<1x16xf16>, vector<1xf16>
    %s7 = vector.extract %v7[0] : f16 from vector<1xf16>
    %column = vector.from_elements %s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7
        : vector<8xf16>
    %av = vector.bitcast %column : vector<8xf16> to vector<8xi16>
    %numbers = vector.transfer_read %b[%lane, %c0], %zero {in_bounds = [true]}
        : tensor<16x16xf16>, vector<16xf16>
    %bv = vector.bitcast %numbers : vector<16xf16> to vector<8xi32>
    %cv = func.call @lh_dpas_sums_f32(%c) : (tensor<8x16xf32>) -> vector<8xf32>
    %d = xevm.mma %av, %bv, %cv {shape = <m = 8, n = 16, k = 16>,
        types = <d = f32, a = f16, b = f16, c = f32>}
        : (vector<8xi16>, vector<8xi32>, vector<8xf32>) -> vector<8xf32>
    %new = func.call @lh_dpas_store_f32(%d, %c)
        : (vector<8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    return %new : tensor<8x16xf32>
  }

  func.func private @lh_dpas_bf16(%a: tensor<8x16xbf16>, %b: tensor<16x16xbf16>,
                                 %c: tensor<8x16xf32>) -> tensor<8x16xf32>
      attributes {lh.kernel = "dpas-bf16",
                  dlti.map = #dlti.map<"rows" = 8, "columns" = 16, "sum" = 16>} {
    %zero = arith.constant 0.0 : bf16
    %c0 = arith.constant 0 : index
    %lane = gpu.thread_id x
    %a_0 = tensor.extract_slice %a[0, 0] [1, 16] [1, 1]
        : tensor<8x16xbf16> to tensor<1x16xbf16>
    %v0 = vector.transfer_read %a_0[%c0, %lane], %zero {in_bounds = [true]}
        : tensor<1x16xbf16>, vector<1xbf16>
    %s0 = vector.extract %v0[0] : bf16 from vector<1xbf16>
    %a_1 = tensor.extract_slice %a[1, 0] [1, 16] [1, 1]
        : tensor<8x16xbf16> to tensor<1x16xbf16>
    %v1 = vector.transfer_read %a_1[%c0, %lane], %zero {in_bounds = [true]}
        : tensor<1x16xbf16>, vector<1xbf16>
    %s1 = vector.extract %v1[0] : bf16 from vector<1xbf16>
    %a_2 = tensor.extract_slice %a[2, 0] [1, 16] [1, 1]
        : tensor<8x16xbf16> to tensor<1x16xbf16>
    %v2 = vector.transfer_read %a_2[%c0, %lane], %zero {in_bounds = [true]}
        : tensor<1x16xbf16>, vector<1xbf16>
    %s2 = vector.extract %v2[0] : bf16 from vector<1xbf16>
    %a_3 = tensor.extract_slice %a[3, 0] [1, 16] [1, 1]
        : tensor<8x16xbf16> to tensor<1x16xbf16>
    %v3 = vector.transfer_read %a_3[%c0, %lane], %zero {in_bounds = [true]}
        : tensor<1x16xbf16>, vector<1xbf16>
    %s3 = vector.extract %v3[0] : bf16 from vector<1xbf16>
    %a_4 = tensor.extract_slice %a[4, 0] [1, 16] [1, 1]
        : tensor<8x16xbf16> to tensor<1x16xbf16>
    %v4 = vector.transfer_read %a_4[%c0, %lane], %zero {in_bounds = [true]}
        : tensor<1x16xbf16>, vector<1xbf16>
    %s4 = vector.extract %v4[0] : bf16 from vector<1xbf16>
    %a_5 = tensor.extract_slice %a[5, 0] [1, 16] [1, 1]
        : tensor<8x16xbf16> to tensor<1x16xbf16>
    %v5 = vector.transfer_read %a_5[%c0, %lane], %zero {in_bounds = [true]}
        : tensor<1x16xbf16>, vector<1xbf16>
    %s5 = vector.extract %v5[0] : bf16 from vector<1xbf16>
    %a_6 = tensor.extract_slice %a[6, 0] [1, 16] [1, 1]
        : tensor<8x16xbf16> to tensor<1x16xbf16>
    %v6 = vector.transfer_read %a_6[%c0, %lane], %zero {in_bounds = [true]}
        : tensor<1x16xbf16>, vector<1xbf16>
    %s6 = vector.extract %v6[0] : bf16 from vector<1xbf16>
    %a_7 = tensor.extract_slice %a[7, 0] [1, 16] [1, 1]
        : tensor<8x16xbf16> to tensor<1x16xbf16>
    %v7 = vector.transfer_read %a_7[%c0, %lane], %zero {in_bounds = [true]}
        : tensor<1x16xbf16>, vector<1xbf16>
    %s7 = vector.extract %v7[0] : bf16 from vector<1xbf16>
    %column = vector.from_elements %s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7
        : vector<8xbf16>
    %av = vector.bitcast %column : vector<8xbf16> to vector<8xi16>
    %numbers = vector.transfer_read %b[%lane, %c0], %zero {in_bounds = [true]}
        : tensor<16x16xbf16>, vector<16xbf16>
    %bv = vector.bitcast %numbers : vector<16xbf16> to vector<8xi32>
    %cv = func.call @lh_dpas_sums_f32(%c) : (tensor<8x16xf32>) -> vector<8xf32>
    %d = xevm.mma %av, %bv, %cv {shape = <m = 8, n = 16, k = 16>,
        types = <d = f32, a = bf16, b = bf16, c = f32>}
        : (vector<8xi16>, vector<8xi32>, vector<8xf32>) -> vector<8xf32>
    %new = func.call @lh_dpas_store_f32(%d, %c)
        : (vector<8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    return %new : tensor<8x16xf32>
  }

  func.func private @lh_dpas_s8(%a: tensor<8x32xi8>, %b: tensor<16x32xi8>,
                                %c: tensor<8x16xi32>) -> tensor<8x16xi32>
      attributes {lh.kernel = "dpas-s8",
                  dlti.map = #dlti.map<"rows" = 8, "columns" = 16, "sum" = 32>} {
    %zero = arith.constant 0 : i8
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %lane = gpu.thread_id x
    %first = arith.muli %lane, %c2 : index
    %a_0 = tensor.extract_slice %a[0, 0] [1, 32] [1, 1]
        : tensor<8x32xi8> to tensor<1x32xi8>
    %v0 = vector.transfer_read %a_0[%c0, %first], %zero {in_bounds = [true]}
        : tensor<1x32xi8>, vector<2xi8>
    %w0 = vector.bitcast %v0 : vector<2xi8> to vector<1xi16>
    %s0 = vector.extract %w0[0] : i16 from vector<1xi16>
    %a_1 = tensor.extract_slice %a[1, 0] [1, 32] [1, 1]
        : tensor<8x32xi8> to tensor<1x32xi8>
    %v1 = vector.transfer_read %a_1[%c0, %first], %zero {in_bounds = [true]}
        : tensor<1x32xi8>, vector<2xi8>
    %w1 = vector.bitcast %v1 : vector<2xi8> to vector<1xi16>
    %s1 = vector.extract %w1[0] : i16 from vector<1xi16>
    %a_2 = tensor.extract_slice %a[2, 0] [1, 32] [1, 1]
        : tensor<8x32xi8> to tensor<1x32xi8>
    %v2 = vector.transfer_read %a_2[%c0, %first], %zero {in_bounds = [true]}
        : tensor<1x32xi8>, vector<2xi8>
    %w2 = vector.bitcast %v2 : vector<2xi8> to vector<1xi16>
    %s2 = vector.extract %w2[0] : i16 from vector<1xi16>
    %a_3 = tensor.extract_slice %a[3, 0] [1, 32] [1, 1]
        : tensor<8x32xi8> to tensor<1x32xi8>
    %v3 = vector.transfer_read %a_3[%c0, %first], %zero {in_bounds = [true]}
        : tensor<1x32xi8>, vector<2xi8>
    %w3 = vector.bitcast %v3 : vector<2xi8> to vector<1xi16>
    %s3 = vector.extract %w3[0] : i16 from vector<1xi16>
    %a_4 = tensor.extract_slice %a[4, 0] [1, 32] [1, 1]
        : tensor<8x32xi8> to tensor<1x32xi8>
    %v4 = vector.transfer_read %a_4[%c0, %first], %zero {in_bounds = [true]}
        : tensor<1x32xi8>, vector<2xi8>
    %w4 = vector.bitcast %v4 : vector<2xi8> to vector<1xi16>
    %s4 = vector.extract %w4[0] : i16 from vector<1xi16>
    %a_5 = tensor.extract_slice %a[5, 0] [1, 32] [1, 1]
        : tensor<8x32xi8> to tensor<1x32xi8>
    %v5 = vector.transfer_read %a_5[%c0, %first], %zero {in_bounds = [true]}
        : tensor<1x32xi8>, vector<2xi8>
    %w5 = vector.bitcast %v5 : vector<2xi8> to vector<1xi16>
    %s5 = vector.extract %w5[0] : i16 from vector<1xi16>
    %a_6 = tensor.extract_slice %a[6, 0] [1, 32] [1, 1]
        : tensor<8x32xi8> to tensor<1x32xi8>
    %v6 = vector.transfer_read %a_6[%c0, %first], %zero {in_bounds = [true]}
        : tensor<1x32xi8>, vector<2xi8>
    %w6 = vector.bitcast %v6 : vector<2xi8> to vector<1xi16>
    %s6 = vector.extract %w6[0] : i16 from vector<1xi16>
    %a_7 = tensor.extract_slice %a[7, 0] [1, 32] [1, 1]
        : tensor<8x32xi8> to tensor<1x32xi8>
    %v7 = vector.transfer_read %a_7[%c0, %first], %zero {in_bounds = [true]}
        : tensor<1x32xi8>, vector<2xi8>
    %w7 = vector.bitcast %v7 : vector<2xi8> to vector<1xi16>
    %s7 = vector.extract %w7[0] : i16 from vector<1xi16>
    %av = vector.from_elements %s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7
        : vector<8xi16>
    %numbers = vector.transfer_read %b[%lane, %c0], %zero {in_bounds = [true]}
        : tensor<16x32xi8>, vector<32xi8>
    %bv = vector.bitcast %numbers : vector<32xi8> to vector<8xi32>
    %cv = func.call @lh_dpas_sums_i32(%c) : (tensor<8x16xi32>) -> vector<8xi32>
    %d = xevm.mma %av, %bv, %cv {shape = <m = 8, n = 16, k = 32>,
        types = <d = s32, a = s8, b = s8, c = s32>}
        : (vector<8xi16>, vector<8xi32>, vector<8xi32>) -> vector<8xi32>
    %new = func.call @lh_dpas_store_i32(%d, %c)
        : (vector<8xi32>, tensor<8x16xi32>) -> tensor<8x16xi32>
    return %new : tensor<8x16xi32>
  }

  // A lane's eight sums: its column.
  func.func private @lh_dpas_sums_f32(%c: tensor<8x16xf32>) -> vector<8xf32> {
    %none = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %lane = gpu.thread_id x
    %c_0 = tensor.extract_slice %c[0, 0] [1, 16] [1, 1]
        : tensor<8x16xf32> to tensor<1x16xf32>
    %v0 = vector.transfer_read %c_0[%c0, %lane], %none {in_bounds = [true]}
        : tensor<1x16xf32>, vector<1xf32>
    %s0 = vector.extract %v0[0] : f32 from vector<1xf32>
    %c_1 = tensor.extract_slice %c[1, 0] [1, 16] [1, 1]
        : tensor<8x16xf32> to tensor<1x16xf32>
    %v1 = vector.transfer_read %c_1[%c0, %lane], %none {in_bounds = [true]}
        : tensor<1x16xf32>, vector<1xf32>
    %s1 = vector.extract %v1[0] : f32 from vector<1xf32>
    %c_2 = tensor.extract_slice %c[2, 0] [1, 16] [1, 1]
        : tensor<8x16xf32> to tensor<1x16xf32>
    %v2 = vector.transfer_read %c_2[%c0, %lane], %none {in_bounds = [true]}
        : tensor<1x16xf32>, vector<1xf32>
    %s2 = vector.extract %v2[0] : f32 from vector<1xf32>
    %c_3 = tensor.extract_slice %c[3, 0] [1, 16] [1, 1]
        : tensor<8x16xf32> to tensor<1x16xf32>
    %v3 = vector.transfer_read %c_3[%c0, %lane], %none {in_bounds = [true]}
        : tensor<1x16xf32>, vector<1xf32>
    %s3 = vector.extract %v3[0] : f32 from vector<1xf32>
    %c_4 = tensor.extract_slice %c[4, 0] [1, 16] [1, 1]
        : tensor<8x16xf32> to tensor<1x16xf32>
    %v4 = vector.transfer_read %c_4[%c0, %lane], %none {in_bounds = [true]}
        : tensor<1x16xf32>, vector<1xf32>
    %s4 = vector.extract %v4[0] : f32 from vector<1xf32>
    %c_5 = tensor.extract_slice %c[5, 0] [1, 16] [1, 1]
        : tensor<8x16xf32> to tensor<1x16xf32>
    %v5 = vector.transfer_read %c_5[%c0, %lane], %none {in_bounds = [true]}
        : tensor<1x16xf32>, vector<1xf32>
    %s5 = vector.extract %v5[0] : f32 from vector<1xf32>
    %c_6 = tensor.extract_slice %c[6, 0] [1, 16] [1, 1]
        : tensor<8x16xf32> to tensor<1x16xf32>
    %v6 = vector.transfer_read %c_6[%c0, %lane], %none {in_bounds = [true]}
        : tensor<1x16xf32>, vector<1xf32>
    %s6 = vector.extract %v6[0] : f32 from vector<1xf32>
    %c_7 = tensor.extract_slice %c[7, 0] [1, 16] [1, 1]
        : tensor<8x16xf32> to tensor<1x16xf32>
    %v7 = vector.transfer_read %c_7[%c0, %lane], %none {in_bounds = [true]}
        : tensor<1x16xf32>, vector<1xf32>
    %s7 = vector.extract %v7[0] : f32 from vector<1xf32>
    %sums = vector.from_elements %s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7
        : vector<8xf32>
    return %sums : vector<8xf32>
  }

  func.func private @lh_dpas_store_f32(%d: vector<8xf32>, %c: tensor<8x16xf32>)
      -> tensor<8x16xf32> {
    %c0 = arith.constant 0 : index
    %lane = gpu.thread_id x
    %d0 = vector.extract %d[0] : f32 from vector<8xf32>
    %w0 = vector.from_elements %d0 : vector<1xf32>
    %p0 = tensor.extract_slice %c[0, 0] [1, 16] [1, 1]
        : tensor<8x16xf32> to tensor<1x16xf32>
    %n0 = vector.transfer_write %w0, %p0[%c0, %lane] {in_bounds = [true]}
        : vector<1xf32>, tensor<1x16xf32>
    %e0 = tensor.insert_slice %n0 into %c[0, 0] [1, 16] [1, 1]
        : tensor<1x16xf32> into tensor<8x16xf32>
    %d1 = vector.extract %d[1] : f32 from vector<8xf32>
    %w1 = vector.from_elements %d1 : vector<1xf32>
    %p1 = tensor.extract_slice %e0[1, 0] [1, 16] [1, 1]
        : tensor<8x16xf32> to tensor<1x16xf32>
    %n1 = vector.transfer_write %w1, %p1[%c0, %lane] {in_bounds = [true]}
        : vector<1xf32>, tensor<1x16xf32>
    %e1 = tensor.insert_slice %n1 into %e0[1, 0] [1, 16] [1, 1]
        : tensor<1x16xf32> into tensor<8x16xf32>
    %d2 = vector.extract %d[2] : f32 from vector<8xf32>
    %w2 = vector.from_elements %d2 : vector<1xf32>
    %p2 = tensor.extract_slice %e1[2, 0] [1, 16] [1, 1]
        : tensor<8x16xf32> to tensor<1x16xf32>
    %n2 = vector.transfer_write %w2, %p2[%c0, %lane] {in_bounds = [true]}
        : vector<1xf32>, tensor<1x16xf32>
    %e2 = tensor.insert_slice %n2 into %e1[2, 0] [1, 16] [1, 1]
        : tensor<1x16xf32> into tensor<8x16xf32>
    %d3 = vector.extract %d[3] : f32 from vector<8xf32>
    %w3 = vector.from_elements %d3 : vector<1xf32>
    %p3 = tensor.extract_slice %e2[3, 0] [1, 16] [1, 1]
        : tensor<8x16xf32> to tensor<1x16xf32>
    %n3 = vector.transfer_write %w3, %p3[%c0, %lane] {in_bounds = [true]}
        : vector<1xf32>, tensor<1x16xf32>
    %e3 = tensor.insert_slice %n3 into %e2[3, 0] [1, 16] [1, 1]
        : tensor<1x16xf32> into tensor<8x16xf32>
    %d4 = vector.extract %d[4] : f32 from vector<8xf32>
    %w4 = vector.from_elements %d4 : vector<1xf32>
    %p4 = tensor.extract_slice %e3[4, 0] [1, 16] [1, 1]
        : tensor<8x16xf32> to tensor<1x16xf32>
    %n4 = vector.transfer_write %w4, %p4[%c0, %lane] {in_bounds = [true]}
        : vector<1xf32>, tensor<1x16xf32>
    %e4 = tensor.insert_slice %n4 into %e3[4, 0] [1, 16] [1, 1]
        : tensor<1x16xf32> into tensor<8x16xf32>
    %d5 = vector.extract %d[5] : f32 from vector<8xf32>
    %w5 = vector.from_elements %d5 : vector<1xf32>
    %p5 = tensor.extract_slice %e4[5, 0] [1, 16] [1, 1]
        : tensor<8x16xf32> to tensor<1x16xf32>
    %n5 = vector.transfer_write %w5, %p5[%c0, %lane] {in_bounds = [true]}
        : vector<1xf32>, tensor<1x16xf32>
    %e5 = tensor.insert_slice %n5 into %e4[5, 0] [1, 16] [1, 1]
        : tensor<1x16xf32> into tensor<8x16xf32>
    %d6 = vector.extract %d[6] : f32 from vector<8xf32>
    %w6 = vector.from_elements %d6 : vector<1xf32>
    %p6 = tensor.extract_slice %e5[6, 0] [1, 16] [1, 1]
        : tensor<8x16xf32> to tensor<1x16xf32>
    %n6 = vector.transfer_write %w6, %p6[%c0, %lane] {in_bounds = [true]}
        : vector<1xf32>, tensor<1x16xf32>
    %e6 = tensor.insert_slice %n6 into %e5[6, 0] [1, 16] [1, 1]
        : tensor<1x16xf32> into tensor<8x16xf32>
    %d7 = vector.extract %d[7] : f32 from vector<8xf32>
    %w7 = vector.from_elements %d7 : vector<1xf32>
    %p7 = tensor.extract_slice %e6[7, 0] [1, 16] [1, 1]
        : tensor<8x16xf32> to tensor<1x16xf32>
    %n7 = vector.transfer_write %w7, %p7[%c0, %lane] {in_bounds = [true]}
        : vector<1xf32>, tensor<1x16xf32>
    %e7 = tensor.insert_slice %n7 into %e6[7, 0] [1, 16] [1, 1]
        : tensor<1x16xf32> into tensor<8x16xf32>
    return %e7 : tensor<8x16xf32>
  }

  func.func private @lh_dpas_sums_i32(%c: tensor<8x16xi32>) -> vector<8xi32> {
    %none = arith.constant 0 : i32
    %c0 = arith.constant 0 : index
    %lane = gpu.thread_id x
    %c_0 = tensor.extract_slice %c[0, 0] [1, 16] [1, 1]
        : tensor<8x16xi32> to tensor<1x16xi32>
    %v0 = vector.transfer_read %c_0[%c0, %lane], %none {in_bounds = [true]}
        : tensor<1x16xi32>, vector<1xi32>
    %s0 = vector.extract %v0[0] : i32 from vector<1xi32>
    %c_1 = tensor.extract_slice %c[1, 0] [1, 16] [1, 1]
        : tensor<8x16xi32> to tensor<1x16xi32>
    %v1 = vector.transfer_read %c_1[%c0, %lane], %none {in_bounds = [true]}
        : tensor<1x16xi32>, vector<1xi32>
    %s1 = vector.extract %v1[0] : i32 from vector<1xi32>
    %c_2 = tensor.extract_slice %c[2, 0] [1, 16] [1, 1]
        : tensor<8x16xi32> to tensor<1x16xi32>
    %v2 = vector.transfer_read %c_2[%c0, %lane], %none {in_bounds = [true]}
        : tensor<1x16xi32>, vector<1xi32>
    %s2 = vector.extract %v2[0] : i32 from vector<1xi32>
    %c_3 = tensor.extract_slice %c[3, 0] [1, 16] [1, 1]
        : tensor<8x16xi32> to tensor<1x16xi32>
    %v3 = vector.transfer_read %c_3[%c0, %lane], %none {in_bounds = [true]}
        : tensor<1x16xi32>, vector<1xi32>
    %s3 = vector.extract %v3[0] : i32 from vector<1xi32>
    %c_4 = tensor.extract_slice %c[4, 0] [1, 16] [1, 1]
        : tensor<8x16xi32> to tensor<1x16xi32>
    %v4 = vector.transfer_read %c_4[%c0, %lane], %none {in_bounds = [true]}
        : tensor<1x16xi32>, vector<1xi32>
    %s4 = vector.extract %v4[0] : i32 from vector<1xi32>
    %c_5 = tensor.extract_slice %c[5, 0] [1, 16] [1, 1]
        : tensor<8x16xi32> to tensor<1x16xi32>
    %v5 = vector.transfer_read %c_5[%c0, %lane], %none {in_bounds = [true]}
        : tensor<1x16xi32>, vector<1xi32>
    %s5 = vector.extract %v5[0] : i32 from vector<1xi32>
    %c_6 = tensor.extract_slice %c[6, 0] [1, 16] [1, 1]
        : tensor<8x16xi32> to tensor<1x16xi32>
    %v6 = vector.transfer_read %c_6[%c0, %lane], %none {in_bounds = [true]}
        : tensor<1x16xi32>, vector<1xi32>
    %s6 = vector.extract %v6[0] : i32 from vector<1xi32>
    %c_7 = tensor.extract_slice %c[7, 0] [1, 16] [1, 1]
        : tensor<8x16xi32> to tensor<1x16xi32>
    %v7 = vector.transfer_read %c_7[%c0, %lane], %none {in_bounds = [true]}
        : tensor<1x16xi32>, vector<1xi32>
    %s7 = vector.extract %v7[0] : i32 from vector<1xi32>
    %sums = vector.from_elements %s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7
        : vector<8xi32>
    return %sums : vector<8xi32>
  }

  func.func private @lh_dpas_store_i32(%d: vector<8xi32>, %c: tensor<8x16xi32>)
      -> tensor<8x16xi32> {
    %c0 = arith.constant 0 : index
    %lane = gpu.thread_id x
    %d0 = vector.extract %d[0] : i32 from vector<8xi32>
    %w0 = vector.from_elements %d0 : vector<1xi32>
    %p0 = tensor.extract_slice %c[0, 0] [1, 16] [1, 1]
        : tensor<8x16xi32> to tensor<1x16xi32>
    %n0 = vector.transfer_write %w0, %p0[%c0, %lane] {in_bounds = [true]}
        : vector<1xi32>, tensor<1x16xi32>
    %e0 = tensor.insert_slice %n0 into %c[0, 0] [1, 16] [1, 1]
        : tensor<1x16xi32> into tensor<8x16xi32>
    %d1 = vector.extract %d[1] : i32 from vector<8xi32>
    %w1 = vector.from_elements %d1 : vector<1xi32>
    %p1 = tensor.extract_slice %e0[1, 0] [1, 16] [1, 1]
        : tensor<8x16xi32> to tensor<1x16xi32>
    %n1 = vector.transfer_write %w1, %p1[%c0, %lane] {in_bounds = [true]}
        : vector<1xi32>, tensor<1x16xi32>
    %e1 = tensor.insert_slice %n1 into %e0[1, 0] [1, 16] [1, 1]
        : tensor<1x16xi32> into tensor<8x16xi32>
    %d2 = vector.extract %d[2] : i32 from vector<8xi32>
    %w2 = vector.from_elements %d2 : vector<1xi32>
    %p2 = tensor.extract_slice %e1[2, 0] [1, 16] [1, 1]
        : tensor<8x16xi32> to tensor<1x16xi32>
    %n2 = vector.transfer_write %w2, %p2[%c0, %lane] {in_bounds = [true]}
        : vector<1xi32>, tensor<1x16xi32>
    %e2 = tensor.insert_slice %n2 into %e1[2, 0] [1, 16] [1, 1]
        : tensor<1x16xi32> into tensor<8x16xi32>
    %d3 = vector.extract %d[3] : i32 from vector<8xi32>
    %w3 = vector.from_elements %d3 : vector<1xi32>
    %p3 = tensor.extract_slice %e2[3, 0] [1, 16] [1, 1]
        : tensor<8x16xi32> to tensor<1x16xi32>
    %n3 = vector.transfer_write %w3, %p3[%c0, %lane] {in_bounds = [true]}
        : vector<1xi32>, tensor<1x16xi32>
    %e3 = tensor.insert_slice %n3 into %e2[3, 0] [1, 16] [1, 1]
        : tensor<1x16xi32> into tensor<8x16xi32>
    %d4 = vector.extract %d[4] : i32 from vector<8xi32>
    %w4 = vector.from_elements %d4 : vector<1xi32>
    %p4 = tensor.extract_slice %e3[4, 0] [1, 16] [1, 1]
        : tensor<8x16xi32> to tensor<1x16xi32>
    %n4 = vector.transfer_write %w4, %p4[%c0, %lane] {in_bounds = [true]}
        : vector<1xi32>, tensor<1x16xi32>
    %e4 = tensor.insert_slice %n4 into %e3[4, 0] [1, 16] [1, 1]
        : tensor<1x16xi32> into tensor<8x16xi32>
    %d5 = vector.extract %d[5] : i32 from vector<8xi32>
    %w5 = vector.from_elements %d5 : vector<1xi32>
    %p5 = tensor.extract_slice %e4[5, 0] [1, 16] [1, 1]
        : tensor<8x16xi32> to tensor<1x16xi32>
    %n5 = vector.transfer_write %w5, %p5[%c0, %lane] {in_bounds = [true]}
        : vector<1xi32>, tensor<1x16xi32>
    %e5 = tensor.insert_slice %n5 into %e4[5, 0] [1, 16] [1, 1]
        : tensor<1x16xi32> into tensor<8x16xi32>
    %d6 = vector.extract %d[6] : i32 from vector<8xi32>
    %w6 = vector.from_elements %d6 : vector<1xi32>
    %p6 = tensor.extract_slice %e5[6, 0] [1, 16] [1, 1]
        : tensor<8x16xi32> to tensor<1x16xi32>
    %n6 = vector.transfer_write %w6, %p6[%c0, %lane] {in_bounds = [true]}
        : vector<1xi32>, tensor<1x16xi32>
    %e6 = tensor.insert_slice %n6 into %e5[6, 0] [1, 16] [1, 1]
        : tensor<1x16xi32> into tensor<8x16xi32>
    %d7 = vector.extract %d[7] : i32 from vector<8xi32>
    %w7 = vector.from_elements %d7 : vector<1xi32>
    %p7 = tensor.extract_slice %e6[7, 0] [1, 16] [1, 1]
        : tensor<8x16xi32> to tensor<1x16xi32>
    %n7 = vector.transfer_write %w7, %p7[%c0, %lane] {in_bounds = [true]}
        : vector<1xi32>, tensor<1x16xi32>
    %e7 = tensor.insert_slice %n7 into %e6[7, 0] [1, 16] [1, 1]
        : tensor<1x16xi32> into tensor<8x16xi32>
    return %e7 : tensor<8x16xi32>
  }
}
