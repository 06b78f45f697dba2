// Products to kernels: threads, vectors, registers, pipelines.
//
// Expects: what tile-products leaves, on buffers: scf.forall over blocks of
//   threads with lh.kernel and lh.threads; in it the copies of A's and B's tiles to
//   workgroup memory, in this order, or a gather of A's with lh.gather, and an
//   scf.forall over warps or threads.
// Result:  a gpu.launch for each, with lh.product_launch. Tiles are copied 16 bytes a
//   thread; accumulators are carried in registers over the sum. NVIDIA's kernels
//   have three buffers for each operand and copy asynchronously: while one tile
//   is multiplied, the next two are on their way. Rows of matrices that ldmatrix
//   reads are swizzled. All else is untouched.
// Parameters: async, whether there are asynchronous copies to workgroup memory
//   (sm_80 and later); warp_size, the threads of a warp (AMD: a wave).
// Source:  MLIR's nvgpu transform ops; CUTLASS' multistage pipeline. A kernel is
//   taken into a function of its own (loop.outline), since blocks are mapped for
//   one loop of a function, and patterns should leave other kernels alone.
!op = !transform.any_op
!size = !transform.param<i64>
!flag = !transform.param<i1>
module attributes {transform.with_named_sequence} {
  // Of map-blocks.mlir:
  transform.named_sequence private @map_threads(!op {transform.consumed}) -> !op
  transform.named_sequence private @map_warps(!op {transform.consumed}) -> !op

  // Accumulators are read before the sum and written after it.
  transform.named_sequence @accumulate_in_registers(%function: !op {transform.consumed})
      -> !op {
    %loops = transform.structured.match ops{["scf.for"]} in %function : (!op) -> !op
    transform.apply_licm to %loops : !op
    // Between the steps of one tile an accumulator isn't written and read again.
    transform.memref.erase_dead_alloc_and_stores %function : (!op) -> ()
    %hoisted = transform.structured.hoist_redundant_vector_transfers %function
        : (!op) -> !op
    transform.apply_patterns to %hoisted {
      transform.apply_patterns.canonicalization
    } {apply_cse} : !op
    transform.yield %hoisted : !op
  }

  // Three buffers for each operand, filled by copies that nobody waits for before
  // they are needed.
  transform.named_sequence @pipeline(%function: !op {transform.consumed}) -> !op {
    %buffers = transform.structured.match ops{["memref.alloc"]} in %function
        : (!op) -> !transform.op<"memref.alloc">
    %many = transform.memref.multibuffer %buffers {factor = 3 : i64, skip_analysis}
        : (!transform.op<"memref.alloc">) -> !op
    transform.apply_patterns to %function {
      transform.apply_patterns.memref.fold_memref_alias_ops
      transform.apply_patterns.canonicalization
      transform.apply_patterns.gpu.eliminate_barriers
    } {apply_cse} : !op
    %grouped = transform.nvgpu.create_async_groups %function {bypass_l1} : (!op) -> !op
    transform.apply_patterns to %grouped {
      transform.apply_patterns.canonicalization
      transform.apply_patterns.gpu.eliminate_barriers
    } {apply_cse} : !op
    transform.yield %grouped : !op
  }

  transform.named_sequence @overlap_stages(%function: !op {transform.readonly}) -> !op {
    %loop = transform.structured.match ops{["scf.for"]} in %function : (!op) -> !op
    %steady = transform.nvgpu.pipeline_shared_memory_copies failures(propagate) %loop
        {depth = 3, peel_epilogue} : (!op) -> !op
    transform.yield %steady : !op
  }

  transform.named_sequence @overlap_swizzled_stages(%function: !op {transform.consumed}) {
    %grouped = transform.include @pipeline failures(propagate) (%function) : (!op) -> !op
    %swizzled = transform.apply_registered_pass "nvgpu-optimize-shared-memory"
        to %grouped : (!op) -> !op
    %steady = transform.include @overlap_stages failures(propagate) (%swizzled)
        : (!op) -> !op
    transform.yield
  }

