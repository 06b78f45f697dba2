// Matrix products for NVIDIA's GPUs: blocks, shared memory, threads, tensor cores.
//
// Expects: linalg on tensors. Taken are linalg.matmul and batch_matmul of known sizes: f32
//   (any operand may be transposed), and f16 summed in f32 (the right one may be).
// Result:  tile_products, on tensors: operands padded with zeros to whole tiles, and an
//   scf.forall over blocks of threads; map_products, on buffers: a gpu.launch for each.
// Parameters: none. 128 threads compute 128 x 128 results. f32: 16 x 8 a thread, in steps
//   of 16 along the sum; f16: 64 x 64 a warp, in steps of 32.
// Measured: on no GPU. ptxas for sm_90a: f32 255 registers, f16 238; no spills; 48 KiB.
!op = !transform.any_op !value = !transform.any_value !size = !transform.param<i64>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#mk_ = affine_map<(b, m, n, k) -> (b, m, k)>
#kn_ = affine_map<(b, m, n, k) -> (b, k, n)>
#nk_ = affine_map<(b, m, n, k) -> (b, n, k)>
#mn_ = affine_map<(b, m, n, k) -> (b, m, n)>
module attributes {transform.with_named_sequence} {
  // 1. What is taken. A size that isn't known is negative.
  transform.named_sequence @is_product(%op: !op {transform.readonly}, %bits: !size {transform.readonly}) {
    transform.match.operation_name %op ["linalg.matmul", "linalg.batch_matmul"] : !op
    %sizes = transform.match.structured failures(propagate) %op : (!op) -> !size {
    ^bb0(%s: !op):
      transform.match.structured.body %s {contraction = ["arith.mulf", "arith.addf"]} : !op
      %a = transform.match.structured.input %s[0] : (!op) -> !value
      %width = transform.match.structured.elemental_bitwidth %a : (!value) -> !size
      transform.match.param.cmpi eq %width, %bits : !size
      %all = transform.match.structured.dim %s[all] : (!op) -> !size
      transform.match.structured.yield %all : !size
    }
    %one = transform.param.constant 1 : i64 -> !size
    transform.foreach %sizes : !size {
    ^bb0(%size: !size):
      transform.match.param.cmpi ge %size, %one : !size
    }
    transform.yield
  }

  transform.named_sequence @is_f32(%op: !op {transform.readonly}) -> !op {
    %bits = transform.param.constant 32 : i64 -> !size
    transform.include @is_product failures(propagate) (%op, %bits) : (!op, !size) -> ()
    transform.yield %op : !op
  }

  transform.named_sequence @is_f16(%op: !op {transform.readonly}) -> !op {
    %bits = transform.param.constant 16 : i64 -> !size
    transform.include @is_product failures(propagate) (%op, %bits) : (!op, !size) -> ()
    transform.include @widens_f16 failures(propagate) (%op) : (!op) -> ()
    transform.yield %op : !op
  }

