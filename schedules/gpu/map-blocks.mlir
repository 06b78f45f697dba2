// How blocks of threads become a launch: threads, the copies they share, vectors.
//
// Expects: an scf.forall over blocks of threads, as in map-products, with lh.threads.
// Result:  a gpu.launch with lh.product_launch in a function of its own. Its copies are
//   shared by threads, the loops over instructions unrolled, and what was linalg is
//   vectors. Each of the last two sequences is for one shape of blocks.
// Parameters: warp_size, as in map-products.
// Source:  as map-products.
!op = !transform.any_op
!param = !transform.any_param
!size = !transform.param<i64>
module attributes {transform.with_named_sequence} {
  // Threads rows x columns share a copy: 16 bytes of a row each, one to four rows.
  transform.named_sequence @copy_by(%copy: !op {transform.consumed},
      %rows: !size {transform.readonly}, %columns: !size {transform.readonly}) {
    %part, %threads = transform.structured.tile_using_forall %copy
        num_threads [%rows, %columns]
        (mapping = [#gpu.thread<linear_dim_1>, #gpu.thread<linear_dim_0>])
        : (!op, !size, !size) -> (!op, !op)
    %row, %loop = transform.structured.tile_using_for %part tile_sizes [1, 0]
        : (!op) -> (!op, !op)
    transform.annotate %loop "lh.unroll" : !op
    transform.yield
  }

  // The copy of B's tile, with its threads. A's is left for later.
  transform.named_sequence @share_right(%function: !op {transform.readonly}) {
    %gathers = transform.structured.match ops{["linalg.generic"]} attributes{lh.gather}
        in %function {lh.optional = "A is in memory"} : (!op) -> !op
    %copies = transform.structured.match ops{["linalg.copy"]} in %function : (!op) -> !op
    %both = transform.merge_handles %gathers, %copies : !op
    %left, %right = transform.split_handle %both : (!op) -> (!op, !op)
    transform.annotate %left "lh.left" : !op
    %rows = transform.dlti.query ["right_rows"] at %right : (!op) -> !size
    %columns = transform.dlti.query ["right_columns"] at %right : (!op) -> !size
    transform.include @copy_by failures(propagate) (%right, %rows, %columns)
        : (!op, !size, !size) -> ()
    transform.yield
  }

  // The copy of A's tile, with its threads. Mapped after all else, it has no
  // barrier of its own: the one behind B's copy is for both. What is unrolled is
  // 1, 2 or 4 rows; a loop over one row folds away.
  transform.named_sequence @share_left(%launch: !op {transform.readonly},
      %rows: !size {transform.readonly}, %columns: !size {transform.readonly}) {
    %left = transform.structured.match attributes{lh.left} in %launch : (!op) -> !op
    transform.include @copy_by failures(propagate) (%left, %rows, %columns)
        : (!op, !size, !size) -> ()
    transform.include @unroll_by_two failures(propagate) (%launch) : (!op) -> ()
    transform.include @unroll_by_two failures(propagate) (%launch) : (!op) -> ()
    transform.yield
  }

  // The loops over a warp's instructions, inner ones first: each has 1, 2, 4 or 8
  // steps, and three times unrolling by two leaves nothing of it.
  transform.named_sequence @unroll_by_two(%function: !op {transform.readonly}) {
    %loops = transform.structured.match ops{["scf.for"]} attributes{lh.unroll} in %function
        {lh.optional = "unrolled"} : (!op) -> !op
    transform.loop.unroll %loops {factor = 2} : !op
    transform.yield
  }

  // The kernel in a function of its own, its blocks launched, B's copy shared; and the
  // rows and columns of threads that are to copy A.
  transform.named_sequence @map_blocks(%blocks: !op {transform.consumed})
      -> (!op, !size, !size) {
    %rows = transform.dlti.query ["left_rows"] at %blocks : (!op) -> !size
    %columns = transform.dlti.query ["left_columns"] at %blocks : (!op) -> !size
    %function, %call = transform.loop.outline %blocks {func_name = "lh_kernel"}
        : (!op) -> (!op, !op)
    %private = transform.param.constant "private" -> !param
    transform.annotate %function "sym_visibility" = %private : !op, !param
    transform.include @unroll_by_two failures(propagate) (%function) : (!op) -> ()
    transform.include @unroll_by_two failures(propagate) (%function) : (!op) -> ()
    transform.include @unroll_by_two failures(propagate) (%function) : (!op) -> ()
    transform.include @share_right failures(propagate) (%function) : (!op) -> ()
    %grid = transform.gpu.map_forall_to_blocks %function generate_gpu_launch : (!op) -> !op
    transform.yield %grid, %rows, %columns : !op, !size, !size
  }

  // What is left as linalg becomes vectors; A's and B's copies don't wait for
  // each other.
  transform.named_sequence @vectorize(%launch: !op {transform.readonly}) -> !op {
    transform.annotate %launch "lh.product_launch" : !op
    %function = transform.get_parent_op %launch {op_name = "func.func"} : (!op) -> !op
    transform.apply_patterns to %function {
      transform.apply_patterns.memref.fold_memref_alias_ops
      transform.apply_patterns.canonicalization
    } {apply_cse} : !op
    %loaded = transform.apply_registered_pass "lh-load-contiguous" to %function : (!op) -> !op
    %vectors = transform.structured.vectorize_children_and_apply_patterns %loaded
        : (!op) -> !op
    transform.apply_patterns to %vectors {
      transform.apply_patterns.memref.fold_memref_alias_ops
      transform.apply_patterns.vector.fold_arith_extension
      transform.apply_patterns.vector.cast_away_vector_leading_one_dim
      transform.apply_patterns.canonicalization
    } {apply_cse} : !op
    transform.apply_patterns to %vectors {
      transform.apply_patterns.gpu.eliminate_barriers
    } : !op
    transform.yield %vectors : !op
  }

  // Four warps a block; AMD calls them waves, and some have 64 threads.
  transform.named_sequence @map_warps(%blocks: !op {transform.consumed}) -> !op {
    %grid, %rows, %columns = transform.include @map_blocks failures(propagate) (%blocks)
        : (!op) -> (!op, !size, !size)
    %products = transform.gpu.map_nested_forall_to_threads %grid
        block_dims = [32, 2, 2] sync_after_distribute = true warp_size = 32
        {lh.bind = {block_dims = ["warp_size", 2, 2], warp_size = "warp_size"}} : (!op) -> !op
    transform.include @share_left failures(propagate) (%products, %rows, %columns)
        : (!op, !size, !size) -> ()
    %launch = transform.gpu.map_nested_forall_to_threads %products
        block_dims = [32, 2, 2] sync_after_distribute = false warp_size = 32
        {lh.bind = {block_dims = ["warp_size", 2, 2], warp_size = "warp_size"}} : (!op) -> !op
    %vectors = transform.include @vectorize failures(propagate) (%launch) : (!op) -> !op
    transform.yield %vectors : !op
  }

  // 256 threads.
  transform.named_sequence @map_threads(%blocks: !op {transform.consumed}) -> !op {
    %grid, %rows, %columns = transform.include @map_blocks failures(propagate) (%blocks)
        : (!op) -> (!op, !size, !size)
    %products = transform.gpu.map_nested_forall_to_threads %grid
        block_dims = [16, 16, 1] sync_after_distribute = true : (!op) -> !op
    transform.include @share_left failures(propagate) (%products, %rows, %columns)
        : (!op, !size, !size) -> ()
    %launch = transform.gpu.map_nested_forall_to_threads %products
        block_dims = [16, 16, 1] sync_after_distribute = false : (!op) -> !op
    %vectors = transform.include @vectorize failures(propagate) (%launch) : (!op) -> !op
    transform.yield %vectors : !op
  }
}
