// Products to kernels: threads, vectors, registers, pipelines.
//
// Expects: what tile-products leaves, on buffers: scf.forall over blocks of
//   threads with lh.kernel; in it the copies of A's and B's tiles to workgroup
//   memory, in this order, or a gather of A's with lh.gather, and an scf.forall over
//   warps or threads.
// Leaves:  a gpu.launch for each, with lh.product. Tiles are copied 16 bytes a
//   thread; accumulators are carried in registers over the sum. NVIDIA's kernels
//   have three buffers for each operand and copy asynchronously: while one tile
//   is multiplied, the next two are on their way. Rows of matrices that ldmatrix
//   reads are swizzled. All else is untouched.
// Parameters: async, whether there are asynchronous copies to workgroup memory
//   (sm_80 and later).
// Source:  MLIR's nvgpu transform ops; CUTLASS' multistage pipeline. A kernel is
//   taken into a function of its own (loop.outline), since blocks are mapped for
//   one loop of a function, and patterns should leave other kernels alone.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @outline(
      %blocks: !transform.any_op {transform.consumed}) -> !transform.any_op {
    %function, %call = transform.loop.outline %blocks {func_name = "lh_kernel"}
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %private = transform.param.constant "private" -> !transform.any_param
    transform.annotate %function "sym_visibility" = %private
        : !transform.any_op, !transform.any_param
    transform.yield %function : !transform.any_op
  }

  // A tile of rows x columns, each thread one row of 16 bytes.
  transform.named_sequence @copy_row(
      %copy: !transform.any_op {transform.consumed},
      %rows: !transform.param<i64> {transform.readonly},
      %columns: !transform.param<i64> {transform.readonly}) {
    %part, %threads = transform.structured.tile_using_forall %copy
        num_threads [%rows, %columns]
        (mapping = [#gpu.thread<linear_dim_1>, #gpu.thread<linear_dim_0>])
        : (!transform.any_op, !transform.param<i64>, !transform.param<i64>)
        -> (!transform.any_op, !transform.any_op)
    transform.yield
  }

  // ... two rows.
  transform.named_sequence @copy_two_rows(
      %copy: !transform.any_op {transform.consumed},
      %rows: !transform.param<i64> {transform.readonly},
      %columns: !transform.param<i64> {transform.readonly}) {
    %part, %threads = transform.structured.tile_using_forall %copy
        num_threads [%rows, %columns]
        (mapping = [#gpu.thread<linear_dim_1>, #gpu.thread<linear_dim_0>])
        : (!transform.any_op, !transform.param<i64>, !transform.param<i64>)
        -> (!transform.any_op, !transform.any_op)
    %row, %loop = transform.structured.tile_using_for %part tile_sizes [1, 0]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.loop.unroll %loop {factor = 2} : !transform.any_op
    transform.yield
  }

  // ... four rows.
  transform.named_sequence @copy_four_rows(
      %copy: !transform.any_op {transform.consumed},
      %rows: !transform.param<i64> {transform.readonly},
      %columns: !transform.param<i64> {transform.readonly}) {
    %part, %threads = transform.structured.tile_using_forall %copy
        num_threads [%rows, %columns]
        (mapping = [#gpu.thread<linear_dim_1>, #gpu.thread<linear_dim_0>])
        : (!transform.any_op, !transform.param<i64>, !transform.param<i64>)
        -> (!transform.any_op, !transform.any_op)
    %row, %loop = transform.structured.tile_using_for %part tile_sizes [1, 0]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.loop.unroll %loop {factor = 4} : !transform.any_op
    transform.yield
  }

  transform.named_sequence @copies(
      %function: !transform.any_op {transform.readonly})
      -> (!transform.any_op, !transform.any_op) {
    %gathers = transform.structured.match ops{["linalg.generic"]}
        attributes{lh.gather} in %function
        {lh.optional = "A is in memory"} : (!transform.any_op) -> !transform.any_op
    %copies = transform.structured.match ops{["linalg.copy"]} in %function
        : (!transform.any_op) -> !transform.any_op
    %both = transform.merge_handles %gathers, %copies : !transform.any_op
    %left, %right = transform.split_handle %both
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield %left, %right : !transform.any_op, !transform.any_op
  }

  // What is left as linalg becomes vectors; A's and B's copies don't wait for
  // each other.
  transform.named_sequence @vectorize(
      %launch: !transform.any_op {transform.readonly}) -> !transform.any_op {
    transform.annotate %launch "lh.product" : !transform.any_op
    %function = transform.get_parent_op %launch {op_name = "func.func"}
        : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %function {
      transform.apply_patterns.memref.fold_memref_alias_ops
      transform.apply_patterns.canonicalization
    } {apply_cse} : !transform.any_op
    %loaded = transform.apply_registered_pass "lh-load-contiguous" to %function
        : (!transform.any_op) -> !transform.any_op
    %vectors = transform.structured.vectorize_children_and_apply_patterns %loaded
        : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %vectors {
      transform.apply_patterns.memref.fold_memref_alias_ops
      transform.apply_patterns.vector.fold_arith_extension
      transform.apply_patterns.vector.cast_away_vector_leading_one_dim
      transform.apply_patterns.canonicalization
    } {apply_cse} : !transform.any_op
    transform.apply_patterns to %vectors {
      transform.apply_patterns.gpu.eliminate_barriers
    } : !transform.any_op
    transform.yield %vectors : !transform.any_op
  }

  // Accumulators are read before the sum and written after it.
  transform.named_sequence @accumulate_in_registers(
      %function: !transform.any_op {transform.consumed}) -> !transform.any_op {
    %loops = transform.structured.match ops{["scf.for"]} in %function
        : (!transform.any_op) -> !transform.any_op
    transform.apply_licm to %loops : !transform.any_op
    // Between the steps of one tile an accumulator isn't written and read again.
    transform.memref.erase_dead_alloc_and_stores %function
        : (!transform.any_op) -> ()
    %hoisted = transform.structured.hoist_redundant_vector_transfers %function
        : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %hoisted {
      transform.apply_patterns.canonicalization
    } {apply_cse} : !transform.any_op
    transform.yield %hoisted : !transform.any_op
  }

  // Three buffers for each operand, filled by copies that nobody waits for before
  // they are needed.
  transform.named_sequence @pipeline(
      %function: !transform.any_op {transform.consumed}) -> !transform.any_op {
    %buffers = transform.structured.match ops{["memref.alloc"]} in %function
        : (!transform.any_op) -> !transform.op<"memref.alloc">
    %many = transform.memref.multibuffer %buffers {factor = 3 : i64, skip_analysis}
        : (!transform.op<"memref.alloc">) -> !transform.any_op
    transform.apply_patterns to %function {
      transform.apply_patterns.memref.fold_memref_alias_ops
      transform.apply_patterns.canonicalization
      transform.apply_patterns.gpu.eliminate_barriers
    } {apply_cse} : !transform.any_op
    %grouped = transform.nvgpu.create_async_groups %function {bypass_l1}
        : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %grouped {
      transform.apply_patterns.canonicalization
      transform.apply_patterns.gpu.eliminate_barriers
    } {apply_cse} : !transform.any_op
    transform.yield %grouped : !transform.any_op
  }

  transform.named_sequence @overlap_stages(
      %function: !transform.any_op {transform.readonly}) {
    %loop = transform.structured.match ops{["scf.for"]} in %function
        : (!transform.any_op) -> !transform.any_op
    %steady = transform.nvgpu.pipeline_shared_memory_copies failures(propagate) %loop
        {depth = 3, peel_epilogue} : (!transform.any_op) -> !transform.any_op
    transform.yield
  }

  transform.named_sequence @overlap_swizzled_stages(
      %function: !transform.any_op {transform.consumed}) {
    %swizzled = transform.apply_registered_pass "nvgpu-optimize-shared-memory"
        to %function : (!transform.any_op) -> !transform.any_op
    transform.include @overlap_stages failures(propagate) (%swizzled)
        : (!transform.any_op) -> ()
    transform.yield
  }

  // mma.sync by transform ops alone: 16 x 8 x 16 of f16.
  transform.named_sequence @map_mma_f16(
      %blocks: !transform.any_op {transform.consumed}) {
    %function = transform.include @outline failures(propagate) (%blocks)
        : (!transform.any_op) -> !transform.any_op
    %left, %right = transform.include @copies failures(propagate) (%function)
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %c4 = transform.param.constant 4 : i64 -> !transform.param<i64>
    %c8 = transform.param.constant 8 : i64 -> !transform.param<i64>
    %c16 = transform.param.constant 16 : i64 -> !transform.param<i64>
    %c32 = transform.param.constant 32 : i64 -> !transform.param<i64>
    transform.include @copy_four_rows failures(propagate) (%left, %c32, %c4)
        : (!transform.any_op, !transform.param<i64>, !transform.param<i64>) -> ()
    transform.include @copy_four_rows failures(propagate) (%right, %c8, %c16)
        : (!transform.any_op, !transform.param<i64>, !transform.param<i64>) -> ()
    %grid = transform.gpu.map_forall_to_blocks %function generate_gpu_launch
        : (!transform.any_op) -> !transform.any_op
    %launch = transform.gpu.map_nested_forall_to_threads %grid
        block_dims = [32, 2, 2] sync_after_distribute = true
        : (!transform.any_op) -> !transform.any_op
    %vectors = transform.include @vectorize failures(propagate) (%launch)
        : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %vectors {
      transform.apply_patterns.gpu.unroll_vectors_subgroup_mma [16, 8, 16]
    } {apply_cse} : !transform.any_op
    transform.apply_patterns to %vectors {
      transform.apply_patterns.canonicalization
    } {apply_cse} : !transform.any_op
    %accumulated = transform.include @accumulate_in_registers failures(propagate) (%vectors)
        : (!transform.any_op) -> !transform.any_op
    %warps = transform.apply_registered_pass "convert-vector-to-gpu"
        with options = {"use-nvgpu" = true} to %accumulated
        : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %warps {
      transform.apply_patterns.canonicalization
    } {apply_cse} : !transform.any_op
    transform.apply_dce to %warps : !transform.any_op
    %grouped = transform.include @pipeline failures(propagate) (%warps)
        : (!transform.any_op) -> !transform.any_op
    transform.include @overlap_swizzled_stages failures(propagate) (%grouped)
        : (!transform.any_op) -> ()
    transform.yield
  }

  // The same with 16 x 8 x 8 of f32, rounded to tf32. Not swizzled: B is read by
  // single words.
  transform.named_sequence @map_mma_tf32(
      %blocks: !transform.any_op {transform.consumed}) {
    %function = transform.include @outline failures(propagate) (%blocks)
        : (!transform.any_op) -> !transform.any_op
    %left, %right = transform.include @copies failures(propagate) (%function)
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %c4 = transform.param.constant 4 : i64 -> !transform.param<i64>
    %c32 = transform.param.constant 32 : i64 -> !transform.param<i64>
    transform.include @copy_four_rows failures(propagate) (%left, %c32, %c4)
        : (!transform.any_op, !transform.param<i64>, !transform.param<i64>) -> ()
    transform.include @copy_four_rows failures(propagate) (%right, %c4, %c32)
        : (!transform.any_op, !transform.param<i64>, !transform.param<i64>) -> ()
    %grid = transform.gpu.map_forall_to_blocks %function generate_gpu_launch
        : (!transform.any_op) -> !transform.any_op
    %launch = transform.gpu.map_nested_forall_to_threads %grid
        block_dims = [32, 2, 2] sync_after_distribute = true
        : (!transform.any_op) -> !transform.any_op
    %vectors = transform.include @vectorize failures(propagate) (%launch)
        : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %vectors {
      transform.apply_patterns.gpu.unroll_vectors_subgroup_mma [16, 8, 8]
    } {apply_cse} : !transform.any_op
    transform.apply_patterns to %vectors {
      transform.apply_patterns.canonicalization
    } {apply_cse} : !transform.any_op
    %accumulated = transform.include @accumulate_in_registers failures(propagate) (%vectors)
        : (!transform.any_op) -> !transform.any_op
    %warps = transform.apply_registered_pass "convert-vector-to-gpu"
        with options = {"use-nvgpu" = true} to %accumulated
        : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %warps {
      transform.apply_patterns.canonicalization
    } {apply_cse} : !transform.any_op
    transform.apply_dce to %warps : !transform.any_op
    %products = transform.structured.match ops{["nvgpu.mma.sync"]} in %warps
        : (!transform.any_op) -> !transform.any_op
    transform.annotate %products "tf32Enabled" : !transform.any_op
    %grouped = transform.include @pipeline failures(propagate) (%warps)
        : (!transform.any_op) -> !transform.any_op
    transform.include @overlap_stages failures(propagate) (%grouped)
        : (!transform.any_op) -> ()
    transform.yield
  }

  // A warp's instructions: 64 / 8 columns, 64 / 16 rows, 2 steps.
  transform.named_sequence @unroll_warp(
      %function: !transform.any_op {transform.readonly}) {
    %n = transform.structured.match ops{["scf.for"]} attributes{lh.columns} in %function
        : (!transform.any_op) -> !transform.any_op
    transform.loop.unroll %n {factor = 8} : !transform.any_op
    %m = transform.structured.match ops{["scf.for"]} attributes{lh.rows} in %function
        : (!transform.any_op) -> !transform.any_op
    transform.loop.unroll %m {factor = 4} : !transform.any_op
    %k = transform.structured.match ops{["scf.for"]} attributes{lh.steps} in %function
        : (!transform.any_op) -> !transform.any_op
    transform.loop.unroll %k {factor = 2} : !transform.any_op
    transform.yield
  }

  // A wave's: 64 / 16 columns, 64 / 16 rows, 2 steps.
  transform.named_sequence @unroll_wave(
      %function: !transform.any_op {transform.readonly}) {
    %n = transform.structured.match ops{["scf.for"]} attributes{lh.columns} in %function
        : (!transform.any_op) -> !transform.any_op
    transform.loop.unroll %n {factor = 4} : !transform.any_op
    %m = transform.structured.match ops{["scf.for"]} attributes{lh.rows} in %function
        : (!transform.any_op) -> !transform.any_op
    transform.loop.unroll %m {factor = 4} : !transform.any_op
    %k = transform.structured.match ops{["scf.for"]} attributes{lh.steps} in %function
        : (!transform.any_op) -> !transform.any_op
    transform.loop.unroll %k {factor = 2} : !transform.any_op
    transform.yield
  }

  // Kernels whose instructions have been inlined: what is left are copies.
  transform.named_sequence @map_mma_bf16(
      %blocks: !transform.any_op {transform.consumed}) {
    %function = transform.include @outline failures(propagate) (%blocks)
        : (!transform.any_op) -> !transform.any_op
    transform.include @unroll_warp failures(propagate) (%function)
        : (!transform.any_op) -> ()
    %left, %right = transform.include @copies failures(propagate) (%function)
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %c4 = transform.param.constant 4 : i64 -> !transform.param<i64>
    %c8 = transform.param.constant 8 : i64 -> !transform.param<i64>
    %c16 = transform.param.constant 16 : i64 -> !transform.param<i64>
    %c32 = transform.param.constant 32 : i64 -> !transform.param<i64>
    transform.include @copy_four_rows failures(propagate) (%left, %c32, %c4)
        : (!transform.any_op, !transform.param<i64>, !transform.param<i64>) -> ()
    transform.include @copy_four_rows failures(propagate) (%right, %c8, %c16)
        : (!transform.any_op, !transform.param<i64>, !transform.param<i64>) -> ()
    transform.include @map_mma_kernel failures(propagate) (%function)
        : (!transform.any_op) -> ()
    transform.yield
  }

  transform.named_sequence @map_mma_s8(
      %blocks: !transform.any_op {transform.consumed}) {
    %function = transform.include @outline failures(propagate) (%blocks)
        : (!transform.any_op) -> !transform.any_op
    transform.include @unroll_warp failures(propagate) (%function)
        : (!transform.any_op) -> ()
    %left, %right = transform.include @copies failures(propagate) (%function)
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %c4 = transform.param.constant 4 : i64 -> !transform.param<i64>
    %c32 = transform.param.constant 32 : i64 -> !transform.param<i64>
    transform.include @copy_four_rows failures(propagate) (%left, %c32, %c4)
        : (!transform.any_op, !transform.param<i64>, !transform.param<i64>) -> ()
    transform.include @copy_four_rows failures(propagate) (%right, %c32, %c4)
        : (!transform.any_op, !transform.param<i64>, !transform.param<i64>) -> ()
    transform.include @map_mma_kernel failures(propagate) (%function)
        : (!transform.any_op) -> ()
    transform.yield
  }

  transform.named_sequence @map_mma_kernel(
      %function: !transform.any_op {transform.consumed}) {
    %grid = transform.gpu.map_forall_to_blocks %function generate_gpu_launch
        : (!transform.any_op) -> !transform.any_op
    %launch = transform.gpu.map_nested_forall_to_threads %grid
        block_dims = [32, 2, 2] sync_after_distribute = true
        : (!transform.any_op) -> !transform.any_op
    %vectors = transform.include @vectorize failures(propagate) (%launch)
        : (!transform.any_op) -> !transform.any_op
    %accumulated = transform.include @accumulate_in_registers failures(propagate) (%vectors)
        : (!transform.any_op) -> !transform.any_op
    transform.include @lower_transfers failures(propagate) (%accumulated)
        : (!transform.any_op) -> ()
    %grouped = transform.include @pipeline failures(propagate) (%accumulated)
        : (!transform.any_op) -> !transform.any_op
    transform.include @overlap_swizzled_stages failures(propagate) (%grouped)
        : (!transform.any_op) -> ()
    transform.yield
  }

  // AMD's kernels: tiles are copied through registers, and waited for.
  transform.named_sequence @map_mfma(
      %blocks: !transform.any_op {transform.consumed}) {
    %function = transform.include @outline failures(propagate) (%blocks)
        : (!transform.any_op) -> !transform.any_op
    transform.include @unroll_wave failures(propagate) (%function)
        : (!transform.any_op) -> ()
    %left, %right = transform.include @copies failures(propagate) (%function)
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %c4 = transform.param.constant 4 : i64 -> !transform.param<i64>
    %c64 = transform.param.constant 64 : i64 -> !transform.param<i64>
    transform.include @copy_two_rows failures(propagate) (%left, %c64, %c4)
        : (!transform.any_op, !transform.param<i64>, !transform.param<i64>) -> ()
    transform.include @copy_two_rows failures(propagate) (%right, %c64, %c4)
        : (!transform.any_op, !transform.param<i64>, !transform.param<i64>) -> ()
    %grid = transform.gpu.map_forall_to_blocks %function generate_gpu_launch
        : (!transform.any_op) -> !transform.any_op
    %launch = transform.gpu.map_nested_forall_to_threads %grid
        block_dims = [64, 2, 2] sync_after_distribute = true warp_size = 64
        : (!transform.any_op) -> !transform.any_op
    %vectors = transform.include @vectorize failures(propagate) (%launch)
        : (!transform.any_op) -> !transform.any_op
    %accumulated = transform.include @accumulate_in_registers failures(propagate) (%vectors)
        : (!transform.any_op) -> !transform.any_op
    transform.include @lower_transfers failures(propagate) (%accumulated)
        : (!transform.any_op) -> ()
    transform.yield
  }

  transform.named_sequence @map_wmma(
      %blocks: !transform.any_op {transform.consumed}) {
    %function = transform.include @outline failures(propagate) (%blocks)
        : (!transform.any_op) -> !transform.any_op
    transform.include @unroll_wave failures(propagate) (%function)
        : (!transform.any_op) -> ()
    %left, %right = transform.include @copies failures(propagate) (%function)
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %c4 = transform.param.constant 4 : i64 -> !transform.param<i64>
    %c32 = transform.param.constant 32 : i64 -> !transform.param<i64>
    transform.include @copy_four_rows failures(propagate) (%left, %c32, %c4)
        : (!transform.any_op, !transform.param<i64>, !transform.param<i64>) -> ()
    transform.include @copy_four_rows failures(propagate) (%right, %c32, %c4)
        : (!transform.any_op, !transform.param<i64>, !transform.param<i64>) -> ()
    %grid = transform.gpu.map_forall_to_blocks %function generate_gpu_launch
        : (!transform.any_op) -> !transform.any_op
    %launch = transform.gpu.map_nested_forall_to_threads %grid
        block_dims = [32, 2, 2] sync_after_distribute = true
        : (!transform.any_op) -> !transform.any_op
    %vectors = transform.include @vectorize failures(propagate) (%launch)
        : (!transform.any_op) -> !transform.any_op
    %accumulated = transform.include @accumulate_in_registers failures(propagate) (%vectors)
        : (!transform.any_op) -> !transform.any_op
    transform.include @lower_transfers failures(propagate) (%accumulated)
        : (!transform.any_op) -> ()
    transform.yield
  }

  // The GPU backends' lowering takes loads and stores, no transfers.
  transform.named_sequence @lower_transfers(
      %function: !transform.any_op {transform.readonly}) {
    transform.apply_patterns to %function {
      transform.apply_patterns.vector.lower_transfer max_transfer_rank = 1
    } : !transform.any_op
    transform.yield
  }

  // Threads multiply 8 x 8 elements by outer products.
  transform.named_sequence @map_simt(
      %blocks: !transform.any_op {transform.consumed}) -> !transform.any_op {
    %function = transform.include @outline failures(propagate) (%blocks)
        : (!transform.any_op) -> !transform.any_op
    %left, %right = transform.include @copies failures(propagate) (%function)
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %c2 = transform.param.constant 2 : i64 -> !transform.param<i64>
    %c8 = transform.param.constant 8 : i64 -> !transform.param<i64>
    %c32 = transform.param.constant 32 : i64 -> !transform.param<i64>
    %c128 = transform.param.constant 128 : i64 -> !transform.param<i64>
    transform.include @copy_row failures(propagate) (%left, %c128, %c2)
        : (!transform.any_op, !transform.param<i64>, !transform.param<i64>) -> ()
    transform.include @copy_row failures(propagate) (%right, %c8, %c32)
        : (!transform.any_op, !transform.param<i64>, !transform.param<i64>) -> ()
    %grid = transform.gpu.map_forall_to_blocks %function generate_gpu_launch
        : (!transform.any_op) -> !transform.any_op
    %launch = transform.gpu.map_nested_forall_to_threads %grid
        block_dims = [16, 16, 1] sync_after_distribute = true
        : (!transform.any_op) -> !transform.any_op
    %vectors = transform.include @vectorize failures(propagate) (%launch)
        : (!transform.any_op) -> !transform.any_op
    %accumulated = transform.include @accumulate_in_registers failures(propagate) (%vectors)
        : (!transform.any_op) -> !transform.any_op
    transform.yield %accumulated : !transform.any_op
  }

  transform.named_sequence @lower_outer_products(
      %function: !transform.any_op {transform.readonly}) {
    transform.apply_patterns to %function {
      transform.apply_patterns.vector.lower_contraction lowering_strategy = "outerproduct"
      transform.apply_patterns.vector.lower_outerproduct
      transform.apply_patterns.vector.transfer_permutation_patterns
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.apply_patterns to %function {
      transform.apply_patterns.vector.lower_transfer max_transfer_rank = 1
      transform.apply_patterns.vector.transfer_to_scf max_transfer_rank = 1 full_unroll = true
      transform.apply_patterns.vector.lower_transpose
      transform.apply_patterns.vector.lower_shape_cast
      transform.apply_patterns.memref.fold_memref_alias_ops
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.yield
  }

  transform.named_sequence @map_simt_async(
      %blocks: !transform.any_op {transform.consumed}) {
    %accumulated = transform.include @map_simt failures(propagate) (%blocks)
        : (!transform.any_op) -> !transform.any_op
    transform.include @lower_outer_products failures(propagate) (%accumulated)
        : (!transform.any_op) -> ()
    %grouped = transform.include @pipeline failures(propagate) (%accumulated)
        : (!transform.any_op) -> !transform.any_op
    transform.include @overlap_stages failures(propagate) (%grouped)
        : (!transform.any_op) -> ()
    transform.yield
  }

  transform.named_sequence @map_simt_waiting(
      %blocks: !transform.any_op {transform.consumed}) {
    %accumulated = transform.include @map_simt failures(propagate) (%blocks)
        : (!transform.any_op) -> !transform.any_op
    transform.include @lower_outer_products failures(propagate) (%accumulated)
        : (!transform.any_op) -> ()
    transform.yield
  }

  transform.named_sequence @has_async_copies(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    transform.match.operation_name %op ["builtin.module"] : !transform.any_op
    %fact = transform.param.constant true {lh.bind = {value = "async"}}
        -> !transform.param<i1>
    %true = transform.param.constant true -> !transform.param<i1>
    transform.match.param.cmpi eq %fact, %true : !transform.param<i1>
    transform.yield %op : !transform.any_op
  }

  transform.named_sequence @has_no_async_copies(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    transform.match.operation_name %op ["builtin.module"] : !transform.any_op
    %fact = transform.param.constant true {lh.bind = {value = "async"}}
        -> !transform.param<i1>
    %false = transform.param.constant false -> !transform.param<i1>
    transform.match.param.cmpi eq %fact, %false : !transform.param<i1>
    transform.yield %op : !transform.any_op
  }

  transform.named_sequence @map_products(
      %root: !transform.any_op {transform.consumed}) {
    %with_async = transform.collect_matching @has_async_copies in %root
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %with_async : !transform.any_op {
    ^bb0(%module: !transform.any_op):
      %simt = transform.structured.match ops{["scf.forall"]}
          attributes{lh.kernel = "simt"} in %module
          {lh.optional = "none of these"} : (!transform.any_op) -> !transform.any_op
      transform.foreach %simt : !transform.any_op {
      ^bb1(%blocks: !transform.any_op):
        transform.include @map_simt_async failures(propagate) (%blocks) : (!transform.any_op) -> ()
      }
    }
    %without_async = transform.collect_matching @has_no_async_copies in %root
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %without_async : !transform.any_op {
    ^bb0(%module: !transform.any_op):
      %simt = transform.structured.match ops{["scf.forall"]}
          attributes{lh.kernel = "simt"} in %module
          {lh.optional = "none of these"} : (!transform.any_op) -> !transform.any_op
      transform.foreach %simt : !transform.any_op {
      ^bb1(%blocks: !transform.any_op):
        transform.include @map_simt_waiting failures(propagate) (%blocks) : (!transform.any_op) -> ()
      }
    }
    %f16 = transform.structured.match ops{["scf.forall"]}
        attributes{lh.kernel = "mma-f16"} in %root
        {lh.optional = "none of these"} : (!transform.any_op) -> !transform.any_op
    transform.foreach %f16 : !transform.any_op {
    ^bb0(%blocks: !transform.any_op):
      transform.include @map_mma_f16 failures(propagate) (%blocks) : (!transform.any_op) -> ()
    }
    %tf32 = transform.structured.match ops{["scf.forall"]}
        attributes{lh.kernel = "mma-tf32"} in %root
        {lh.optional = "none of these"} : (!transform.any_op) -> !transform.any_op
    transform.foreach %tf32 : !transform.any_op {
    ^bb0(%blocks: !transform.any_op):
      transform.include @map_mma_tf32 failures(propagate) (%blocks) : (!transform.any_op) -> ()
    }
    %bf16 = transform.structured.match ops{["scf.forall"]}
        attributes{lh.kernel = "mma-bf16"} in %root
        {lh.optional = "none of these"} : (!transform.any_op) -> !transform.any_op
    transform.foreach %bf16 : !transform.any_op {
    ^bb0(%blocks: !transform.any_op):
      transform.include @map_mma_bf16 failures(propagate) (%blocks) : (!transform.any_op) -> ()
    }
    %s8 = transform.structured.match ops{["scf.forall"]}
        attributes{lh.kernel = "mma-s8"} in %root
        {lh.optional = "none of these"} : (!transform.any_op) -> !transform.any_op
    transform.foreach %s8 : !transform.any_op {
    ^bb0(%blocks: !transform.any_op):
      transform.include @map_mma_s8 failures(propagate) (%blocks) : (!transform.any_op) -> ()
    }
    %mfma_f16 = transform.structured.match ops{["scf.forall"]}
        attributes{lh.kernel = "mfma-f16"} in %root
        {lh.optional = "none of these"} : (!transform.any_op) -> !transform.any_op
    transform.foreach %mfma_f16 : !transform.any_op {
    ^bb0(%blocks: !transform.any_op):
      transform.include @map_mfma failures(propagate) (%blocks) : (!transform.any_op) -> ()
    }
    %mfma_bf16 = transform.structured.match ops{["scf.forall"]}
        attributes{lh.kernel = "mfma-bf16"} in %root
        {lh.optional = "none of these"} : (!transform.any_op) -> !transform.any_op
    transform.foreach %mfma_bf16 : !transform.any_op {
    ^bb0(%blocks: !transform.any_op):
      transform.include @map_mfma failures(propagate) (%blocks) : (!transform.any_op) -> ()
    }
    %wmma_f16 = transform.structured.match ops{["scf.forall"]}
        attributes{lh.kernel = "wmma-f16"} in %root
        {lh.optional = "none of these"} : (!transform.any_op) -> !transform.any_op
    transform.foreach %wmma_f16 : !transform.any_op {
    ^bb0(%blocks: !transform.any_op):
      transform.include @map_wmma failures(propagate) (%blocks) : (!transform.any_op) -> ()
    }
    %wmma_bf16 = transform.structured.match ops{["scf.forall"]}
        attributes{lh.kernel = "wmma-bf16"} in %root
        {lh.optional = "none of these"} : (!transform.any_op) -> !transform.any_op
    transform.foreach %wmma_bf16 : !transform.any_op {
    ^bb0(%blocks: !transform.any_op):
      transform.include @map_wmma failures(propagate) (%blocks) : (!transform.any_op) -> ()
    }
    %whole = transform.apply_registered_pass "inline" to %root
        : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
