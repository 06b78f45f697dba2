// Products cut up for blocks of threads, warps and threads.
//
// Expects: what choose-products leaves: products of whole tiles with lh.kernel,
//   on tensors; loops (m, n, k) or (batch, m, n, k). A of those with lh.gathered
//   is an op that says where each of its elements is in an image.
// Leaves:  per product an scf.forall over blocks of threads, with lh.kernel and
//   lh.side, the rows (and columns) of their tile; in it a loop along the sum that copies a tile of each operand to workgroup memory,
//   and an scf.forall over warps or threads. Kernels of single instructions are
//   called for (transform.func.cast_and_call) and inlined; other products are
//   still linalg, and map-products vectorizes them. The kernels for wgmma are
//   called for whole products. All else is untouched.
// Parameters: none; tiles are those of choose-products, on the product (lh.tile).
// Source:  the transform dialect's GPU schedules; CUTLASS for the hierarchy.
!op = !transform.any_op
!param = !transform.any_param
!size = !transform.param<i64>
!value = !transform.any_value
module attributes {transform.with_named_sequence} {
  transform.named_sequence @is_batched(
      %op: !op {transform.readonly}) -> !op {
    %loops = transform.param.constant 4 : i64 -> !size
    transform.match.structured failures(propagate) %op : !op {
    ^bb0(%s: !op):
      %rank = transform.match.structured.rank %s
          : (!op) -> !size
      transform.match.param.cmpi eq %rank, %loops : !size
      transform.match.structured.yield
    }
    transform.yield %op : !op
  }

  transform.named_sequence @is_single(
      %op: !op {transform.readonly}) -> !op {
    %loops = transform.param.constant 3 : i64 -> !size
    transform.match.structured failures(propagate) %op : !op {
    ^bb0(%s: !op):
      %rank = transform.match.structured.rank %s
          : (!op) -> !size
      transform.match.param.cmpi eq %rank, %loops : !size
      transform.match.structured.yield
    }
    transform.yield %op : !op
  }

  // Products whose A is in memory; and those whose A is windows of an image.
  transform.named_sequence @copied(
      %op: !op {transform.readonly}) -> !op {
    %copied = transform.structured.match attributes{lh.gathered = false} in %op
        {lh.optional = "none of these"} : (!op) -> !op
    transform.yield %copied : !op
  }

  transform.named_sequence @gathered(
      %op: !op {transform.readonly}) -> !op {
    %gathered = transform.structured.match attributes{lh.gathered = true} in %op
        {lh.optional = "none of these"} : (!op) -> !op
    transform.yield %gathered : !op
  }

