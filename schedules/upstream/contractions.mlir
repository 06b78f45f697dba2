// Matrix products of f32, tiled for caches and registers.
//
// Expects: what products.mlir leaves: linalg.generic marked "product".
// Result:  per product, loops over blocks of B, packed there, over rows, over panels
//   of columns, and over the sum, with accumulators in registers, on which one
//   elementwise op that follows is computed. Rows that fill no tile are peeled off.
// Parameters: rows and columns, the register tile; block, the columns in a block.
// Measured (f32, one core with AMX, AVX-512, speed relative to cpu/optimize, by
//   turns): 512^3 0.96 to 0.98, 1024^3 0.97, 1000^3 1.00, 127x513x259 0.96.
!op = !transform.any_op
!size = !transform.param<i64>
!pack = !transform.op<"linalg.pack">
!generic = !transform.op<"linalg.generic">
module attributes {transform.with_named_sequence} {
  // 1. B and C in panels of columns. B's numbers lie as they are read, those at one
  // point of the sum side by side; for C the canonicalizer moves the layout on.
  transform.named_sequence @pack(%product: !op {transform.consumed}) {
    %packed = transform.structured.pack %product packed_sizes = [0, 32, 0]
        {lh.bind = {static_packed_sizes = [0, "columns", 0]}} : (!op) -> !generic
    transform.annotate %packed "panels" : !generic
    %b = transform.get_producer_of_operand %packed[1] : (!generic) -> !op
    // B[k, n]; a B[n, k] is in order already.
    %by_k = transform.structured.match ops{["linalg.pack"]} attributes{inner_dims_pos = array<i64: 1>} in %b : (!op) -> !op
    transform.foreach %by_k : !op {
    ^bb0(%any: !op):
      %pack = transform.cast %any : !op to !pack
      %user = transform.get_consumers_of_result %pack[0] : (!pack) -> !generic
      %turned, %new, %none = transform.structured.pack_transpose %pack with_compute_op(%user) outer_perm = [1, 0]
          : (!pack, !generic) -> (!op, !pack, !op)
      transform.annotate %turned "panels" : !op
    }
    transform.yield
  }

  // 2. What follows a product elementwise is computed on its tiles: that of the first
  // operand if two products are added, as an op can be in the loops of one alone.
  transform.named_sequence @of_first(%op: !op {transform.readonly}) -> (!op, !op, !op) {
    transform.match.operation_name %op ["linalg.generic"] : !op
    %read = transform.include @first failures(propagate) (%op) : (!op) -> !op
    %product, %unpack = transform.include @way_in failures(propagate) (%op, %read) : (!op, !op) -> (!op, !op)
    transform.yield %product, %unpack, %op : !op, !op, !op
  }

  transform.named_sequence @of_second(%op: !op {transform.readonly}) -> (!op, !op, !op) {
    transform.match.operation_name %op ["linalg.generic"] : !op
    %read = transform.include @second failures(propagate) (%op) : (!op) -> !op
    %product, %unpack = transform.include @way_in failures(propagate) (%op, %read) : (!op, !op) -> (!op, !op)
    transform.yield %product, %unpack, %op : !op, !op, !op
  }
  transform.named_sequence @first(%op: !op {transform.readonly}) -> !op {
    %read = transform.get_producer_of_operand %op[0] : (!op) -> !op
    transform.yield %read : !op
  }

  transform.named_sequence @second(%op: !op {transform.readonly}) -> !op {
    %read = transform.get_producer_of_operand %op[1] : (!op) -> !op
    transform.yield %read : !op
  }

  transform.named_sequence @way_in(%epilogue: !op {transform.readonly},
      %unpack: !op {transform.readonly}) -> (!op, !op) {
    transform.match.operation_name %unpack ["linalg.unpack"] : !op
    %marked = transform.structured.match attributes{epilogue} in %epilogue : (!op) -> !op
    transform.include @is_one failures(propagate) (%marked) : (!op) -> ()
    %users = transform.get_consumers_of_result %unpack[0] : (!op) -> !op
    transform.include @is_one failures(propagate) (%users) : (!op) -> ()
    %product = transform.get_producer_of_operand %unpack[0] : (!op) -> !op
    transform.include @is_left failures(propagate) (%product) : (!op) -> ()
    transform.yield %product, %unpack : !op, !op
  }