  // Vectors of an instruction's shape become mma.sync.
  transform.named_sequence @use_units(%vectors: !op {transform.consumed}) -> !op {
    transform.apply_patterns to %vectors {
      transform.apply_patterns.canonicalization
    } {apply_cse} : !op
    %accumulated = transform.include @accumulate_in_registers failures(propagate) (%vectors)
        : (!op) -> !op
    %warps = transform.apply_registered_pass "convert-vector-to-gpu"
        with options = {"use-nvgpu" = true} to %accumulated : (!op) -> !op
    transform.apply_patterns to %warps {
      transform.apply_patterns.canonicalization
    } {apply_cse} : !op
    transform.apply_dce to %warps : !op
    transform.yield %warps : !op
  }

  // mma.sync by transform ops alone: 16 x 8 x 16 of f16.
  transform.named_sequence @map_mma_f16(%blocks: !op {transform.consumed}) {
    %vectors = transform.include @map_warps failures(propagate) (%blocks) : (!op) -> !op
    transform.apply_patterns to %vectors {
      transform.apply_patterns.gpu.unroll_vectors_subgroup_mma [16, 8, 16]
    } {apply_cse} : !op
    %units = transform.include @use_units failures(propagate) (%vectors) : (!op) -> !op
    transform.include @overlap_swizzled_stages failures(propagate) (%units) : (!op) -> ()
    transform.yield
  }

  // The same with 16 x 8 x 8 of f32, rounded to tf32. Not swizzled: B is read by
  // single words.
  transform.named_sequence @map_mma_tf32(%blocks: !op {transform.consumed}) {
    %vectors = transform.include @map_warps failures(propagate) (%blocks) : (!op) -> !op
    transform.apply_patterns to %vectors {
      transform.apply_patterns.gpu.unroll_vectors_subgroup_mma [16, 8, 8]
    } {apply_cse} : !op
    %warps = transform.include @use_units failures(propagate) (%vectors) : (!op) -> !op
    %units = transform.structured.match ops{["nvgpu.mma.sync"]} in %warps : (!op) -> !op
    transform.annotate %units "tf32Enabled" : !op
    %grouped = transform.include @pipeline failures(propagate) (%warps) : (!op) -> !op
    %steady = transform.include @overlap_stages failures(propagate) (%grouped) : (!op) -> !op
    transform.yield
  }

  // Kernels whose instructions have been inlined: what is left are copies. The GPU
  // backends' lowering takes loads and stores, no transfers.
  transform.named_sequence @keep_units(%vectors: !op {transform.consumed}) -> !op {
    %accumulated = transform.include @accumulate_in_registers failures(propagate) (%vectors)
        : (!op) -> !op
    transform.apply_patterns to %accumulated {
      transform.apply_patterns.vector.lower_transfer max_transfer_rank = 1
    } : !op
    transform.yield %accumulated : !op
  }

  // AMD's tiles are copied through registers, and waited for.
  transform.named_sequence @map_instructions(%blocks: !op {transform.consumed}) {
    %vectors = transform.include @map_warps failures(propagate) (%blocks) : (!op) -> !op
    %units = transform.include @keep_units failures(propagate) (%vectors) : (!op) -> !op
    %async = transform.param.constant true {lh.bind = {value = "async"}} -> !flag
    transform.lh.if %async : !flag {
      transform.include @overlap_swizzled_stages failures(propagate) (%units) : (!op) -> ()
    }
    transform.yield
  }

