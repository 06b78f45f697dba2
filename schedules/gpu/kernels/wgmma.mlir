// A whole product on Hopper: blocks of one warp group, each with 128 x 128 of the
// result. One thread has the tensor memory accelerator bring tiles of 128 x 64
// and 64 x 128, up to three of them ahead, into four stages of workgroup memory;
// an mbarrier for each says when its bytes have come. B comes in two halves of 64
// columns, as wide as the accelerator swizzles (128 bytes), the way wgmma reads
// it. Sizes are multiples of the tiles: lh-lay-out-products pads for it. All of the
// result is written, to memory of the kernel's own: products of one size start from
// the same zeros, and a buffer of those would be one for all of them.
!ready = !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>, num_barriers = 4>
!map_f16_a = !nvgpu.tensormap.descriptor<tensor = memref<128x64xf16, 3>, swizzle = swizzle_128b, l2promo = none, oob = zero, interleave = none>
!map_f16_b = !nvgpu.tensormap.descriptor<tensor = memref<64x64xf16, 3>, swizzle = swizzle_128b, l2promo = none, oob = zero, interleave = none>
!map_bf16_a = !nvgpu.tensormap.descriptor<tensor = memref<128x64xbf16, 3>, swizzle = swizzle_128b, l2promo = none, oob = zero, interleave = none>
!map_bf16_b = !nvgpu.tensormap.descriptor<tensor = memref<64x64xbf16, 3>, swizzle = swizzle_128b, l2promo = none, oob = zero, interleave = none>
module {
  func.func private @lh_wgmma_f16(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>,
                                  %c: tensor<?x?xf32>) -> tensor<?x?xf32>
      attributes {lh.kernel = "wgmma-f16"} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %bytes = arith.constant 132096 : i32
    %A = bufferization.to_buffer %a read_only : tensor<?x?xf16> to memref<?x?xf16>
    %B = bufferization.to_buffer %b read_only : tensor<?x?xf16> to memref<?x?xf16>
    %m = memref.dim %A, %c0 : memref<?x?xf16>
    %k = memref.dim %A, %c1 : memref<?x?xf16>
    %n = memref.dim %B, %c1 : memref<?x?xf16>
    %C = memref.alloc(%m, %n) : memref<?x?xf32>
    %rows = arith.divui %m, %c128 : index
    %columns = arith.divui %n, %c128 : index
    %tiles = arith.divui %k, %c64 : index
    %any_a = memref.cast %A : memref<?x?xf16> to memref<*xf16>
    %any_b = memref.cast %B : memref<?x?xf16> to memref<*xf16>
    %map_a = nvgpu.tma.create.descriptor %any_a box[%c128, %c64] : memref<*xf16> -> !map_f16_a
    %map_b = nvgpu.tma.create.descriptor %any_b box[%c64, %c64] : memref<*xf16> -> !map_f16_b
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %columns, %gy = %rows, %gz = %c1)
        threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1)
        dynamic_shared_memory_size %bytes {
      %k0 = arith.constant 0 : index
      %k1 = arith.constant 1 : index
      %k2 = arith.constant 2 : index
      %ahead = arith.constant 3 : index
      %stages = arith.constant 4 : index
      %k64 = arith.constant 64 : index
      %k128 = arith.constant 128 : index
      %stage_bytes = arith.constant 32768 : index
      %right_at = arith.constant 16384 : index
      %far_at = arith.constant 24576 : index
      %ticks = arith.constant 10000000 : index
      %memory = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
      // The swizzle's pattern repeats every 1024 bytes of address; barriers that
      // are declared lie before what is asked for.
      %k1024 = arith.constant 1024 : index
      %base = memref.extract_aligned_pointer_as_index %memory
          : memref<?xi8, #gpu.address_space<workgroup>> -> index
      %over = arith.remui %base, %k1024 : index
      %under = arith.subi %k1024, %over : index
      %start = arith.remui %under, %k1024 : index
      %ready = nvgpu.mbarrier.create -> !ready
      %first = arith.cmpi eq, %tx, %k0 : index
      scf.for %i = %k0 to %stages step %k1 {
        nvgpu.mbarrier.init %ready[%i], %k1, predicate = %first : !ready
      }
      gpu.barrier
      %row = arith.muli %by, %k128 : index
      %column = arith.muli %bx, %k128 : index
      %far = arith.addi %column, %k64 : index
      %early = arith.minui %ahead, %tiles : index
      scf.for %i = %k0 to %early step %k1 {
        %whole = arith.muli %i, %stage_bytes : index
        %at = arith.addi %start, %whole : index
        %b_at = arith.addi %at, %right_at : index
        %f_at = arith.addi %at, %far_at : index
        %left = memref.view %memory[%at][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<128x64xf16, #gpu.address_space<workgroup>>
        %near_b = memref.view %memory[%b_at][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<64x64xf16, #gpu.address_space<workgroup>>
        %far_b = memref.view %memory[%f_at][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<64x64xf16, #gpu.address_space<workgroup>>
        %sum = arith.muli %i, %k64 : index
        nvgpu.mbarrier.arrive.expect_tx %ready[%i], %stage_bytes, predicate = %first : !ready
        nvgpu.tma.async.load %map_a[%sum, %row], %ready[%i] to %left, predicate = %first : !map_f16_a, !ready -> memref<128x64xf16, #gpu.address_space<workgroup>>
        nvgpu.tma.async.load %map_b[%column, %sum], %ready[%i] to %near_b, predicate = %first : !map_f16_b, !ready -> memref<64x64xf16, #gpu.address_space<workgroup>>
        nvgpu.tma.async.load %map_b[%far, %sum], %ready[%i] to %far_b, predicate = %first : !map_f16_b, !ready -> memref<64x64xf16, #gpu.address_space<workgroup>>
      }
      %zeros = nvgpu.warpgroup.mma.init.accumulator -> <fragmented = vector<128x128xf32>>
      %sums = scf.for %i = %k0 to %tiles step %k1 iter_args(%old = %zeros) -> (!nvgpu.warpgroup.accumulator<fragmented = vector<128x128xf32>>) {
        // Each barrier's phase flips whenever its stage has been filled.
        %stage = arith.remui %i, %stages : index
        %round = arith.divui %i, %stages : index
        %odd = arith.remui %round, %k2 : index
        %phase = arith.cmpi eq, %odd, %k1 : index
        nvgpu.mbarrier.try_wait.parity %ready[%stage], %phase, %ticks : !ready
        %whole = arith.muli %stage, %stage_bytes : index
        %at = arith.addi %start, %whole : index
        %b_at = arith.addi %at, %right_at : index
        %left = memref.view %memory[%at][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<128x64xf16, #gpu.address_space<workgroup>>
        %right = memref.view %memory[%b_at][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<64x128xf16, #gpu.address_space<workgroup>>
        %dl = nvgpu.warpgroup.generate.descriptor %left, %map_a : memref<128x64xf16, #gpu.address_space<workgroup>>, !map_f16_a -> !nvgpu.warpgroup.descriptor<tensor = memref<128x64xf16, #gpu.address_space<workgroup>>>
        %dr = nvgpu.warpgroup.generate.descriptor %right, %map_b : memref<64x128xf16, #gpu.address_space<workgroup>>, !map_f16_b -> !nvgpu.warpgroup.descriptor<tensor = memref<64x128xf16, #gpu.address_space<workgroup>>>
        %new = nvgpu.warpgroup.mma %dl, %dr, %old {transposeB, waitGroup = 0 : i64} : <tensor = memref<128x64xf16, #gpu.address_space<workgroup>>>, <tensor = memref<64x128xf16, #gpu.address_space<workgroup>>>, <fragmented = vector<128x128xf32>> -> <fragmented = vector<128x128xf32>>
        // All warps are done with the stage before it is filled again, which the
        // next iteration asks for.
        gpu.barrier
        %next = arith.addi %i, %ahead : index
        %more = arith.cmpi ult, %next, %tiles : index
        scf.if %more {
          %to = arith.remui %next, %stages : index
          %to_whole = arith.muli %to, %stage_bytes : index
          %to_at = arith.addi %start, %to_whole : index
          %to_b = arith.addi %to_at, %right_at : index
          %to_f = arith.addi %to_at, %far_at : index
          %next_left = memref.view %memory[%to_at][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<128x64xf16, #gpu.address_space<workgroup>>
          %next_near = memref.view %memory[%to_b][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<64x64xf16, #gpu.address_space<workgroup>>
          %next_far = memref.view %memory[%to_f][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<64x64xf16, #gpu.address_space<workgroup>>
          %sum = arith.muli %next, %k64 : index
          nvgpu.mbarrier.arrive.expect_tx %ready[%to], %stage_bytes, predicate = %first : !ready
          nvgpu.tma.async.load %map_a[%sum, %row], %ready[%to] to %next_left, predicate = %first : !map_f16_a, !ready -> memref<128x64xf16, #gpu.address_space<workgroup>>
          nvgpu.tma.async.load %map_b[%column, %sum], %ready[%to] to %next_near, predicate = %first : !map_f16_b, !ready -> memref<64x64xf16, #gpu.address_space<workgroup>>
          nvgpu.tma.async.load %map_b[%far, %sum], %ready[%to] to %next_far, predicate = %first : !map_f16_b, !ready -> memref<64x64xf16, #gpu.address_space<workgroup>>
        }
        scf.yield %new : !nvgpu.warpgroup.accumulator<fragmented = vector<128x128xf32>>
      }
      // The stages are free: the result goes through them, so that rows are
      // written whole.
      %tile = memref.view %memory[%start][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<128x128xf32, #gpu.address_space<workgroup>>
      nvgpu.warpgroup.mma.store %sums, %tile : <fragmented = vector<128x128xf32>> to memref<128x128xf32, #gpu.address_space<workgroup>>
      gpu.barrier
      scf.for %i = %k0 to %k128 step %k1 {
        %value = memref.load %tile[%i, %tx] : memref<128x128xf32, #gpu.address_space<workgroup>>
        %at_row = arith.addi %row, %i : index
        %at_column = arith.addi %column, %tx : index
        memref.store %value, %C[%at_row, %at_column] : memref<?x?xf32>
      }
      gpu.terminator
    } {lh.product_launch}
    %result = bufferization.to_tensor %C restrict writable : memref<?x?xf32> to tensor<?x?xf32>
    return %result : tensor<?x?xf32>
  }

  func.func private @lh_wgmma_bf16(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>,
                                  %c: tensor<?x?xf32>) -> tensor<?x?xf32>
      attributes {lh.kernel = "wgmma-bf16"} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %bytes = arith.constant 132096 : i32
    %A = bufferization.to_buffer %a read_only : tensor<?x?xbf16> to memref<?x?xbf16>
    %B = bufferization.to_buffer %b read_only : tensor<?x?xbf16> to memref<?x?xbf16>
    %m = memref.dim %A, %c0 : memref<?x?xbf16>
    %k = memref.dim %A, %c1 : memref<?x?xbf16>
    %n = memref.dim %B, %c1 : memref<?x?xbf16>
    %C = memref.alloc(%m, %n) : memref<?x?xf32>
    %rows = arith.divui %m, %c128 : index
    %columns = arith.divui %n, %c128 : index
    %tiles = arith.divui %k, %c64 : index
    %any_a = memref.cast %A : memref<?x?xbf16> to memref<*xbf16>
    %any_b = memref.cast %B : memref<?x?xbf16> to memref<*xbf16>
    %map_a = nvgpu.tma.create.descriptor %any_a box[%c128, %c64] : memref<*xbf16> -> !map_bf16_a
    %map_b = nvgpu.tma.create.descriptor %any_b box[%c64, %c64] : memref<*xbf16> -> !map_bf16_b
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %columns, %gy = %rows, %gz = %c1)
        threads(%tx, %ty, %tz) in (%nx = %c128, %ny = %c1, %nz = %c1)
        dynamic_shared_memory_size %bytes {
      %k0 = arith.constant 0 : index
      %k1 = arith.constant 1 : index
      %k2 = arith.constant 2 : index
      %ahead = arith.constant 3 : index
      %stages = arith.constant 4 : index
      %k64 = arith.constant 64 : index
      %k128 = arith.constant 128 : index
      %stage_bytes = arith.constant 32768 : index
      %right_at = arith.constant 16384 : index
      %far_at = arith.constant 24576 : index
      %ticks = arith.constant 10000000 : index
      %memory = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
      // The swizzle's pattern repeats every 1024 bytes of address; barriers that
      // are declared lie before what is asked for.
      %k1024 = arith.constant 1024 : index
      %base = memref.extract_aligned_pointer_as_index %memory
          : memref<?xi8, #gpu.address_space<workgroup>> -> index
      %over = arith.remui %base, %k1024 : index
      %under = arith.subi %k1024, %over : index
      %start = arith.remui %under, %k1024 : index
      %ready = nvgpu.mbarrier.create -> !ready
      %first = arith.cmpi eq, %tx, %k0 : index
      scf.for %i = %k0 to %stages step %k1 {
        nvgpu.mbarrier.init %ready[%i], %k1, predicate = %first : !ready
      }
      gpu.barrier
      %row = arith.muli %by, %k128 : index
      %column = arith.muli %bx, %k128 : index
      %far = arith.addi %column, %k64 : index
      %early = arith.minui %ahead, %tiles : index
      scf.for %i = %k0 to %early step %k1 {
        %whole = arith.muli %i, %stage_bytes : index
        %at = arith.addi %start, %whole : index
        %b_at = arith.addi %at, %right_at : index
        %f_at = arith.addi %at, %far_at : index
        %left = memref.view %memory[%at][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<128x64xbf16, #gpu.address_space<workgroup>>
        %near_b = memref.view %memory[%b_at][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<64x64xbf16, #gpu.address_space<workgroup>>
        %far_b = memref.view %memory[%f_at][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<64x64xbf16, #gpu.address_space<workgroup>>
        %sum = arith.muli %i, %k64 : index
        nvgpu.mbarrier.arrive.expect_tx %ready[%i], %stage_bytes, predicate = %first : !ready
        nvgpu.tma.async.load %map_a[%sum, %row], %ready[%i] to %left, predicate = %first : !map_bf16_a, !ready -> memref<128x64xbf16, #gpu.address_space<workgroup>>
        nvgpu.tma.async.load %map_b[%column, %sum], %ready[%i] to %near_b, predicate = %first : !map_bf16_b, !ready -> memref<64x64xbf16, #gpu.address_space<workgroup>>
        nvgpu.tma.async.load %map_b[%far, %sum], %ready[%i] to %far_b, predicate = %first : !map_bf16_b, !ready -> memref<64x64xbf16, #gpu.address_space<workgroup>>
      }
      %zeros = nvgpu.warpgroup.mma.init.accumulator -> <fragmented = vector<128x128xf32>>
      %sums = scf.for %i = %k0 to %tiles step %k1 iter_args(%old = %zeros) -> (!nvgpu.warpgroup.accumulator<fragmented = vector<128x128xf32>>) {
        // Each barrier's phase flips whenever its stage has been filled.
        %stage = arith.remui %i, %stages : index
        %round = arith.divui %i, %stages : index
        %odd = arith.remui %round, %k2 : index
        %phase = arith.cmpi eq, %odd, %k1 : index
        nvgpu.mbarrier.try_wait.parity %ready[%stage], %phase, %ticks : !ready
        %whole = arith.muli %stage, %stage_bytes : index
        %at = arith.addi %start, %whole : index
        %b_at = arith.addi %at, %right_at : index
        %left = memref.view %memory[%at][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<128x64xbf16, #gpu.address_space<workgroup>>
        %right = memref.view %memory[%b_at][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<64x128xbf16, #gpu.address_space<workgroup>>
        %dl = nvgpu.warpgroup.generate.descriptor %left, %map_a : memref<128x64xbf16, #gpu.address_space<workgroup>>, !map_bf16_a -> !nvgpu.warpgroup.descriptor<tensor = memref<128x64xbf16, #gpu.address_space<workgroup>>>
        %dr = nvgpu.warpgroup.generate.descriptor %right, %map_b : memref<64x128xbf16, #gpu.address_space<workgroup>>, !map_bf16_b -> !nvgpu.warpgroup.descriptor<tensor = memref<64x128xbf16, #gpu.address_space<workgroup>>>
        %new = nvgpu.warpgroup.mma %dl, %dr, %old {transposeB, waitGroup = 0 : i64} : <tensor = memref<128x64xbf16, #gpu.address_space<workgroup>>>, <tensor = memref<64x128xbf16, #gpu.address_space<workgroup>>>, <fragmented = vector<128x128xf32>> -> <fragmented = vector<128x128xf32>>
        // All warps are done with the stage before it is filled again, which the
        // next iteration asks for.
        gpu.barrier
        %next = arith.addi %i, %ahead : index
        %more = arith.cmpi ult, %next, %tiles : index
        scf.if %more {
          %to = arith.remui %next, %stages : index
          %to_whole = arith.muli %to, %stage_bytes : index
          %to_at = arith.addi %start, %to_whole : index
          %to_b = arith.addi %to_at, %right_at : index
          %to_f = arith.addi %to_at, %far_at : index
          %next_left = memref.view %memory[%to_at][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<128x64xbf16, #gpu.address_space<workgroup>>
          %next_near = memref.view %memory[%to_b][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<64x64xbf16, #gpu.address_space<workgroup>>
          %next_far = memref.view %memory[%to_f][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<64x64xbf16, #gpu.address_space<workgroup>>
          %sum = arith.muli %next, %k64 : index
          nvgpu.mbarrier.arrive.expect_tx %ready[%to], %stage_bytes, predicate = %first : !ready
          nvgpu.tma.async.load %map_a[%sum, %row], %ready[%to] to %next_left, predicate = %first : !map_bf16_a, !ready -> memref<128x64xbf16, #gpu.address_space<workgroup>>
          nvgpu.tma.async.load %map_b[%column, %sum], %ready[%to] to %next_near, predicate = %first : !map_bf16_b, !ready -> memref<64x64xbf16, #gpu.address_space<workgroup>>
          nvgpu.tma.async.load %map_b[%far, %sum], %ready[%to] to %next_far, predicate = %first : !map_bf16_b, !ready -> memref<64x64xbf16, #gpu.address_space<workgroup>>
        }
        scf.yield %new : !nvgpu.warpgroup.accumulator<fragmented = vector<128x128xf32>>
      }
      // The stages are free: the result goes through them, so that rows are
      // written whole.
      %tile = memref.view %memory[%start][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<128x128xf32, #gpu.address_space<workgroup>>
      nvgpu.warpgroup.mma.store %sums, %tile : <fragmented = vector<128x128xf32>> to memref<128x128xf32, #gpu.address_space<workgroup>>
      gpu.barrier
      scf.for %i = %k0 to %k128 step %k1 {
        %value = memref.load %tile[%i, %tx] : memref<128x128xf32, #gpu.address_space<workgroup>>
        %at_row = arith.addi %row, %i : index
        %at_column = arith.addi %column, %tx : index
        memref.store %value, %C[%at_row, %at_column] : memref<?x?xf32>
      }
      gpu.terminator
    } {lh.product_launch}
    %result = bufferization.to_tensor %C restrict writable : memref<?x?xf32> to tensor<?x?xf32>
    return %result : tensor<?x?xf32>
  }
}
