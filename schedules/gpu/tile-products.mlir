// Products cut up for blocks of threads, warps and threads.
//
// Expects: what choose-products leaves: products of whole tiles with lh.kernel,
//   on tensors; loops (m, n, k) or (batch, m, n, k). A of those with lh.gathered
//   is an op that says where each of its elements is in an image.
// Leaves:  per product an scf.forall over blocks of threads, with lh.kernel, in it
//   a loop along the sum that copies a tile of each operand to workgroup memory,
//   or gathers it there, and an scf.forall over warps or threads. Kernels of single instructions are
//   called for (transform.func.cast_and_call) and inlined; other products are
//   still linalg, and map-products vectorizes them. The kernels for wgmma are
//   called for whole products. All else is untouched.
// Parameters: none; tiles are those of choose-products.
// Source:  the transform dialect's GPU schedules; CUTLASS for the hierarchy.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @is_batched(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %loops = transform.param.constant 4 : i64 -> !transform.param<i64>
    transform.match.structured failures(propagate) %op : !transform.any_op {
    ^bb0(%s: !transform.any_op):
      %rank = transform.match.structured.rank %s
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi eq %rank, %loops : !transform.param<i64>
      transform.match.structured.yield
    }
    transform.yield %op : !transform.any_op
  }

  transform.named_sequence @is_single(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %loops = transform.param.constant 3 : i64 -> !transform.param<i64>
    transform.match.structured failures(propagate) %op : !transform.any_op {
    ^bb0(%s: !transform.any_op):
      %rank = transform.match.structured.rank %s
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi eq %rank, %loops : !transform.param<i64>
      transform.match.structured.yield
    }
    transform.yield %op : !transform.any_op
  }

  // Products whose A is in memory; and those whose A is windows of an image.
  transform.named_sequence @copied(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %copied = transform.structured.match attributes{lh.gathered = false} in %op
        {lh.optional = "none of these"} : (!transform.any_op) -> !transform.any_op
    transform.yield %copied : !transform.any_op
  }

  transform.named_sequence @gathered(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %gathered = transform.structured.match attributes{lh.gathered = true} in %op
        {lh.optional = "none of these"} : (!transform.any_op) -> !transform.any_op
    transform.yield %gathered : !transform.any_op
  }

  // A block of threads for each 128 x 128 of the result: the product of one tile
  // of rows and one of columns, the sum still whole. Of a batch each element has
  // its own blocks; its dimension is 1 in them, and dropped. Of windows each block
  // gathers its own.
  transform.named_sequence @tile_blocks(
      %product: !transform.any_op {transform.readonly},
      %kernel: !transform.any_param {transform.readonly}) -> !transform.any_op {
    %batched = transform.collect_matching @is_batched in %product
        : (!transform.any_op) -> !transform.any_op
    %single = transform.collect_matching @is_single in %product
        : (!transform.any_op) -> !transform.any_op
    %batches, %cube = transform.structured.tile_using_forall %batched
        tile_sizes [1, 128, 128]
        (mapping = [#gpu.block<z>, #gpu.block<y>, #gpu.block<x>])
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %square = transform.foreach %single : !transform.any_op -> !transform.any_op {
    ^bb0(%matrices: !transform.any_op):
      %tiled = transform.include @tile_squares failures(propagate) (%matrices)
          : (!transform.any_op) -> !transform.any_op
      transform.yield %tiled : !transform.any_op
    }
    transform.apply_patterns to %cube {
      transform.apply_patterns.linalg.fold_unit_extent_dims_via_slices
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    // These patterns drop attributes.
    %no = transform.param.constant false -> !transform.any_param
    transform.foreach %cube : !transform.any_op {
    ^bb0(%one: !transform.any_op):
      %matrices = transform.structured.match ops{["linalg.generic"]} in %one
          : (!transform.any_op) -> !transform.any_op
      transform.annotate %matrices "lh.gathered" = %no
          : !transform.any_op, !transform.any_param
    }
    %blocks = transform.merge_handles %cube, %square : !transform.any_op
    transform.annotate %blocks "lh.kernel" = %kernel
        : !transform.any_op, !transform.any_param
    %copied = transform.include @copied failures(propagate) (%blocks)
        : (!transform.any_op) -> !transform.any_op
    %gathered = transform.include @gathered failures(propagate) (%blocks)
        : (!transform.any_op) -> !transform.any_op
    %inner = transform.merge_handles %copied, %gathered : !transform.any_op
    transform.yield %inner : !transform.any_op
  }

  transform.named_sequence @tile_squares(
      %product: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %copied = transform.include @copied failures(propagate) (%product)
        : (!transform.any_op) -> !transform.any_op
    %gathered = transform.include @gathered failures(propagate) (%product)
        : (!transform.any_op) -> !transform.any_op
    %tile, %blocks = transform.structured.tile_using_forall %copied
        tile_sizes [128, 128] (mapping = [#gpu.block<y>, #gpu.block<x>])
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %gathering = transform.foreach %gathered : !transform.any_op -> !transform.any_op {
    ^bb0(%one: !transform.any_op):
      %windows = transform.get_producer_of_operand %one[0]
          : (!transform.any_op) -> !transform.any_op
      %part, %squares = transform.structured.tile_using_forall %one
          tile_sizes [128, 128] (mapping = [#gpu.block<y>, #gpu.block<x>])
          : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
      %rows, %around = transform.structured.fuse_into_containing_op %windows into %squares
          : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
      transform.yield %around : !transform.any_op
    }
    %all = transform.merge_handles %blocks, %gathering : !transform.any_op
    transform.yield %all : !transform.any_op
  }

  // A step along the sum: tiles of A and B go to workgroup memory, once for each.
  transform.named_sequence @tile_sum(
      %block: !transform.any_op {transform.readonly},
      %length: !transform.param<i64> {transform.readonly}) -> !transform.any_op {
    %copied = transform.include @copied failures(propagate) (%block)
        : (!transform.any_op) -> !transform.any_op
    %gathered = transform.include @gathered failures(propagate) (%block)
        : (!transform.any_op) -> !transform.any_op
    %copying = transform.foreach %copied : !transform.any_op -> !transform.any_op {
    ^bb0(%one: !transform.any_op):
      %step, %sum = transform.structured.tile_using_for %one
          tile_sizes [0, 0, %length]
          : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
      %a = transform.get_operand %step[0] : (!transform.any_op) -> !transform.any_value
      %left = transform.structured.promote_tensor to #gpu.address_space<workgroup> %a
          : !transform.any_value
      transform.yield %step : !transform.any_op
    }
    %gathering = transform.foreach %gathered : !transform.any_op -> !transform.any_op {
    ^bb0(%one: !transform.any_op):
      %step = transform.include @gather_tiles failures(propagate) (%one, %length)
          : (!transform.any_op, !transform.param<i64>) -> !transform.any_op
      transform.yield %step : !transform.any_op
    }
    %steps = transform.merge_handles %copying, %gathering : !transform.any_op
    %b = transform.get_operand %steps[1] : (!transform.any_op) -> !transform.any_value
    %right = transform.structured.promote_tensor to #gpu.address_space<workgroup> %b
        : !transform.any_value
    transform.yield %steps : !transform.any_op
  }

  // Windows are gathered in workgroup memory, a tile of them when a step needs it.
  transform.named_sequence @gather_tiles(
      %block: !transform.any_op {transform.consumed},
      %length: !transform.param<i64> {transform.readonly}) -> !transform.any_op {
    %windows = transform.get_producer_of_operand %block[0]
        : (!transform.any_op) -> !transform.any_op
    %step, %sum = transform.structured.tile_using_for %block
        tile_sizes [0, 0, %length]
        : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
    %tile, %steps = transform.structured.fuse_into_containing_op %windows into %sum
        : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    %a = transform.get_operand %tile[0] : (!transform.any_op) -> !transform.any_value
    %left = transform.structured.promote_tensor to #gpu.address_space<workgroup> %a
        : !transform.any_value
    %fused = transform.include @gathered failures(propagate) (%steps)
        : (!transform.any_op) -> !transform.any_op
    transform.yield %fused : !transform.any_op
  }

  // 16 x 16 threads, each with 8 x 8 elements of the result.
  transform.named_sequence @tile_simt(
      %product: !transform.any_op {transform.readonly}) {
    %kernel = transform.param.constant "simt" -> !transform.any_param
    %block = transform.include @tile_blocks failures(propagate) (%product, %kernel)
        : (!transform.any_op, !transform.any_param) -> !transform.any_op
    %length = transform.param.constant 8 : i64 -> !transform.param<i64>
    %step = transform.include @tile_sum failures(propagate) (%block, %length)
        : (!transform.any_op, !transform.param<i64>) -> !transform.any_op
    %thread, %threads = transform.structured.tile_using_forall %step
        num_threads [16, 16] (mapping = [#gpu.thread<y>, #gpu.thread<x>])
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }

  // 2 x 2 warps, each with 64 x 64 elements of the result. Warps are thread ids of
  // their own (y, z): a warp's number computed by division would hide from the
  // hoisting of accumulators that warps' tiles don't overlap.
  transform.named_sequence @tile_warps(
      %step: !transform.any_op {transform.consumed}) -> !transform.any_op {
    %warp, %warps = transform.structured.tile_using_forall %step
        num_threads [2, 2] (mapping = [#gpu.warp<z>, #gpu.warp<y>])
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield %warp : !transform.any_op
  }

  transform.named_sequence @tile_mma_f16(
      %product: !transform.any_op {transform.readonly}) {
    %kernel = transform.param.constant "mma-f16" -> !transform.any_param
    %block = transform.include @tile_blocks failures(propagate) (%product, %kernel)
        : (!transform.any_op, !transform.any_param) -> !transform.any_op
    %length = transform.param.constant 32 : i64 -> !transform.param<i64>
    %step = transform.include @tile_sum failures(propagate) (%block, %length)
        : (!transform.any_op, !transform.param<i64>) -> !transform.any_op
    %warp = transform.include @tile_warps failures(propagate) (%step)
        : (!transform.any_op) -> !transform.any_op
    transform.yield
  }

  transform.named_sequence @tile_mma_tf32(
      %product: !transform.any_op {transform.readonly}) {
    %kernel = transform.param.constant "mma-tf32" -> !transform.any_param
    %block = transform.include @tile_blocks failures(propagate) (%product, %kernel)
        : (!transform.any_op, !transform.any_param) -> !transform.any_op
    %length = transform.param.constant 16 : i64 -> !transform.param<i64>
    %step = transform.include @tile_sum failures(propagate) (%block, %length)
        : (!transform.any_op, !transform.param<i64>) -> !transform.any_op
    %warp = transform.include @tile_warps failures(propagate) (%step)
        : (!transform.any_op) -> !transform.any_op
    transform.yield
  }

  transform.named_sequence @tile_mma_bf16(
      %product: !transform.any_op {transform.readonly}) {
    %kernel = transform.param.constant "mma-bf16" -> !transform.any_param
    %block = transform.include @tile_blocks failures(propagate) (%product, %kernel)
        : (!transform.any_op, !transform.any_param) -> !transform.any_op
    %length = transform.param.constant 32 : i64 -> !transform.param<i64>
    %step = transform.include @tile_sum failures(propagate) (%block, %length)
        : (!transform.any_op, !transform.param<i64>) -> !transform.any_op
    %warp = transform.include @tile_warps failures(propagate) (%step)
        : (!transform.any_op) -> !transform.any_op
    %one, %k, %m, %n = transform.structured.tile_using_for %warp
        tile_sizes [16, 8, 16] interchange = [2, 0, 1]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    %in = transform.get_operand %one[all] : (!transform.any_op) -> !transform.any_value
    %out = transform.get_result %one[all] : (!transform.any_op) -> !transform.any_value
    transform.func.cast_and_call @lh_mma_bf16(%in) -> %out before %one
        : (!transform.any_op, !transform.any_value, !transform.any_value) -> !transform.any_op
    transform.include @name_loops failures(propagate) (%n, %m, %k)
        : (!transform.any_op, !transform.any_op, !transform.any_op) -> ()
    transform.yield
  }

  transform.named_sequence @tile_mma_s8(
      %product: !transform.any_op {transform.readonly}) {
    %kernel = transform.param.constant "mma-s8" -> !transform.any_param
    %block = transform.include @tile_blocks failures(propagate) (%product, %kernel)
        : (!transform.any_op, !transform.any_param) -> !transform.any_op
    %length = transform.param.constant 64 : i64 -> !transform.param<i64>
    %step = transform.include @tile_sum failures(propagate) (%block, %length)
        : (!transform.any_op, !transform.param<i64>) -> !transform.any_op
    %warp = transform.include @tile_warps failures(propagate) (%step)
        : (!transform.any_op) -> !transform.any_op
    %one, %k, %m, %n = transform.structured.tile_using_for %warp
        tile_sizes [16, 8, 32] interchange = [2, 0, 1]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    %in = transform.get_operand %one[all] : (!transform.any_op) -> !transform.any_value
    %out = transform.get_result %one[all] : (!transform.any_op) -> !transform.any_value
    transform.func.cast_and_call @lh_mma_s8(%in) -> %out before %one
        : (!transform.any_op, !transform.any_value, !transform.any_value) -> !transform.any_op
    transform.include @name_loops failures(propagate) (%n, %m, %k)
        : (!transform.any_op, !transform.any_op, !transform.any_op) -> ()
    transform.yield
  }

  // Loops over a warp's instructions. map-products unrolls them: bufferization
  // takes minutes over some hundred slices of one tensor.
  transform.named_sequence @name_loops(
      %n: !transform.any_op {transform.readonly},
      %m: !transform.any_op {transform.readonly},
      %k: !transform.any_op {transform.readonly}) {
    transform.annotate %n "lh.columns" : !transform.any_op
    transform.annotate %m "lh.rows" : !transform.any_op
    transform.annotate %k "lh.steps" : !transform.any_op
    transform.yield
  }

  // AMD's waves, like warps: 2 x 2 of them with 64 x 64 elements each, cut up for
  // instructions of 16 x 16 x 16.
  transform.named_sequence @tile_waves(
      %product: !transform.any_op {transform.readonly},
      %kernel: !transform.any_param {transform.readonly})
      -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op) {
    %block = transform.include @tile_blocks failures(propagate) (%product, %kernel)
        : (!transform.any_op, !transform.any_param) -> !transform.any_op
    %length = transform.param.constant 32 : i64 -> !transform.param<i64>
    %step = transform.include @tile_sum failures(propagate) (%block, %length)
        : (!transform.any_op, !transform.param<i64>) -> !transform.any_op
    %wave = transform.include @tile_warps failures(propagate) (%step)
        : (!transform.any_op) -> !transform.any_op
    %one, %k, %m, %n = transform.structured.tile_using_for %wave
        tile_sizes [16, 16, 16] interchange = [2, 0, 1]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield %one, %k, %m, %n
        : !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op
  }

  transform.named_sequence @tile_mfma_f16(
      %product: !transform.any_op {transform.readonly}) {
    %kernel = transform.param.constant "mfma-f16" -> !transform.any_param
    %one, %k, %m, %n = transform.include @tile_waves failures(propagate) (%product, %kernel)
        : (!transform.any_op, !transform.any_param)
        -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    %in = transform.get_operand %one[all] : (!transform.any_op) -> !transform.any_value
    %out = transform.get_result %one[all] : (!transform.any_op) -> !transform.any_value
    transform.func.cast_and_call @lh_mfma_f16(%in) -> %out before %one
        : (!transform.any_op, !transform.any_value, !transform.any_value) -> !transform.any_op
    transform.include @name_loops failures(propagate) (%n, %m, %k)
        : (!transform.any_op, !transform.any_op, !transform.any_op) -> ()
    transform.yield
  }

  transform.named_sequence @tile_mfma_bf16(
      %product: !transform.any_op {transform.readonly}) {
    %kernel = transform.param.constant "mfma-bf16" -> !transform.any_param
    %one, %k, %m, %n = transform.include @tile_waves failures(propagate) (%product, %kernel)
        : (!transform.any_op, !transform.any_param)
        -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    %in = transform.get_operand %one[all] : (!transform.any_op) -> !transform.any_value
    %out = transform.get_result %one[all] : (!transform.any_op) -> !transform.any_value
    transform.func.cast_and_call @lh_mfma_bf16(%in) -> %out before %one
        : (!transform.any_op, !transform.any_value, !transform.any_value) -> !transform.any_op
    transform.include @name_loops failures(propagate) (%n, %m, %k)
        : (!transform.any_op, !transform.any_op, !transform.any_op) -> ()
    transform.yield
  }

  transform.named_sequence @tile_wmma_f16(
      %product: !transform.any_op {transform.readonly}) {
    %kernel = transform.param.constant "wmma-f16" -> !transform.any_param
    %one, %k, %m, %n = transform.include @tile_waves failures(propagate) (%product, %kernel)
        : (!transform.any_op, !transform.any_param)
        -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    %in = transform.get_operand %one[all] : (!transform.any_op) -> !transform.any_value
    %out = transform.get_result %one[all] : (!transform.any_op) -> !transform.any_value
    transform.func.cast_and_call @lh_wmma_f16(%in) -> %out before %one
        : (!transform.any_op, !transform.any_value, !transform.any_value) -> !transform.any_op
    transform.include @name_loops failures(propagate) (%n, %m, %k)
        : (!transform.any_op, !transform.any_op, !transform.any_op) -> ()
    transform.yield
  }

  transform.named_sequence @tile_wmma_bf16(
      %product: !transform.any_op {transform.readonly}) {
    %kernel = transform.param.constant "wmma-bf16" -> !transform.any_param
    %one, %k, %m, %n = transform.include @tile_waves failures(propagate) (%product, %kernel)
        : (!transform.any_op, !transform.any_param)
        -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    %in = transform.get_operand %one[all] : (!transform.any_op) -> !transform.any_value
    %out = transform.get_result %one[all] : (!transform.any_op) -> !transform.any_value
    transform.func.cast_and_call @lh_wmma_bf16(%in) -> %out before %one
        : (!transform.any_op, !transform.any_value, !transform.any_value) -> !transform.any_op
    transform.include @name_loops failures(propagate) (%n, %m, %k)
        : (!transform.any_op, !transform.any_op, !transform.any_op) -> ()
    transform.yield
  }

  // Kernels of whole products: of any size, so that there is one of each.
  transform.named_sequence @call_wgmma_f16(
      %product: !transform.any_op {transform.readonly}) {
    %in = transform.get_operand %product[all] : (!transform.any_op) -> !transform.any_value
    %out = transform.get_result %product[all] : (!transform.any_op) -> !transform.any_value
    transform.func.cast_and_call @lh_wgmma_f16(%in) -> %out before %product {
      transform.type_conversion.tensor.cast_shape_dynamic_dims
    } : (!transform.any_op, !transform.any_value, !transform.any_value) -> !transform.any_op
    transform.yield
  }

  transform.named_sequence @call_wgmma_bf16(
      %product: !transform.any_op {transform.readonly}) {
    %in = transform.get_operand %product[all] : (!transform.any_op) -> !transform.any_value
    %out = transform.get_result %product[all] : (!transform.any_op) -> !transform.any_value
    transform.func.cast_and_call @lh_wgmma_bf16(%in) -> %out before %product {
      transform.type_conversion.tensor.cast_shape_dynamic_dims
    } : (!transform.any_op, !transform.any_value, !transform.any_value) -> !transform.any_op
    transform.yield
  }

  transform.named_sequence @tile_products(
      %root: !transform.any_op {transform.consumed}) {
    %simt = transform.structured.match attributes{lh.kernel = "simt"} in %root
        {lh.optional = "none of these"} : (!transform.any_op) -> !transform.any_op
    transform.foreach %simt : !transform.any_op {
    ^bb0(%product: !transform.any_op):
      transform.include @tile_simt failures(propagate) (%product) : (!transform.any_op) -> ()
    }
    %f16 = transform.structured.match attributes{lh.kernel = "mma-f16"} in %root
        {lh.optional = "none of these"} : (!transform.any_op) -> !transform.any_op
    transform.foreach %f16 : !transform.any_op {
    ^bb0(%product: !transform.any_op):
      transform.include @tile_mma_f16 failures(propagate) (%product) : (!transform.any_op) -> ()
    }
    %tf32 = transform.structured.match attributes{lh.kernel = "mma-tf32"} in %root
        {lh.optional = "none of these"} : (!transform.any_op) -> !transform.any_op
    transform.foreach %tf32 : !transform.any_op {
    ^bb0(%product: !transform.any_op):
      transform.include @tile_mma_tf32 failures(propagate) (%product) : (!transform.any_op) -> ()
    }
    %bf16 = transform.structured.match attributes{lh.kernel = "mma-bf16"} in %root
        {lh.optional = "none of these"} : (!transform.any_op) -> !transform.any_op
    transform.foreach %bf16 : !transform.any_op {
    ^bb0(%product: !transform.any_op):
      transform.include @tile_mma_bf16 failures(propagate) (%product) : (!transform.any_op) -> ()
    }
    %s8 = transform.structured.match attributes{lh.kernel = "mma-s8"} in %root
        {lh.optional = "none of these"} : (!transform.any_op) -> !transform.any_op
    transform.foreach %s8 : !transform.any_op {
    ^bb0(%product: !transform.any_op):
      transform.include @tile_mma_s8 failures(propagate) (%product) : (!transform.any_op) -> ()
    }
    %mfma_f16 = transform.structured.match attributes{lh.kernel = "mfma-f16"} in %root
        {lh.optional = "none of these"} : (!transform.any_op) -> !transform.any_op
    transform.foreach %mfma_f16 : !transform.any_op {
    ^bb0(%product: !transform.any_op):
      transform.include @tile_mfma_f16 failures(propagate) (%product) : (!transform.any_op) -> ()
    }
    %mfma_bf16 = transform.structured.match attributes{lh.kernel = "mfma-bf16"} in %root
        {lh.optional = "none of these"} : (!transform.any_op) -> !transform.any_op
    transform.foreach %mfma_bf16 : !transform.any_op {
    ^bb0(%product: !transform.any_op):
      transform.include @tile_mfma_bf16 failures(propagate) (%product) : (!transform.any_op) -> ()
    }
    %wmma_f16 = transform.structured.match attributes{lh.kernel = "wmma-f16"} in %root
        {lh.optional = "none of these"} : (!transform.any_op) -> !transform.any_op
    transform.foreach %wmma_f16 : !transform.any_op {
    ^bb0(%product: !transform.any_op):
      transform.include @tile_wmma_f16 failures(propagate) (%product) : (!transform.any_op) -> ()
    }
    %wmma_bf16 = transform.structured.match attributes{lh.kernel = "wmma-bf16"} in %root
        {lh.optional = "none of these"} : (!transform.any_op) -> !transform.any_op
    transform.foreach %wmma_bf16 : !transform.any_op {
    ^bb0(%product: !transform.any_op):
      transform.include @tile_wmma_bf16 failures(propagate) (%product) : (!transform.any_op) -> ()
    }
    %wgmma_bf16 = transform.structured.match attributes{lh.kernel = "wgmma-bf16"} in %root
        {lh.optional = "none of these"} : (!transform.any_op) -> !transform.any_op
    transform.foreach %wgmma_bf16 : !transform.any_op {
    ^bb0(%product: !transform.any_op):
      transform.include @call_wgmma_bf16 failures(propagate) (%product) : (!transform.any_op) -> ()
    }
    %wgmma_f16 = transform.structured.match attributes{lh.kernel = "wgmma-f16"} in %root
        {lh.optional = "none of these"} : (!transform.any_op) -> !transform.any_op
    transform.foreach %wgmma_f16 : !transform.any_op {
    ^bb0(%product: !transform.any_op):
      transform.include @call_wgmma_f16 failures(propagate) (%product) : (!transform.any_op) -> ()
    }
    transform.apply_dce to %root : !transform.any_op
    %whole = transform.apply_registered_pass "inline" to %root
        : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %whole {
      transform.apply_patterns.canonicalization
    } {apply_cse} : !transform.any_op
    transform.yield
  }
}