  // Threads multiply their elements by outer products. Where copies are asynchronous
  // they overlap with the products. Where A's elements are takes registers to find:
  // only kernels that don't gather say how many blocks should be on a multiprocessor.
  transform.named_sequence @map_simt(%blocks: !op {transform.consumed}) {
    %gathers = transform.structured.match ops{["linalg.generic"]} attributes{lh.gather}
        in %blocks {lh.optional = "A is in memory"} : (!op) -> !op
    %gathered = transform.num_associations %gathers : (!op) -> !size
    %resident = transform.dlti.query ["resident"] at %blocks : (!op) -> !size
    %vectors = transform.include @map_threads failures(propagate) (%blocks) : (!op) -> !op
    %accumulated = transform.include @accumulate_in_registers failures(propagate) (%vectors)
        : (!op) -> !op
    transform.apply_patterns to %accumulated {
      transform.apply_patterns.vector.lower_contraction lowering_strategy = "outerproduct"
      transform.apply_patterns.vector.lower_outerproduct
      transform.apply_patterns.vector.transfer_permutation_patterns
      transform.apply_patterns.canonicalization
    } : !op
    transform.apply_patterns to %accumulated {
      transform.apply_patterns.vector.lower_transfer max_transfer_rank = 1
      transform.apply_patterns.vector.transfer_to_scf max_transfer_rank = 1 full_unroll = true
      transform.apply_patterns.vector.lower_transpose
      transform.apply_patterns.vector.lower_shape_cast
      transform.apply_patterns.memref.fold_memref_alias_ops
      transform.apply_patterns.canonicalization
    } : !op
    %async = transform.param.constant true {lh.bind = {value = "async"}} -> !flag
    transform.lh.if %async : !flag {
      %grouped = transform.include @pipeline failures(propagate) (%accumulated)
          : (!op) -> !op
      %steady = transform.include @overlap_stages failures(propagate) (%grouped)
          : (!op) -> !op
      transform.lh.if %gathered : !size {
      } else {
        transform.annotate %steady "lh.resident_blocks" = %resident : !op, !size
      }
    }
    transform.yield
  }

  // Buffers in workgroup memory get their place: globals of the module, on a bound
  // that 16-byte copies, matrix loads and tensor copies all can work with. A kernel
  // that needs more than it may declare (48 KiB on NVIDIA's GPUs) asks for it at
  // launch, in its text, as kernels/wgmma.mlir does.
  transform.named_sequence @share_memory(%root: !op {transform.readonly}) {
    %launches = transform.structured.match ops{["gpu.launch"]} in %root
        {lh.optional = "there may be no products"} : (!op) -> !op
    %bytes = transform.param.constant 128 : i64 -> !size
    transform.foreach %launches : !op {
    ^bb0(%launch: !op):
      transform.apply_patterns to %launch {
        transform.apply_patterns.memref.alloc_to_alloca
      } : !op
      %buffers = transform.structured.match ops{["memref.alloca"]} in %launch
          {lh.optional = "kernels in text have places already"}
          : (!op) -> !transform.op<"memref.alloca">
      %uses, %globals = transform.memref.alloca_to_global %buffers
          : (!transform.op<"memref.alloca">) -> (!op, !op)
      transform.annotate %globals "alignment" = %bytes : !op, !size
      // Without it, they would be somebody else's.
      transform.annotate %globals "initial_value" : !op
    }
    transform.yield
  }

  transform.named_sequence @map_products(%root: !op {transform.consumed}) {
    %simt = transform.structured.match ops{["scf.forall"]} attributes{lh.kernel = "simt"}
        in %root {lh.optional = "none of these"} : (!op) -> !op
    transform.foreach %simt : !op {
    ^bb0(%blocks: !op):
      transform.include @map_simt failures(propagate) (%blocks) : (!op) -> ()
    }
    %mma_f16 = transform.structured.match ops{["scf.forall"]} attributes{lh.kernel = "mma-f16"}
        in %root {lh.optional = "none of these"} : (!op) -> !op
    transform.foreach %mma_f16 : !op {
    ^bb0(%blocks: !op):
      transform.include @map_mma_f16 failures(propagate) (%blocks) : (!op) -> ()
    }
    %mma_tf32 = transform.structured.match ops{["scf.forall"]} attributes{lh.kernel = "mma-tf32"}
        in %root {lh.optional = "none of these"} : (!op) -> !op
    transform.foreach %mma_tf32 : !op {
    ^bb0(%blocks: !op):
      transform.include @map_mma_tf32 failures(propagate) (%blocks) : (!op) -> ()
    }
    %instructions = transform.structured.match ops{["scf.forall"]}
        attributes{lh.kernel = "instruction"} in %root {lh.optional = "none of these"} : (!op) -> !op
    transform.foreach %instructions : !op {
    ^bb0(%blocks: !op):
      transform.include @map_instructions failures(propagate) (%blocks) : (!op) -> ()
    }
    %whole = transform.apply_registered_pass "inline" to %root : (!op) -> !op
    %simple = transform.apply_registered_pass "canonicalize" to %whole : (!op) -> !op
    %folded = transform.apply_registered_pass "cse" to %simple : (!op) -> !op
    transform.include @share_memory failures(propagate) (%folded) : (!op) -> ()
    transform.yield
  }
}