  // No matcher tells f16 from bf16, nor A[m, k] from A[k, m], of which convert-vector-to-gpu
  // exchanges two tiles (LLVM 22.1); an included sequence may take other ops than matchers.
  transform.named_sequence @widens_f16(%op: !op {transform.readonly}) {
    %widened = transform.structured.match ops{["arith.extf"]}
        filter_result_type = f32 filter_operand_types = [f16] in %op : (!op) -> !op
    %a = transform.structured.match attributes{indexing_maps = [#mk, #kn, #mn]} in %op : (!op) -> !op
    %b = transform.structured.match attributes{indexing_maps = [#mk, #nk, #mn]} in %op : (!op) -> !op
    %c = transform.structured.match attributes{indexing_maps = [#mk_, #kn_, #mn_]} in %op : (!op) -> !op
    %d = transform.structured.match attributes{indexing_maps = [#mk_, #nk_, #mn_]} in %op : (!op) -> !op
    %all = transform.merge_handles %widened, %a, %b, %c, %d : !op
    %three = transform.param.constant 3 : i64 -> !size
    %count = transform.num_associations %all : (!op) -> !size
    transform.match.param.cmpi eq %count, %three : !size
    transform.yield
  }

  // 2. Operands of whole tiles, and a block of threads for each tile of the result.
  transform.named_sequence @cut(%products: !op {transform.readonly}) -> !op {
    %batch = transform.select "linalg.batch_matmul" in %products : (!op) -> !op
    %matmul = transform.select "linalg.matmul" in %products : (!op) -> !op
    %whole, %zeros, %none = transform.structured.pad %matmul pad_to_multiple_of [128, 128, 32]
        {padding_dimensions = [0, 1, 2], copy_back_op = "none"} : (!op) -> (!op, !op, !op)
    %matrix = transform.structured.generalize %whole : (!op) -> !op
    %one, %blocks = transform.structured.tile_using_forall %matrix tile_sizes [128, 128]
        (mapping = [#gpu.block<y>, #gpu.block<x>]) : (!op) -> (!op, !op)
    // A batch is the grid's third dimension.
    %whole_batch, %zeros_2, %none_2 = transform.structured.pad %batch
        pad_to_multiple_of [1, 128, 128, 32]
        {padding_dimensions = [0, 1, 2, 3], copy_back_op = "none"} : (!op) -> (!op, !op, !op)
    %cube = transform.structured.generalize %whole_batch : (!op) -> !op
    %slab, %batch_blocks = transform.structured.tile_using_forall %cube tile_sizes [1, 128, 128]
        (mapping = [#gpu.block<z>, #gpu.block<y>, #gpu.block<x>]) : (!op) -> (!op, !op)
    transform.apply_patterns to %batch_blocks {
      transform.apply_patterns.linalg.fold_unit_extent_dims_via_slices
    } : !op
    %others = transform.foreach %batch_blocks : !op -> !op {
    ^bb0(%loop: !op):
      %product = transform.structured.match ops{["linalg.generic"]} in %loop : (!op) -> !op
      transform.yield %product : !op
    }
    %tiles = transform.merge_handles %one, %others : !op
    transform.yield %tiles : !op
  }

  // 3. Steps along the sum copy their tiles of A and B to shared memory. Warps are thread
  // ids of their own (z, y): if they were computed by division, nothing could tell that their
  // accumulators don't overlap.
  transform.named_sequence @tile_products(%root: !op {transform.readonly}) {
    %f32 = transform.collect_matching @is_f32 in %root : (!op) -> !op
    %f16 = transform.collect_matching @is_f16 in %root : (!op) -> !op
    %blocks = transform.include @cut failures(propagate) (%f32) : (!op) -> !op
    %others = transform.include @cut failures(propagate) (%f16) : (!op) -> !op
    %step, %sum = transform.structured.tile_using_for %blocks tile_sizes [0, 0, 16]
        : (!op) -> (!op, !op)
    %tiles = transform.get_operand %step[0, 1] : (!op) -> !value
    %shared = transform.structured.promote_tensor to #gpu.address_space<workgroup> %tiles : !value
    %part, %threads = transform.structured.tile_using_forall %step num_threads [8, 16]
        (mapping = [#gpu.thread<linear_dim_1>, #gpu.thread<linear_dim_0>]) : (!op) -> (!op, !op)
    transform.annotate %threads "simt" : !op
    %steps, %sums = transform.structured.tile_using_for %others tile_sizes [0, 0, 32]
        : (!op) -> (!op, !op)
    %pair = transform.get_operand %steps[0, 1] : (!op) -> !value
    %near = transform.structured.promote_tensor to #gpu.address_space<workgroup> %pair : !value
    %unit, %warps = transform.structured.tile_using_forall %steps num_threads [2, 2]
        (mapping = [#gpu.warp<z>, #gpu.warp<y>]) : (!op) -> (!op, !op)
    transform.annotate %warps "mma" : !op
    transform.yield
  }

  // 4. On buffers: each kernel in a function of its own, as blocks are mapped for one loop
  // of a function. Threads share a copy, four rows of 16 bytes each. A's copy is mapped last
  // and has no barrier of its own: the one behind B's is for both.
  transform.named_sequence @copy(%copy: !op {transform.consumed}, %n: !size {transform.readonly}) {
    %part, %threads = transform.structured.tile_using_forall %copy tile_sizes [4, %n]
        (mapping = [#gpu.thread<linear_dim_1>, #gpu.thread<linear_dim_0>])
        : (!op, !size) -> (!op, !op)
    %row, %loop = transform.structured.tile_using_for %part tile_sizes [1, 0] : (!op) -> (!op, !op)
    transform.annotate %loop "rows" : !op
    transform.yield
  }

  transform.named_sequence @map(%parts: !op {transform.readonly}, %n: !size {transform.readonly})
      -> !op {
    %blocks = transform.get_parent_op %parts {op_name = "scf.forall"} : (!op) -> !op
    %kernel, %call = transform.loop.outline %blocks {func_name = "kernel"} : (!op) -> (!op, !op)
    %grid = transform.gpu.map_forall_to_blocks %kernel generate_gpu_launch : (!op) -> !op
    %copies = transform.structured.match ops{["linalg.copy"]} in %grid : (!op) -> !op
    %a, %b = transform.split_handle %copies : (!op) -> (!op, !op)
    transform.annotate %a "left" : !op
    transform.include @copy failures(propagate) (%b, %n) : (!op, !size) -> ()
    %products = transform.gpu.map_nested_forall_to_threads %grid block_dims = [32, 2, 2]
        : (!op) -> !op
    %left = transform.structured.match attributes{left} in %products : (!op) -> !op
    transform.include @copy failures(propagate) (%left, %n) : (!op, !size) -> ()
    %launch = transform.gpu.map_nested_forall_to_threads %products block_dims = [32, 2, 2]
        sync_after_distribute = false : (!op) -> !op
    %function = transform.get_parent_op %launch {op_name = "func.func"} : (!op) -> !op
    %loops = transform.structured.match ops{["scf.for"]} attributes{rows} in %function
        : (!op) -> !op
    transform.loop.unroll %loops {factor = 4} : !op
    transform.yield %function : !op
  }

  // 5. Vectors, products in pieces of an instruction's shape where they are that large; the
  // accumulators stay in registers while the loop along the sum runs.
  transform.named_sequence @vectorize(%function: !op {transform.consumed}) -> !op {
    %vectors = transform.structured.vectorize_children_and_apply_patterns %function : (!op) -> !op
    transform.apply_patterns to %vectors {
      transform.apply_patterns.memref.fold_memref_alias_ops
      transform.apply_patterns.vector.fold_arith_extension
      transform.apply_patterns.vector.cast_away_vector_leading_one_dim
      transform.apply_patterns.gpu.eliminate_barriers
      transform.apply_patterns.canonicalization
    } {apply_cse} : !op
    transform.apply_patterns to %vectors {
      transform.apply_patterns.gpu.unroll_vectors_subgroup_mma [16, 8, 16]
    } {apply_cse} : !op
    %hoisted = transform.structured.hoist_redundant_vector_transfers %vectors : (!op) -> !op
    transform.yield %hoisted : !op
  }

  // 6. Three buffers for each operand: while one is multiplied, asynchronous copies fill the
  // other two.
  transform.named_sequence @copy_ahead(%function: !op {transform.consumed}) -> !op {
    %buffers = transform.structured.match ops{["memref.alloc"]} in %function
        : (!op) -> !transform.op<"memref.alloc">
    %many = transform.memref.multibuffer %buffers {factor = 3 : i64, skip_analysis}
        : (!transform.op<"memref.alloc">) -> !op
    transform.apply_patterns to %function {
      transform.apply_patterns.memref.fold_memref_alias_ops
      transform.apply_patterns.canonicalization
      transform.apply_patterns.gpu.eliminate_barriers
    } {apply_cse} : !op
    %async = transform.nvgpu.create_async_groups %function {bypass_l1} : (!op) -> !op
    transform.yield %async : !op
  }

  transform.named_sequence @overlap(%function: !op {transform.readonly}) {
    %sum = transform.structured.match ops{["scf.for"]} in %function : (!op) -> !op
    transform.sequence %sum : !op failures(suppress)
        attributes {lh.optional = "sums of fewer than three steps"} {
    ^bb0(%loop: !op):
      %steady = transform.nvgpu.pipeline_shared_memory_copies failures(propagate) %loop
          {depth = 3, peel_epilogue} : (!op) -> !op
    }
    // Shared memory: globals of the module, on the bound that ldmatrix needs.
    transform.apply_patterns to %function {
      transform.apply_patterns.memref.alloc_to_alloca
    } : !op
    %buffers = transform.structured.match ops{["memref.alloca"]} in %function
        : (!op) -> !transform.op<"memref.alloca">
    %uses, %globals = transform.memref.alloca_to_global %buffers
        : (!transform.op<"memref.alloca">) -> (!op, !op)
    %bytes = transform.param.constant 128 : i64 -> !size
    transform.annotate %globals "alignment" = %bytes : !op, !size
    transform.annotate %globals "initial_value" : !op
    transform.yield
  }

  // 7. f32: a thread's product is outer products. f16: ldmatrix and mma.sync; rows in shared
  // memory are swizzled, so that the rows of an ldmatrix are in different banks.
  transform.named_sequence @map_products(%root: !op {transform.readonly}) {
    %simt = transform.structured.match ops{["scf.forall"]} attributes{simt} in %root : (!op) -> !op
    transform.foreach %simt : !op {
    ^bb0(%threads: !op):
      %four = transform.param.constant 4 : i64 -> !size
      %function = transform.include @map failures(propagate) (%threads, %four) : (!op, !size) -> !op
      %vectors = transform.include @vectorize failures(propagate) (%function) : (!op) -> !op
      transform.apply_patterns to %vectors {
        transform.apply_patterns.vector.lower_contraction lowering_strategy = "outerproduct"
        transform.apply_patterns.vector.lower_outerproduct
        transform.apply_patterns.vector.transfer_permutation_patterns
        transform.apply_patterns.vector.lower_transfer max_transfer_rank = 1
        transform.apply_patterns.vector.transfer_to_scf max_transfer_rank = 1 full_unroll = true
        transform.apply_patterns.vector.lower_transpose
        transform.apply_patterns.vector.lower_shape_cast
        transform.apply_patterns.memref.fold_memref_alias_ops
        transform.apply_patterns.canonicalization
      } : !op
      %async = transform.include @copy_ahead failures(propagate) (%vectors) : (!op) -> !op
      transform.include @overlap failures(propagate) (%async) : (!op) -> ()
    }
    %mma = transform.structured.match ops{["scf.forall"]} attributes{mma} in %root : (!op) -> !op
    transform.foreach %mma : !op {
    ^bb0(%warps: !op):
      %eight = transform.param.constant 8 : i64 -> !size
      %function = transform.include @map failures(propagate) (%warps, %eight) : (!op, !size) -> !op
      %vectors = transform.include @vectorize failures(propagate) (%function) : (!op) -> !op
      %units = transform.apply_registered_pass "convert-vector-to-gpu"
          with options = {"use-nvgpu" = true} to %vectors : (!op) -> !op
      %async = transform.include @copy_ahead failures(propagate) (%units) : (!op) -> !op
      %swizzled = transform.apply_registered_pass "nvgpu-optimize-shared-memory" to %async
          : (!op) -> !op
      transform.include @overlap failures(propagate) (%swizzled) : (!op) -> ()
    }
    transform.yield
  }
}