  // A block of threads for each tile of the result: the product of one tile of
  // rows and one of columns, the sum still whole. Of a batch each element has its
  // own blocks; its dimension is 1 in them, and dropped. Of windows each block
  // gathers its own.
  transform.named_sequence @tile_blocks(
      %product: !op {transform.readonly}, %kernel: !param {transform.readonly})
      -> !op {
    %rows = transform.dlti.query ["rows"] at %product : (!op) -> !size
    %columns = transform.dlti.query ["columns"] at %product : (!op) -> !size
    %batched = transform.collect_matching @is_batched in %product
        : (!op) -> !op
    %single = transform.collect_matching @is_single in %product
        : (!op) -> !op
    %batches, %cube = transform.structured.tile_using_forall %batched
        tile_sizes [1, %rows, %columns]
        (mapping = [#gpu.block<z>, #gpu.block<y>, #gpu.block<x>])
        : (!op, !size, !size) -> (!op, !op)
    %square = transform.foreach %single : !op -> !op {
    ^bb0(%matrices: !op):
      %tiled = transform.include @tile_squares failures(propagate) (%matrices, %rows, %columns)
          : (!op, !size, !size) -> !op
      transform.yield %tiled : !op
    }
    transform.apply_patterns to %cube {
      transform.apply_patterns.linalg.fold_unit_extent_dims_via_slices
      transform.apply_patterns.canonicalization
    } : !op
    // These patterns drop attributes.
    %no = transform.param.constant false -> !param
    transform.foreach %cube : !op {
    ^bb0(%one: !op):
      %matrices = transform.structured.match ops{["linalg.generic"]} in %one
          : (!op) -> !op
      transform.annotate %matrices "lh.gathered" = %no : !op, !param
    }
    %blocks = transform.merge_handles %cube, %square : !op
    transform.annotate %blocks "lh.kernel" = %kernel : !op, !param
    transform.annotate %blocks "lh.side" = %rows : !op, !size
    %copied = transform.include @copied failures(propagate) (%blocks) : (!op) -> !op
    %gathered = transform.include @gathered failures(propagate) (%blocks) : (!op) -> !op
    %inner = transform.merge_handles %copied, %gathered : !op
    transform.yield %inner : !op
  }

  transform.named_sequence @tile_squares(
      %product: !op {transform.readonly}, %rows: !size {transform.readonly},
      %columns: !size {transform.readonly}) -> !op {
    %copied = transform.include @copied failures(propagate) (%product)
        : (!op) -> !op
    %gathered = transform.include @gathered failures(propagate) (%product)
        : (!op) -> !op
    %tile, %blocks = transform.structured.tile_using_forall %copied
        tile_sizes [%rows, %columns] (mapping = [#gpu.block<y>, #gpu.block<x>])
        : (!op, !size, !size) -> (!op, !op)
    %gathering = transform.foreach %gathered : !op -> !op {
    ^bb0(%one: !op):
      %windows = transform.get_producer_of_operand %one[0]
          : (!op) -> !op
      %part, %squares = transform.structured.tile_using_forall %one
          tile_sizes [%rows, %columns] (mapping = [#gpu.block<y>, #gpu.block<x>])
          : (!op, !size, !size) -> (!op, !op)
      %fused, %around = transform.structured.fuse_into_containing_op %windows into %squares
          : (!op, !op) -> (!op, !op)
      transform.yield %around : !op
    }
    %all = transform.merge_handles %blocks, %gathering : !op
    transform.yield %all : !op
  }

  // A step along the sum: tiles of A and B go to workgroup memory, once for each.
  transform.named_sequence @tile_sum(
      %block: !op {transform.readonly},
      %length: !size {transform.readonly}) -> !op {
    %copied = transform.include @copied failures(propagate) (%block)
        : (!op) -> !op
    %gathered = transform.include @gathered failures(propagate) (%block)
        : (!op) -> !op
    %copying = transform.foreach %copied : !op -> !op {
    ^bb0(%one: !op):
      %step, %sum = transform.structured.tile_using_for %one
          tile_sizes [0, 0, %length]
          : (!op, !size) -> (!op, !op)
      %a = transform.get_operand %step[0] : (!op) -> !value
      %left = transform.structured.promote_tensor to #gpu.address_space<workgroup> %a
          : !value
      transform.yield %step : !op
    }
    %gathering = transform.foreach %gathered : !op -> !op {
    ^bb0(%one: !op):
      %step = transform.include @gather_tiles failures(propagate) (%one, %length)
          : (!op, !size) -> !op
      transform.yield %step : !op
    }
    %steps = transform.merge_handles %copying, %gathering : !op
    %b = transform.get_operand %steps[1] : (!op) -> !value
    %right = transform.structured.promote_tensor to #gpu.address_space<workgroup> %b
        : !value
    transform.yield %steps : !op
  }

  // Windows are gathered in workgroup memory, a tile of them when a step needs it.
  transform.named_sequence @gather_tiles(
      %block: !op {transform.consumed},
      %length: !size {transform.readonly}) -> !op {
    %windows = transform.get_producer_of_operand %block[0]
        : (!op) -> !op
    %step, %sum = transform.structured.tile_using_for %block
        tile_sizes [0, 0, %length]
        : (!op, !size) -> (!op, !op)
    %tile, %steps = transform.structured.fuse_into_containing_op %windows into %sum
        : (!op, !op) -> (!op, !op)
    %a = transform.get_operand %tile[0] : (!op) -> !value
    %left = transform.structured.promote_tensor to #gpu.address_space<workgroup> %a
        : !value
    %fused = transform.include @gathered failures(propagate) (%steps)
        : (!op) -> !op
    transform.yield %fused : !op
  }

  // One step along the sum of a block's product, its operands shared.
  transform.named_sequence @tile_steps(
      %product: !op {transform.readonly}, %kernel: !param {transform.readonly})
      -> !op {
    %length = transform.dlti.query ["sum"] at %product : (!op) -> !size
    %block = transform.include @tile_blocks failures(propagate) (%product, %kernel)
        : (!op, !param) -> !op
    %step = transform.include @tile_sum failures(propagate) (%block, %length)
        : (!op, !size) -> !op
    transform.yield %step : !op
  }

  // 16 x 16 threads, each with the same share of the tile.
  transform.named_sequence @tile_threads(
      %product: !op {transform.readonly}, %kernel: !param {transform.readonly}) {
    %step = transform.include @tile_steps failures(propagate) (%product, %kernel)
        : (!op, !param) -> !op
    %thread, %threads = transform.structured.tile_using_forall %step
        num_threads [16, 16] (mapping = [#gpu.thread<y>, #gpu.thread<x>])
        : (!op) -> (!op, !op)
    transform.yield
  }

  // 2 x 2 warps (AMD's waves), each with a quarter of the tile. Warps are thread
  // ids of their own (y, z): a warp's number computed by division would hide from
  // the hoisting of accumulators that warps' tiles don't overlap.
  transform.named_sequence @tile_warps(
      %product: !op {transform.readonly}, %kernel: !param {transform.readonly})
      -> !op {
    %step = transform.include @tile_steps failures(propagate) (%product, %kernel)
        : (!op, !param) -> !op
    %warp, %warps = transform.structured.tile_using_forall %step
        num_threads [2, 2] (mapping = [#gpu.warp<z>, #gpu.warp<y>])
        : (!op) -> (!op, !op)
    transform.yield %warp : !op
  }

  // ... cut up for instructions of rows x columns x length. map-products unrolls
  // the loops over them: bufferization takes minutes over some hundred slices of
  // one tensor.
  transform.named_sequence @tile_instructions(
      %product: !op {transform.readonly}, %kernel: !param {transform.readonly},
      %rows: !size {transform.readonly}, %columns: !size {transform.readonly},
      %length: !size {transform.readonly}) -> (!op, !value, !value) {
    %warp = transform.include @tile_warps failures(propagate) (%product, %kernel)
        : (!op, !param) -> !op
    %one, %k, %m, %n = transform.structured.tile_using_for %warp
        tile_sizes [%rows, %columns, %length] interchange = [2, 0, 1]
        : (!op, !size, !size, !size) -> (!op, !op, !op, !op)
    %in = transform.get_operand %one[all] : (!op) -> !value
    %out = transform.get_result %one[all] : (!op) -> !value
    transform.annotate %n "lh.columns" : !op
    transform.annotate %m "lh.rows" : !op
    transform.annotate %k "lh.steps" : !op
    transform.yield %one, %in, %out : !op, !value, !value
  }

  // Kernels of whole products: of any size, so that there is one of each.
  transform.named_sequence @call_wgmma_f16(
      %product: !op {transform.readonly}) {
    %in = transform.get_operand %product[all] : (!op) -> !value
    %out = transform.get_result %product[all] : (!op) -> !value
    transform.func.cast_and_call @lh_wgmma_f16(%in) -> %out before %product {
      transform.type_conversion.tensor.cast_shape_dynamic_dims
    } : (!op, !value, !value) -> !op
    transform.yield
  }

  transform.named_sequence @call_wgmma_bf16(
      %product: !op {transform.readonly}) {
    %in = transform.get_operand %product[all] : (!op) -> !value
    %out = transform.get_result %product[all] : (!op) -> !value
    transform.func.cast_and_call @lh_wgmma_bf16(%in) -> %out before %product {
      transform.type_conversion.tensor.cast_shape_dynamic_dims
    } : (!op, !value, !value) -> !op
    transform.yield
  }

  transform.named_sequence @tile_products(%root: !op {transform.consumed}) {
    %simt = transform.structured.match attributes{lh.kernel = "simt"} in %root
        {lh.optional = "none of these"} : (!op) -> !op
    transform.foreach %simt : !op {
    ^bb0(%product: !op):
      %kernel = transform.param.constant "simt" -> !param
      transform.include @tile_threads failures(propagate) (%product, %kernel)
          : (!op, !param) -> ()
    }
    // Transform ops make these instructions (map-products).
    %mma_f16 = transform.structured.match attributes{lh.kernel = "mma-f16"} in %root
        {lh.optional = "none of these"} : (!op) -> !op
    transform.foreach %mma_f16 : !op {
    ^bb0(%product: !op):
      %kernel = transform.param.constant "mma-f16" -> !param
      %warp = transform.include @tile_warps failures(propagate) (%product, %kernel)
          : (!op, !param) -> !op
    }
    %mma_tf32 = transform.structured.match attributes{lh.kernel = "mma-tf32"} in %root
        {lh.optional = "none of these"} : (!op) -> !op
    transform.foreach %mma_tf32 : !op {
    ^bb0(%product: !op):
      %kernel = transform.param.constant "mma-tf32" -> !param
      %warp = transform.include @tile_warps failures(propagate) (%product, %kernel)
          : (!op, !param) -> !op
    }
    %mma_bf16 = transform.structured.match attributes{lh.kernel = "mma-bf16"} in %root
        {lh.optional = "none of these"} : (!op) -> !op
    transform.foreach %mma_bf16 : !op {
    ^bb0(%product: !op):
      %kernel = transform.param.constant "mma-bf16" -> !param
      %c8 = transform.param.constant 8 : i64 -> !size
      %c16 = transform.param.constant 16 : i64 -> !size
      %one, %in, %out = transform.include @tile_instructions failures(propagate)
          (%product, %kernel, %c16, %c8, %c16)
          : (!op, !param, !size, !size, !size) -> (!op, !value, !value)
      transform.func.cast_and_call @lh_mma_bf16(%in) -> %out before %one
          : (!op, !value, !value) -> !op
    }
    %mma_bf16_thin = transform.structured.match attributes{lh.kernel = "mma-bf16-thin"} in %root
        {lh.optional = "none of these"} : (!op) -> !op
    transform.foreach %mma_bf16_thin : !op {
    ^bb0(%product: !op):
      %kernel = transform.param.constant "mma-bf16-thin" -> !param
      %c8 = transform.param.constant 8 : i64 -> !size
      %c16 = transform.param.constant 16 : i64 -> !size
      %one, %in, %out = transform.include @tile_instructions failures(propagate)
          (%product, %kernel, %c16, %c8, %c16)
          : (!op, !param, !size, !size, !size) -> (!op, !value, !value)
      transform.func.cast_and_call @lh_mma_bf16_thin(%in) -> %out before %one
          : (!op, !value, !value) -> !op
    }
    %mma_s8 = transform.structured.match attributes{lh.kernel = "mma-s8"} in %root
        {lh.optional = "none of these"} : (!op) -> !op
    transform.foreach %mma_s8 : !op {
    ^bb0(%product: !op):
      %kernel = transform.param.constant "mma-s8" -> !param
      %c8 = transform.param.constant 8 : i64 -> !size
      %c16 = transform.param.constant 16 : i64 -> !size
      %c32 = transform.param.constant 32 : i64 -> !size
      %one, %in, %out = transform.include @tile_instructions failures(propagate)
          (%product, %kernel, %c16, %c8, %c32)
          : (!op, !param, !size, !size, !size) -> (!op, !value, !value)
      transform.func.cast_and_call @lh_mma_s8(%in) -> %out before %one
          : (!op, !value, !value) -> !op
    }
    %mfma_f16 = transform.structured.match attributes{lh.kernel = "mfma-f16"} in %root
        {lh.optional = "none of these"} : (!op) -> !op
    transform.foreach %mfma_f16 : !op {
    ^bb0(%product: !op):
      %kernel = transform.param.constant "mfma-f16" -> !param
      %c16 = transform.param.constant 16 : i64 -> !size
      %one, %in, %out = transform.include @tile_instructions failures(propagate)
          (%product, %kernel, %c16, %c16, %c16)
          : (!op, !param, !size, !size, !size) -> (!op, !value, !value)
      transform.func.cast_and_call @lh_mfma_f16(%in) -> %out before %one
          : (!op, !value, !value) -> !op
    }
    %mfma_bf16 = transform.structured.match attributes{lh.kernel = "mfma-bf16"} in %root
        {lh.optional = "none of these"} : (!op) -> !op
    transform.foreach %mfma_bf16 : !op {
    ^bb0(%product: !op):
      %kernel = transform.param.constant "mfma-bf16" -> !param
      %c16 = transform.param.constant 16 : i64 -> !size
      %one, %in, %out = transform.include @tile_instructions failures(propagate)
          (%product, %kernel, %c16, %c16, %c16)
          : (!op, !param, !size, !size, !size) -> (!op, !value, !value)
      transform.func.cast_and_call @lh_mfma_bf16(%in) -> %out before %one
          : (!op, !value, !value) -> !op
    }
    %mfma_s8_k16 = transform.structured.match attributes{lh.kernel = "mfma-s8-k16"} in %root
        {lh.optional = "none of these"} : (!op) -> !op
    transform.foreach %mfma_s8_k16 : !op {
    ^bb0(%product: !op):
      %kernel = transform.param.constant "mfma-s8-k16" -> !param
      %c16 = transform.param.constant 16 : i64 -> !size
      %one, %in, %out = transform.include @tile_instructions failures(propagate)
          (%product, %kernel, %c16, %c16, %c16)
          : (!op, !param, !size, !size, !size) -> (!op, !value, !value)
      transform.func.cast_and_call @lh_mfma_s8_k16(%in) -> %out before %one
          : (!op, !value, !value) -> !op
    }
    %mfma_s8_k32 = transform.structured.match attributes{lh.kernel = "mfma-s8-k32"} in %root
        {lh.optional = "none of these"} : (!op) -> !op
    transform.foreach %mfma_s8_k32 : !op {
    ^bb0(%product: !op):
      %kernel = transform.param.constant "mfma-s8-k32" -> !param
      %c16 = transform.param.constant 16 : i64 -> !size
      %c32 = transform.param.constant 32 : i64 -> !size
      %one, %in, %out = transform.include @tile_instructions failures(propagate)
          (%product, %kernel, %c16, %c16, %c32)
          : (!op, !param, !size, !size, !size) -> (!op, !value, !value)
      transform.func.cast_and_call @lh_mfma_s8_k32(%in) -> %out before %one
          : (!op, !value, !value) -> !op
    }
    %wmma_f16 = transform.structured.match attributes{lh.kernel = "wmma-f16"} in %root
        {lh.optional = "none of these"} : (!op) -> !op
    transform.foreach %wmma_f16 : !op {
    ^bb0(%product: !op):
      %kernel = transform.param.constant "wmma-f16" -> !param
      %c16 = transform.param.constant 16 : i64 -> !size
      %one, %in, %out = transform.include @tile_instructions failures(propagate)
          (%product, %kernel, %c16, %c16, %c16)
          : (!op, !param, !size, !size, !size) -> (!op, !value, !value)
      transform.func.cast_and_call @lh_wmma_f16(%in) -> %out before %one
          : (!op, !value, !value) -> !op
    }
    %wmma_bf16 = transform.structured.match attributes{lh.kernel = "wmma-bf16"} in %root
        {lh.optional = "none of these"} : (!op) -> !op
    transform.foreach %wmma_bf16 : !op {
    ^bb0(%product: !op):
      %kernel = transform.param.constant "wmma-bf16" -> !param
      %c16 = transform.param.constant 16 : i64 -> !size
      %one, %in, %out = transform.include @tile_instructions failures(propagate)
          (%product, %kernel, %c16, %c16, %c16)
          : (!op, !param, !size, !size, !size) -> (!op, !value, !value)
      transform.func.cast_and_call @lh_wmma_bf16(%in) -> %out before %one
          : (!op, !value, !value) -> !op
    }
    %wmma_s8 = transform.structured.match attributes{lh.kernel = "wmma-s8"} in %root
        {lh.optional = "none of these"} : (!op) -> !op
    transform.foreach %wmma_s8 : !op {
    ^bb0(%product: !op):
      %kernel = transform.param.constant "wmma-s8" -> !param
      %c16 = transform.param.constant 16 : i64 -> !size
      %one, %in, %out = transform.include @tile_instructions failures(propagate)
          (%product, %kernel, %c16, %c16, %c16)
          : (!op, !param, !size, !size, !size) -> (!op, !value, !value)
      transform.func.cast_and_call @lh_wmma_s8(%in) -> %out before %one
          : (!op, !value, !value) -> !op
    }
    %wgmma_bf16 = transform.structured.match attributes{lh.kernel = "wgmma-bf16"} in %root
        {lh.optional = "none of these"} : (!op) -> !op
    transform.foreach %wgmma_bf16 : !op {
    ^bb0(%product: !op):
      transform.include @call_wgmma_bf16 failures(propagate) (%product) : (!op) -> ()
    }
    %wgmma_f16 = transform.structured.match attributes{lh.kernel = "wgmma-f16"} in %root
        {lh.optional = "none of these"} : (!op) -> !op
    transform.foreach %wgmma_f16 : !op {
    ^bb0(%product: !op):
      transform.include @call_wgmma_f16 failures(propagate) (%product) : (!op) -> ()
    }
    transform.apply_dce to %root : !op
    %whole = transform.apply_registered_pass "inline" to %root
        : (!op) -> !op
    transform.apply_patterns to %whole {
      transform.apply_patterns.canonicalization
    } {apply_cse} : !op
    transform.yield
  }
}
