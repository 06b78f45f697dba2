// Products cut up for blocks of threads, warps and threads.
//
// Expects: what choose-products leaves: products of whole tiles on tensors, with
//   lh.choice and the name of their kernel, lh.kernel; loops (m, n, k) or
//   (batch, m, n, k). A of those with lh.gathered is an op that says where each of
//   its elements is in an image.
// Result:  per product an scf.forall over blocks of threads, with lh.kernel, which is
//   "instruction" where functions are called, and lh.threads, which says what threads
//   copy tiles; in it a loop along the sum that
//   copies a tile of each operand to workgroup memory, and an scf.forall over warps
//   or threads. Kernels of single instructions are called for
//   (transform.func.cast_and_call) and inlined; other products are still linalg, and
//   map-products vectorizes them. The kernels for wgmma are called for whole
//   products. All else is untouched.
// Parameters: none; tiles are those of each product's choice.
// Source:  the transform dialect's GPU schedules; CUTLASS for the hierarchy.
!op = !transform.any_op
!param = !transform.any_param
!size = !transform.param<i64>
!value = !transform.any_value
module attributes {transform.with_named_sequence} {
  transform.named_sequence @is_product(%op: !op {transform.readonly}) -> !op {
    %b, %m, %n, %k = transform.lh.match.product %op loops ["mnk", "bmnk"] {any_body} : !op
    transform.yield %op : !op
  }

  transform.named_sequence @is_batch(%op: !op {transform.readonly}) -> !op {
    %b, %m, %n, %k = transform.lh.match.product %op loops ["bmnk"] {any_body} : !op
    transform.yield %op : !op
  }

  // What gathers A, if it is windows of an image.
  transform.named_sequence @gather_of(%product: !op {transform.readonly}) -> !op {
    %gathered = transform.structured.match attributes{lh.gathered = true} in %product
        {lh.optional = "A may be in memory"} : (!op) -> !op
    %gather = transform.get_producer_of_operand %gathered[0] : (!op) -> !op
    transform.yield %gather : !op
  }