  transform.named_sequence @is_one(%ops: !op {transform.readonly}) {
    %one = transform.param.constant 1 : i64 -> !size
    %count = transform.num_associations %ops : (!op) -> !size
    transform.match.param.cmpi eq %count, %one : !size
    transform.yield
  }

  transform.named_sequence @without_epilogue(%op: !op {transform.readonly}) -> !op {
    transform.match.operation_name %op ["linalg.generic"] : !op
    transform.include @is_left failures(propagate) (%op) : (!op) -> ()
    transform.yield %op : !op
  }

  transform.named_sequence @is_marked(%op: !op {transform.readonly}) {
    %panels = transform.structured.match attributes{panels} in %op : (!op) -> !op
    transform.include @is_one failures(propagate) (%panels) : (!op) -> ()
    transform.yield
  }

  transform.named_sequence @is_left(%op: !op {transform.readonly}) {
    transform.include @is_marked failures(propagate) (%op) : (!op) -> ()
    %done = transform.structured.match attributes{tiled} in %op : (!op) -> !op
    transform.match.operation_empty %done : !op
    transform.yield
  }

  // 3. Loops: over blocks of B, which are packed there and stay in the second
  // cache; over rows; over the panels of the block.
  transform.named_sequence @tile(%root: !op {transform.consumed},
      %between: !op {transform.consumed}, %product: !op {transform.consumed}) {
    transform.annotate %product "tiled" : !op
    %start = transform.get_producer_of_operand %product[2] : (!op) -> !op
    %b = transform.get_producer_of_operand %product[1] : (!op) -> !op
    %r1, %blocks = transform.structured.tile_using_forall %root tile_sizes [0, 256]
        {lh.bind = {static_tile_sizes = [0, "block"]}} : (!op) -> (!op, !op)
    %u1, %l1 = transform.structured.fuse_into_containing_op %between into %blocks : (!op, !op) -> (!op, !op)
    %p1, %l2 = transform.structured.fuse_into_containing_op %product into %l1 : (!op, !op) -> (!op, !op)
    %b1, %l3 = transform.structured.fuse_into_containing_op %b into %l2 : (!op, !op) -> (!op, !op)
    %r2, %rows = transform.structured.tile_using_for %r1 tile_sizes [12, 0]
        {lh.bind = {static_sizes = ["rows", 0]}} : (!op) -> (!op, !op)
    %u2, %m4 = transform.structured.fuse_into_containing_op %u1 into %rows : (!op, !op) -> (!op, !op)
    %p2, %m5 = transform.structured.fuse_into_containing_op %p1 into %m4 : (!op, !op) -> (!op, !op)
    %r3, %panels = transform.structured.tile_using_for %r2 tile_sizes [0, 32]
        {lh.bind = {static_sizes = [0, "columns"]}} : (!op) -> (!op, !op)
    %u3, %m6 = transform.structured.fuse_into_containing_op %u2 into %panels : (!op, !op) -> (!op, !op)
    %p3, %m7 = transform.structured.fuse_into_containing_op %p2 into %m6 : (!op, !op) -> (!op, !op)
    transform.apply_patterns to %blocks { transform.apply_patterns.tensor.merge_consecutive_insert_extract_slice } : !op
    %s3, %m8 = transform.structured.fuse_into_containing_op %start into %m7 : (!op, !op) -> (!op, !op)
    transform.yield
  }

