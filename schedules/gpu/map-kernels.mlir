// How the kernels of products are mapped to vectors, registers and matrix units, one
// sequence for each kind of kernel; map-products says which takes which.
//
// Expects: an scf.forall over blocks of threads, as in map-products.
// Leaves:  a gpu.launch with lh.product_launch in its place.
// Parameters: async, whether there are asynchronous copies to workgroup memory.
// Source:  as map-products.
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

  // How many blocks should be on a multiprocessor. Where A's elements are takes
  // registers to find: kernels that gather have what they like.
  transform.named_sequence @resident_blocks(%blocks: !op {transform.readonly}) -> !size {
    %gathers = transform.structured.match ops{["linalg.generic"]} attributes{lh.gather}
        in %blocks {lh.optional = "A is in memory"} : (!op) -> !op
    %resident = transform.lh.if %gathers : !op -> !size {
      %any = transform.param.constant 0 : i64 -> !size
      transform.yield %any : !size
    } else {
      %asked = transform.dlti.query ["resident"] at %blocks : (!op) -> !size
      transform.yield %asked : !size
    }
    transform.yield %resident : !size
  }

  // Threads multiply their elements by outer products. Where copies are asynchronous
  // they overlap with the products.
  transform.named_sequence @map_simt(%blocks: !op {transform.consumed}) {
    %resident = transform.include @resident_blocks failures(propagate) (%blocks)
        : (!op) -> !size
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
      transform.lh.if %resident : !size {
        transform.annotate %steady "lh.resident_blocks" = %resident : !op, !size
      }
    }
    transform.yield
  }
}