  // A block of threads for each tile of the result: the product of one tile of rows
  // and one of columns, the sum still whole. Each element of a batch has its own
  // blocks; its dimension is 1 in them, and dropped. Each block gathers its own
  // windows.
  transform.named_sequence @tile_blocks(%product: !op {transform.consumed}) -> !op {
    %kernel = transform.dlti.query ["strategy"] at %product : (!op) -> !param
    %threads = transform.dlti.query ["threads"] at %product : (!op) -> !param
    %rows = transform.dlti.query ["rows"] at %product : (!op) -> !size
    %columns = transform.dlti.query ["columns"] at %product : (!op) -> !size
    %gather = transform.include @gather_of failures(propagate) (%product) : (!op) -> !op
    %batch = transform.collect_matching @is_batch in %product : (!op) -> !op
    %tiled = transform.lh.if %batch : !op -> !op {
      %matrices, %cubes = transform.structured.tile_using_forall %product
          tile_sizes [1, %rows, %columns]
          (mapping = [#gpu.block<z>, #gpu.block<y>, #gpu.block<x>])
          : (!op, !size, !size) -> (!op, !op)
      transform.apply_patterns to %cubes {
        transform.apply_patterns.linalg.fold_unit_extent_dims_via_slices
        transform.apply_patterns.canonicalization
      } : !op
      transform.yield %cubes : !op
    } else {
      %tile, %squares = transform.structured.tile_using_forall %product
          tile_sizes [%rows, %columns] (mapping = [#gpu.block<y>, #gpu.block<x>])
          : (!op, !size, !size) -> (!op, !op)
      transform.yield %squares : !op
    }
    %windows, %blocks = transform.structured.fuse_into_containing_op %gather into %tiled
        : (!op, !op) -> (!op, !op)
    transform.annotate %blocks "lh.kernel" = %kernel : !op, !param
    transform.annotate %blocks "lh.threads" = %threads : !op, !param
    transform.yield %blocks : !op
  }

  // One step along the sum of a block's product. Tiles of A and B go to workgroup
  // memory, once for each; windows are gathered there, a tile of them when a step
  // needs it.
  transform.named_sequence @tile_steps(%product: !op {transform.consumed}) -> !op {
    %length = transform.dlti.query ["sum"] at %product : (!op) -> !size
    %blocks = transform.include @tile_blocks failures(propagate) (%product) : (!op) -> !op
    %block = transform.collect_matching @is_product in %blocks : (!op) -> !op
    %gather = transform.include @gather_of failures(propagate) (%block) : (!op) -> !op
    %part, %sum = transform.structured.tile_using_for %block tile_sizes [0, 0, %length]
        : (!op, !size) -> (!op, !op)
    %windows, %steps = transform.structured.fuse_into_containing_op %gather into %sum
        : (!op, !op) -> (!op, !op)
    %step = transform.collect_matching @is_product in %steps : (!op) -> !op
    %copied = transform.lh.if %windows : !op -> !op {
      transform.yield %windows : !op
    } else {
      transform.yield %step : !op
    }
    %a = transform.get_operand %copied[0] : (!op) -> !value
    %left = transform.structured.promote_tensor to #gpu.address_space<workgroup> %a : !value
    %b = transform.get_operand %step[1] : (!op) -> !value
    %right = transform.structured.promote_tensor to #gpu.address_space<workgroup> %b : !value
    transform.yield %step : !op
  }

  // 16 x 16 threads, each with the same share of the tile.
  transform.named_sequence @tile_threads(%product: !op {transform.consumed}) {
    %step = transform.include @tile_steps failures(propagate) (%product) : (!op) -> !op
    %thread, %threads = transform.structured.tile_using_forall %step
        num_threads [16, 16] (mapping = [#gpu.thread<y>, #gpu.thread<x>])
        : (!op) -> (!op, !op)
    transform.yield
  }

  // 2 x 2 warps (AMD's waves), each with a quarter of the tile. Warps are thread
  // ids of their own (y, z): a warp's number computed by division would hide from
  // the hoisting of accumulators that warps' tiles don't overlap.
  transform.named_sequence @tile_warps(%product: !op {transform.consumed}) -> !op {
    %step = transform.include @tile_steps failures(propagate) (%product) : (!op) -> !op
    %warp, %warps = transform.structured.tile_using_forall %step
        num_threads [2, 2] (mapping = [#gpu.warp<z>, #gpu.warp<y>])
        : (!op) -> (!op, !op)
    transform.yield %warp : !op
  }

  // ... cut up for an instruction, which is a function (kernels/) with its rows, columns
  // and sum as dlti.map, and the name of its kernel, as products have it. map-products
  // unrolls the loops over instructions: bufferization takes minutes over some hundred
  // slices of one tensor.
  transform.named_sequence @call_instruction(%kernel: !op {transform.readonly}) {
    %function = transform.select "func.func" in %kernel : (!op) -> !op
    %products = transform.select "linalg.generic" in %kernel : (!op) -> !op
    %rows = transform.dlti.query ["rows"] at %function : (!op) -> !size
    %columns = transform.dlti.query ["columns"] at %function : (!op) -> !size
    %length = transform.dlti.query ["sum"] at %function : (!op) -> !size
    %instruction = transform.param.constant "instruction" -> !param
    transform.foreach %products : !op {
    ^bb0(%product: !op):
      %warp = transform.include @tile_warps failures(propagate) (%product) : (!op) -> !op
      %blocks = transform.get_parent_op %warp {op_name = "scf.forall", nth_parent = 2}
          : (!op) -> !op
      transform.annotate %blocks "lh.kernel" = %instruction : !op, !param
      %one, %k, %m, %n = transform.structured.tile_using_for %warp
          tile_sizes [%rows, %columns, %length] interchange = [2, 0, 1]
          : (!op, !size, !size, !size) -> (!op, !op, !op, !op)
      %units = transform.merge_handles %n, %m, %k : !op
      transform.annotate %units "lh.unroll" : !op
      %in = transform.get_operand %one[all] : (!op) -> !value
      %out = transform.get_result %one[all] : (!op) -> !value
      transform.func.cast_and_call %function(%in) -> %out before %one
          : (!op, !value, !value, !op) -> !op
    }
    transform.yield
  }

  // Products of any size, by a function.
  transform.named_sequence @call_whole(%kernel: !op {transform.readonly}) {
    %function = transform.select "func.func" in %kernel : (!op) -> !op
    %products = transform.select "linalg.generic" in %kernel : (!op) -> !op
    transform.foreach %products : !op {
    ^bb0(%product: !op):
      %in = transform.get_operand %product[all] : (!op) -> !value
      %out = transform.get_result %product[all] : (!op) -> !value
      transform.func.cast_and_call %function(%in) -> %out before %product {
        transform.type_conversion.tensor.cast_shape_dynamic_dims
      } : (!op, !value, !value, !op) -> !op
    }
    transform.yield
  }

  transform.named_sequence @tile_products(%root: !op {transform.consumed}) {
    %simt = transform.structured.match attributes{lh.kernel = "simt"} in %root
        {lh.optional = "none of these"} : (!op) -> !op
    transform.foreach %simt : !op {
    ^bb0(%product: !op):
      transform.include @tile_threads failures(propagate) (%product) : (!op) -> ()
    }
    // Transform ops make these instructions (map-products).
    %mma_f16 = transform.structured.match attributes{lh.kernel = "mma-f16"} in %root
        {lh.optional = "none of these"} : (!op) -> !op
    %mma_tf32 = transform.structured.match attributes{lh.kernel = "mma-tf32"} in %root
        {lh.optional = "none of these"} : (!op) -> !op
    %warps = transform.merge_handles %mma_f16, %mma_tf32 : !op
    transform.foreach %warps : !op {
    ^bb0(%product: !op):
      %warp = transform.include @tile_warps failures(propagate) (%product) : (!op) -> !op
    }
    // The others are functions: of one instruction each ...
    %mma_bf16 = transform.structured.match attributes{lh.kernel = "mma-bf16"} in %root : (!op) -> !op
    transform.include @call_instruction failures(propagate) (%mma_bf16) : (!op) -> ()
    %mma_bf16_thin = transform.structured.match attributes{lh.kernel = "mma-bf16-thin"} in %root : (!op) -> !op
    transform.include @call_instruction failures(propagate) (%mma_bf16_thin) : (!op) -> ()
    %mma_s8 = transform.structured.match attributes{lh.kernel = "mma-s8"} in %root : (!op) -> !op
    transform.include @call_instruction failures(propagate) (%mma_s8) : (!op) -> ()
    %mfma_f16 = transform.structured.match attributes{lh.kernel = "mfma-f16"} in %root : (!op) -> !op
    transform.include @call_instruction failures(propagate) (%mfma_f16) : (!op) -> ()
    %mfma_bf16 = transform.structured.match attributes{lh.kernel = "mfma-bf16"} in %root : (!op) -> !op
    transform.include @call_instruction failures(propagate) (%mfma_bf16) : (!op) -> ()
    %mfma_s8_k16 = transform.structured.match attributes{lh.kernel = "mfma-s8-k16"} in %root : (!op) -> !op
    transform.include @call_instruction failures(propagate) (%mfma_s8_k16) : (!op) -> ()
    %mfma_s8_k32 = transform.structured.match attributes{lh.kernel = "mfma-s8-k32"} in %root : (!op) -> !op
    transform.include @call_instruction failures(propagate) (%mfma_s8_k32) : (!op) -> ()
    %wmma_f16 = transform.structured.match attributes{lh.kernel = "wmma-f16"} in %root : (!op) -> !op
    transform.include @call_instruction failures(propagate) (%wmma_f16) : (!op) -> ()
    %wmma_bf16 = transform.structured.match attributes{lh.kernel = "wmma-bf16"} in %root : (!op) -> !op
    transform.include @call_instruction failures(propagate) (%wmma_bf16) : (!op) -> ()
    %wmma_s8 = transform.structured.match attributes{lh.kernel = "wmma-s8"} in %root : (!op) -> !op
    transform.include @call_instruction failures(propagate) (%wmma_s8) : (!op) -> ()
    %dpas_f16 = transform.structured.match attributes{lh.kernel = "dpas-f16"} in %root : (!op) -> !op
    transform.include @call_instruction failures(propagate) (%dpas_f16) : (!op) -> ()
    %dpas_bf16 = transform.structured.match attributes{lh.kernel = "dpas-bf16"} in %root : (!op) -> !op
    transform.include @call_instruction failures(propagate) (%dpas_bf16) : (!op) -> ()
    %dpas_s8 = transform.structured.match attributes{lh.kernel = "dpas-s8"} in %root : (!op) -> !op
    transform.include @call_instruction failures(propagate) (%dpas_s8) : (!op) -> ()
    // ... or of whole products.
    %wgmma_f16 = transform.structured.match attributes{lh.kernel = "wgmma-f16"} in %root : (!op) -> !op
    transform.include @call_whole failures(propagate) (%wgmma_f16) : (!op) -> ()
    %wgmma_bf16 = transform.structured.match attributes{lh.kernel = "wgmma-bf16"} in %root : (!op) -> !op
    transform.include @call_whole failures(propagate) (%wgmma_bf16) : (!op) -> ()
    transform.apply_dce to %root : !op
    %whole = transform.apply_registered_pass "inline" to %root : (!op) -> !op
    transform.apply_patterns to %whole {
      transform.apply_patterns.canonicalization
    } {apply_cse} : !op
    transform.yield
  }
}