  transform.named_sequence @vectorize_packs(%root: !op {transform.readonly}) {
    %by_k = transform.structured.match ops{["linalg.pack"]}
        attributes{inner_dims_pos = array<i64: 1>} in %root : (!op) -> !op
    %piece, %loops:2 = transform.structured.tile_using_for %by_k tile_sizes [1, 4]
        interchange = [1, 0] : (!op) -> (!op, !op, !op)
    transform.structured.vectorize %piece vector_sizes [1, 4, 32]
        {lh.bind = {static_vector_sizes = [1, 4, "columns"]}} : !op
    %by_n = transform.structured.match ops{["linalg.pack"]}
        attributes{inner_dims_pos = array<i64: 0>} in %root : (!op) -> !op
    %strip, %strips:2 = transform.structured.tile_using_for %by_n tile_sizes [1, 16]
        interchange = [1, 0] : (!op) -> (!op, !op, !op)
    transform.structured.vectorize %strip vector_sizes [1, 16, 32]
        {lh.bind = {static_vector_sizes = [1, 16, "columns"]}} : !op
    transform.yield
  }

  // 4. A tile in registers.
  transform.named_sequence @vectorize_tile(%tile: !op {transform.consumed}) {
    %rows = transform.match.structured failures(propagate) %tile : (!op) -> !size {
    ^bb0(%s: !op):
      %size = transform.match.structured.dim %s[0] : (!op) -> !size
      transform.match.structured.yield %size : !size
    }
    %columns = transform.param.constant 32 : i64 {lh.bind = {value = "columns"}} -> !size
    %unpack = transform.get_consumers_of_result %tile[0] : (!op) -> !op
    %users = transform.get_consumers_of_result %unpack[0] : (!op) -> !op
    %epilogue = transform.foreach %users : !op -> !op {
    ^bb0(%user: !op):
      %marked = transform.structured.match ops{["linalg.generic"]} attributes{epilogue} in %user : (!op) -> !op
      transform.yield %marked : !op
    }
    transform.structured.vectorize %epilogue vector_sizes [%rows, %columns] : !op, !size, !size
    transform.structured.vectorize %unpack vector_sizes [%rows, 1, %columns] : !op, !size, !size
    %start = transform.get_producer_of_operand %tile[2] : (!op) -> !op
    %sum, %scope = transform.structured.tile_using_forall %tile tile_sizes [0, 1] : (!op) -> (!op, !op)
    %s, %inside = transform.structured.fuse_into_containing_op %start into %scope : (!op, !op) -> (!op, !op)
    %pack = transform.structured.match ops{["linalg.pack"]} in %inside : (!op) -> !op
    transform.structured.vectorize %pack vector_sizes [%rows, 1, %columns] : !op, !size, !size
    transform.include @vectorize_sums failures(propagate) (%inside) : (!op) -> ()
    transform.yield
  }

  transform.named_sequence @vectorize_sums(%inside: !op {transform.readonly}) {
    transform.apply_patterns to %inside {
      transform.apply_patterns.linalg.fold_unit_extent_dims_via_slices
    } : !op
    %sums = transform.structured.match ops{["linalg.generic"]} attributes{iterator_types = [#linalg.iterator_type<parallel>,
                                     #linalg.iterator_type<reduction>,
                                     #linalg.iterator_type<parallel>]} in %inside : (!op) -> !op
    %row_sums = transform.structured.match ops{["linalg.generic"]}
        attributes{iterator_types = [#linalg.iterator_type<reduction>,
                                     #linalg.iterator_type<parallel>]} in %inside : (!op) -> !op
    %step, %loop = transform.structured.tile_using_for %sums tile_sizes [0, 1, 0] : (!op) -> (!op, !op)
    %row_step, %row_loop = transform.structured.tile_using_for %row_sums tile_sizes [1, 0] : (!op) -> (!op, !op)
    transform.annotate %loop "sum" : !op
    transform.annotate %row_loop "sum" : !op
    %fills = transform.structured.match ops{["linalg.fill"]} in %inside : (!op) -> !op
    %general = transform.structured.generalize %fills : (!op) -> !op
    %all = transform.structured.match ops{["linalg.generic"]} in %inside : (!op) -> !op
    transform.structured.vectorize %all : !op
    // Before the canonicalizer sees a sum of one step and makes a product of it.
    transform.apply_patterns to %inside {
      transform.apply_patterns.vector.reduction_to_contract
      transform.apply_patterns.vector.transfer_permutation_patterns
    } : !op
    transform.yield
  }

  transform.named_sequence @contractions(%root: !op {transform.readonly}) {
    %functions = transform.structured.match ops{["func.func"]} in %root : (!op) -> !op
    %products = transform.structured.match attributes{product} in %root : (!op) -> !op
    transform.foreach %products : !op {
    ^bb0(%product: !op):
      transform.include @pack failures(propagate) (%product) : (!op) -> ()
    }
    transform.apply_patterns to %functions { transform.apply_patterns.canonicalization } : !op
    %fused, %u0, %e0 = transform.collect_matching @of_first in %root : (!op) -> (!op, !op, !op)
    transform.foreach %fused, %u0, %e0 : !op, !op, !op {
    ^bb0(%product: !op, %unpack: !op, %epilogue: !op):
      transform.include @tile failures(propagate) (%epilogue, %unpack, %product) : (!op, !op, !op) -> ()
    }
    %p1, %u1, %e1 = transform.collect_matching @of_second in %root : (!op) -> (!op, !op, !op)
    transform.foreach %p1, %u1, %e1 : !op, !op, !op {
    ^bb0(%product: !op, %unpack: !op, %epilogue: !op):
      transform.include @tile failures(propagate) (%epilogue, %unpack, %product) : (!op, !op, !op) -> ()
    }
    %others = transform.collect_matching @without_epilogue in %root : (!op) -> !op
    transform.foreach %others : !op {
    ^bb0(%product: !op):
      %unpack = transform.get_consumers_of_result %product[0] : (!op) -> !op
      %none = transform.structured.match ops{["linalg.matmul"]} in %product : (!op) -> !op
      transform.include @tile failures(propagate) (%unpack, %none, %product) : (!op, !op, !op) -> ()
    }
    %peeled = transform.apply_registered_pass "scf-for-loop-peeling" to %functions : (!op) -> !op
    transform.apply_patterns to %peeled {
      transform.apply_patterns.linalg.tiling_canonicalization
      transform.apply_patterns.scf.for_loop_canonicalization
      transform.apply_patterns.canonicalization
    } : !op
    // B is packed before the loop over an epilogue's filters (epilogues.mlir), not in it.
    %filters = transform.structured.match ops{["scf.for"]} attributes{filters} in %peeled : (!op) -> !op
    transform.apply_licm to %filters : !op
    %tiles = transform.structured.match ops{["linalg.generic"]} attributes{panels} in %peeled : (!op) -> !op
    transform.foreach %tiles : !op {
    ^bb0(%tile: !op):
      transform.include @vectorize_tile failures(propagate) (%tile) : (!op) -> ()
    }
    transform.include @vectorize_packs failures(propagate) (%peeled) : (!op) -> ()
    transform.apply_patterns to %peeled { transform.apply_patterns.vector.lower_masked_transfers } : !op
    transform.apply_patterns to %peeled {
      transform.apply_patterns.vector.transfer_permutation_patterns
      transform.apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers
      transform.apply_patterns.canonicalization
    } : !op
    // 5. Accumulators are carried by the loop, in registers.
    %sums = transform.structured.match ops{["scf.for"]} attributes{sum} in %peeled : (!op) -> !op
    transform.apply_licm to %sums : !op
    transform.loop.hoist_loop_invariant_subsets %sums : !op
    transform.apply_patterns to %peeled {
      transform.apply_patterns.vector.transfer_permutation_patterns
      transform.apply_patterns.vector.cast_away_vector_leading_one_dim
      transform.apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers
      transform.apply_patterns.canonicalization
    } : !op
    transform.yield
  }
}
