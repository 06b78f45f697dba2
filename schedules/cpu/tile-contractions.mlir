// Cache and register tiling of packed contractions, and their vectors.
//
// Expects: what pack-contractions leaves: linalg.generic contractions on panels
//   of 4 x 8 and 8 x 64 between linalg.pack and linalg.unpack.
// Leaves:  per contraction, a loop over blocks of B, a loop over register tiles
//   4 x 64, and a reduction loop whose accumulator is carried in registers
//   (scf.for with a vector iter_arg); the unpack is the one store of the tile.
//   Packs are vectorized, masked at the edges. What isn't packed is untouched;
//   what was packed but is no contraction any more is unpacked to loops' forms.
// Parameters: vector_bits chooses the register tile, 4 x 64 or 4 x 16;
//   l2_bytes the block of B. Rows aren't blocked below 4096.
// Source:  the transform dialect's matmul schedules; measured order of loops.
module attributes {transform.with_named_sequence} {
  // The unit loops must go before vectorization, and the contraction must form
  // before canonicalization, which would fold a unit reduction to a multiply.
  transform.named_sequence @vectorize_step(
      %loop: !transform.any_op {transform.readonly}) {
    transform.apply_patterns to %loop {
      transform.apply_patterns.linalg.fold_unit_extent_dims_via_slices
    } : !transform.any_op
    %step = transform.structured.match ops{["linalg.generic"]} in %loop
        : (!transform.any_op) -> !transform.any_op
    transform.structured.vectorize %step : !transform.any_op
    transform.apply_patterns to %loop {
      transform.apply_patterns.vector.reduction_to_contract
      transform.apply_patterns.vector.transfer_permutation_patterns
    } : !transform.any_op
    transform.yield
  }

  // 32 registers of 16 lanes: 4 x 64 takes 16 accumulators.
  transform.named_sequence @columns_of_wide_vectors(
      %op: !transform.any_op {transform.readonly}) -> !transform.param<i64> {
    transform.match.operation_name %op ["builtin.module"] : !transform.any_op
    %fact = transform.param.constant 512 : i64 {lh.bind = {value = "vector_bits"}}
        -> !transform.param<i64>
    %bound = transform.param.constant 512 : i64 -> !transform.param<i64>
    transform.match.param.cmpi ge %fact, %bound : !transform.param<i64>
    %value = transform.param.constant 64 : i64 -> !transform.param<i64>
    transform.yield %value : !transform.param<i64>
  }

  // 16 registers of 8 lanes: 4 x 16 takes 8 accumulators.
  transform.named_sequence @columns_of_narrow_vectors(
      %op: !transform.any_op {transform.readonly}) -> !transform.param<i64> {
    transform.match.operation_name %op ["builtin.module"] : !transform.any_op
    %fact = transform.param.constant 512 : i64 {lh.bind = {value = "vector_bits"}}
        -> !transform.param<i64>
    %bound = transform.param.constant 512 : i64 -> !transform.param<i64>
    transform.match.param.cmpi lt %fact, %bound : !transform.param<i64>
    %value = transform.param.constant 16 : i64 -> !transform.param<i64>
    transform.yield %value : !transform.param<i64>
  }

  // Columns of B per block; half of the cache at K = 1024.
  transform.named_sequence @block_of_large_cache(
      %op: !transform.any_op {transform.readonly}) -> !transform.param<i64> {
    transform.match.operation_name %op ["builtin.module"] : !transform.any_op
    %fact = transform.param.constant 2097152 : i64 {lh.bind = {value = "l2_bytes"}}
        -> !transform.param<i64>
    %bound = transform.param.constant 2097152 : i64 -> !transform.param<i64>
    transform.match.param.cmpi ge %fact, %bound : !transform.param<i64>
    %value = transform.param.constant 256 : i64 -> !transform.param<i64>
    transform.yield %value : !transform.param<i64>
  }

  // The same for caches below 2 MB.
  transform.named_sequence @block_of_small_cache(
      %op: !transform.any_op {transform.readonly}) -> !transform.param<i64> {
    transform.match.operation_name %op ["builtin.module"] : !transform.any_op
    %fact = transform.param.constant 2097152 : i64 {lh.bind = {value = "l2_bytes"}}
        -> !transform.param<i64>
    %bound = transform.param.constant 2097152 : i64 -> !transform.param<i64>
    transform.match.param.cmpi lt %fact, %bound : !transform.param<i64>
    %value = transform.param.constant 128 : i64 -> !transform.param<i64>
    transform.yield %value : !transform.param<i64>
  }

  transform.named_sequence @is_plain(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %loops = transform.param.constant 6 : i64 -> !transform.param<i64>
    %mr = transform.param.constant 4 : i64 -> !transform.param<i64>
    %kr = transform.param.constant 8 : i64 -> !transform.param<i64>
    %nr = transform.param.constant 64 : i64 -> !transform.param<i64>
    transform.match.structured failures(propagate) %op : !transform.any_op {
    ^bb0(%s: !transform.any_op):
      %rank = transform.match.structured.rank %s
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi eq %rank, %loops : !transform.param<i64>
      transform.match.structured.body %s
          {contraction = ["arith.mulf", "arith.addf"]} : !transform.any_op
      %m = transform.match.structured.dim %s[-3]
          : (!transform.any_op) -> !transform.param<i64>
      %k = transform.match.structured.dim %s[-2]
          : (!transform.any_op) -> !transform.param<i64>
      %n = transform.match.structured.dim %s[-1]
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi eq %m, %mr : !transform.param<i64>
      transform.match.param.cmpi eq %k, %kr : !transform.param<i64>
      transform.match.param.cmpi eq %n, %nr : !transform.param<i64>
      transform.match.structured.yield
    }
    transform.yield %op : !transform.any_op
  }

  transform.named_sequence @tile_plain(
      %contraction: !transform.any_op {transform.readonly},
      %m_block: !transform.param<i64> {transform.readonly},
      %n_block: !transform.param<i64> {transform.readonly},
      %columns: !transform.param<i64> {transform.readonly}) {
    // The unpack is the root. A contraction that only starts another one has
    // none, and is fused with that other one.
    %users = transform.get_consumers_of_result %contraction[0]
        : (!transform.any_op) -> !transform.any_op
    %unpacks = transform.structured.match ops{["linalg.unpack"]} in %users
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %unpacks : !transform.any_op {
    ^bb0(%unpack: !transform.any_op):
      // A block of B stays in the second-level cache.
      %blocked, %blocks = transform.structured.fuse %unpack
          tile_sizes [%m_block, %n_block] {use_forall}
          : (!transform.any_op, !transform.param<i64>, !transform.param<i64>)
          -> (!transform.any_op, !transform.any_op)
      transform.apply_patterns to %blocks {
        transform.apply_patterns.memref.resolve_ranked_shaped_type_result_dims
      } : !transform.any_op
      // One register tile.
      %stored, %tiles = transform.structured.fuse %blocked
          tile_sizes [4, 64] {use_forall}
          : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
      transform.apply_patterns to %tiles {
        transform.apply_patterns.memref.resolve_ranked_shaped_type_result_dims
      } : !transform.any_op
      // What the sum starts from: zeros, or a tile of something.
      %zeros = transform.structured.match ops{["linalg.fill"]} in %tiles
          : (!transform.any_op) -> !transform.any_op
      transform.structured.vectorize %zeros : !transform.any_op
      %starts = transform.structured.match ops{["linalg.pack"]} in %tiles
          : (!transform.any_op) -> !transform.any_op
      transform.structured.vectorize %starts vector_sizes [1, 1, 4, 64]
          : !transform.any_op
      transform.structured.vectorize %stored vector_sizes [1, 1, 4, 64]
          : !transform.any_op
      %sums = transform.collect_matching @is_plain in %tiles
          : (!transform.any_op) -> !transform.any_op
      transform.foreach %sums : !transform.any_op {
      ^bb1(%sum: !transform.any_op):
        %slice, %slices = transform.structured.tile_using_for %sum
            tile_sizes [0, 0, 0, 0, 0, %columns]
            : (!transform.any_op, !transform.param<i64>)
            -> (!transform.any_op, !transform.any_op)
        %step, %loop = transform.structured.tile_using_for %slice
            tile_sizes [0, 1, 0, 0, 0, 0]
            : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
        transform.include @vectorize_step failures(propagate) (%loop)
            : (!transform.any_op) -> ()
      }
    }
    transform.yield
  }

  transform.named_sequence @is_batched(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %loops = transform.param.constant 7 : i64 -> !transform.param<i64>
    %mr = transform.param.constant 4 : i64 -> !transform.param<i64>
    %kr = transform.param.constant 8 : i64 -> !transform.param<i64>
    %nr = transform.param.constant 64 : i64 -> !transform.param<i64>
    transform.match.structured failures(propagate) %op : !transform.any_op {
    ^bb0(%s: !transform.any_op):
      %rank = transform.match.structured.rank %s
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi eq %rank, %loops : !transform.param<i64>
      transform.match.structured.body %s
          {contraction = ["arith.mulf", "arith.addf"]} : !transform.any_op
      %m = transform.match.structured.dim %s[-3]
          : (!transform.any_op) -> !transform.param<i64>
      %k = transform.match.structured.dim %s[-2]
          : (!transform.any_op) -> !transform.param<i64>
      %n = transform.match.structured.dim %s[-1]
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi eq %m, %mr : !transform.param<i64>
      transform.match.param.cmpi eq %k, %kr : !transform.param<i64>
      transform.match.param.cmpi eq %n, %nr : !transform.param<i64>
      transform.match.structured.yield
    }
    transform.yield %op : !transform.any_op
  }

  transform.named_sequence @tile_batched(
      %contraction: !transform.any_op {transform.readonly},
      %m_block: !transform.param<i64> {transform.readonly},
      %n_block: !transform.param<i64> {transform.readonly},
      %columns: !transform.param<i64> {transform.readonly}) {
    // The unpack is the root. A contraction that only starts another one has
    // none, and is fused with that other one.
    %users = transform.get_consumers_of_result %contraction[0]
        : (!transform.any_op) -> !transform.any_op
    %unpacks = transform.structured.match ops{["linalg.unpack"]} in %users
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %unpacks : !transform.any_op {
    ^bb0(%unpack: !transform.any_op):
      // A block of B stays in the second-level cache.
      %blocked, %blocks = transform.structured.fuse %unpack
          tile_sizes [1, %m_block, %n_block] {use_forall}
          : (!transform.any_op, !transform.param<i64>, !transform.param<i64>)
          -> (!transform.any_op, !transform.any_op)
      transform.apply_patterns to %blocks {
        transform.apply_patterns.memref.resolve_ranked_shaped_type_result_dims
      } : !transform.any_op
      // One register tile.
      %stored, %tiles = transform.structured.fuse %blocked
          tile_sizes [1, 4, 64] {use_forall}
          : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
      transform.apply_patterns to %tiles {
        transform.apply_patterns.memref.resolve_ranked_shaped_type_result_dims
      } : !transform.any_op
      // What the sum starts from: zeros, or a tile of something.
      %zeros = transform.structured.match ops{["linalg.fill"]} in %tiles
          : (!transform.any_op) -> !transform.any_op
      transform.structured.vectorize %zeros : !transform.any_op
      %starts = transform.structured.match ops{["linalg.pack"]} in %tiles
          : (!transform.any_op) -> !transform.any_op
      transform.structured.vectorize %starts vector_sizes [1, 1, 1, 4, 64]
          : !transform.any_op
      transform.structured.vectorize %stored vector_sizes [1, 1, 1, 4, 64]
          : !transform.any_op
      %sums = transform.collect_matching @is_batched in %tiles
          : (!transform.any_op) -> !transform.any_op
      transform.foreach %sums : !transform.any_op {
      ^bb1(%sum: !transform.any_op):
        %slice, %slices = transform.structured.tile_using_for %sum
            tile_sizes [0, 0, 0, 0, 0, 0, %columns]
            : (!transform.any_op, !transform.param<i64>)
            -> (!transform.any_op, !transform.any_op)
        %step, %loop = transform.structured.tile_using_for %slice
            tile_sizes [0, 0, 1, 0, 0, 0, 0]
            : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
        transform.include @vectorize_step failures(propagate) (%loop)
            : (!transform.any_op) -> ()
      }
    }
    transform.yield
  }

  // Too small for panels: the whole product in registers, without a loop.
  transform.named_sequence @is_small(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %loops = transform.param.constant 3 : i64 -> !transform.param<i64>
    %single = transform.param.constant 32 : i64 -> !transform.param<i64>
    %one = transform.param.constant 1 : i64 -> !transform.param<i64>
    %sixteen = transform.param.constant 16 : i64 -> !transform.param<i64>
    %least = transform.merge_handles %one, %one, %one
        : !transform.param<i64>
    %most = transform.merge_handles %sixteen, %sixteen, %sixteen
        : !transform.param<i64>
    transform.match.structured failures(propagate) %op : !transform.any_op {
    ^bb0(%s: !transform.any_op):
      %rank = transform.match.structured.rank %s
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi eq %rank, %loops : !transform.param<i64>
      transform.match.structured.body %s
          {contraction = ["arith.mulf", "arith.addf"]} : !transform.any_op
      transform.match.structured.input %s[all] {projected_permutation}
          : !transform.any_op
      %init = transform.match.structured.init %s[0]
          : (!transform.any_op) -> !transform.any_value
      %width = transform.match.structured.elemental_bitwidth %init
          : (!transform.any_value) -> !transform.param<i64>
      transform.match.param.cmpi ge %width, %single : !transform.param<i64>
      // A dynamic dimension is negative.
      %sizes = transform.match.structured.dim %s[all]
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi ge %sizes, %least : !transform.param<i64>
      transform.match.param.cmpi le %sizes, %most : !transform.param<i64>
      transform.match.structured.yield
    }
    transform.yield %op : !transform.any_op
  }

  // The same with one more dimension, of any kind.
  transform.named_sequence @is_small_batched(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %loops = transform.param.constant 4 : i64 -> !transform.param<i64>
    %single = transform.param.constant 32 : i64 -> !transform.param<i64>
    %one = transform.param.constant 1 : i64 -> !transform.param<i64>
    %sixteen = transform.param.constant 16 : i64 -> !transform.param<i64>
    %least = transform.merge_handles %one, %one, %one, %one
        : !transform.param<i64>
    %most = transform.merge_handles %sixteen, %sixteen, %sixteen, %sixteen
        : !transform.param<i64>
    transform.match.structured failures(propagate) %op : !transform.any_op {
    ^bb0(%s: !transform.any_op):
      %rank = transform.match.structured.rank %s
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi eq %rank, %loops : !transform.param<i64>
      transform.match.structured.body %s
          {contraction = ["arith.mulf", "arith.addf"]} : !transform.any_op
      transform.match.structured.input %s[all] {projected_permutation}
          : !transform.any_op
      %init = transform.match.structured.init %s[0]
          : (!transform.any_op) -> !transform.any_value
      %width = transform.match.structured.elemental_bitwidth %init
          : (!transform.any_value) -> !transform.param<i64>
      transform.match.param.cmpi ge %width, %single : !transform.param<i64>
      // A dynamic dimension is negative.
      %sizes = transform.match.structured.dim %s[all]
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi ge %sizes, %least : !transform.param<i64>
      transform.match.param.cmpi le %sizes, %most : !transform.param<i64>
      transform.match.structured.yield
    }
    transform.yield %op : !transform.any_op
  }

  // One panel at a time. Comes first: as loops, packs can't be fused any more,
  // so tile-and-fuse stops at them.
  transform.named_sequence @vectorize_packs(
      %root: !transform.any_op {transform.readonly}) {
    %p0 = transform.structured.match ops{["linalg.pack"]}
        attributes{static_inner_tiles = array<i64: 4, 8>,
                   inner_dims_pos = array<i64: 0, 1>} in %root
        : (!transform.any_op) -> !transform.any_op
    %t0, %l0 = transform.structured.tile_using_forall %p0 tile_sizes [1, 1]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.structured.vectorize %t0 vector_sizes [1, 1, 4, 8]
        : !transform.any_op
    %p1 = transform.structured.match ops{["linalg.pack"]}
        attributes{static_inner_tiles = array<i64: 4, 8>,
                   inner_dims_pos = array<i64: 1, 0>} in %root
        : (!transform.any_op) -> !transform.any_op
    %t1, %l1 = transform.structured.tile_using_forall %p1 tile_sizes [1, 1]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.structured.vectorize %t1 vector_sizes [1, 1, 4, 8]
        : !transform.any_op
    %p2 = transform.structured.match ops{["linalg.pack"]}
        attributes{static_inner_tiles = array<i64: 4, 8>,
                   inner_dims_pos = array<i64: 1, 2>} in %root
        : (!transform.any_op) -> !transform.any_op
    %t2, %l2 = transform.structured.tile_using_forall %p2 tile_sizes [1, 1, 1]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.structured.vectorize %t2 vector_sizes [1, 1, 1, 4, 8]
        : !transform.any_op
    %p3 = transform.structured.match ops{["linalg.pack"]}
        attributes{static_inner_tiles = array<i64: 4, 8>,
                   inner_dims_pos = array<i64: 2, 1>} in %root
        : (!transform.any_op) -> !transform.any_op
    %t3, %l3 = transform.structured.tile_using_forall %p3 tile_sizes [1, 1, 1]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.structured.vectorize %t3 vector_sizes [1, 1, 1, 4, 8]
        : !transform.any_op
    %p4 = transform.structured.match ops{["linalg.pack"]}
        attributes{static_inner_tiles = array<i64: 8, 64>,
                   inner_dims_pos = array<i64: 0, 1>} in %root
        : (!transform.any_op) -> !transform.any_op
    %t4, %l4 = transform.structured.tile_using_forall %p4 tile_sizes [1, 1]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.structured.vectorize %t4 vector_sizes [1, 1, 8, 64]
        : !transform.any_op
    %p5 = transform.structured.match ops{["linalg.pack"]}
        attributes{static_inner_tiles = array<i64: 8, 64>,
                   inner_dims_pos = array<i64: 1, 0>} in %root
        : (!transform.any_op) -> !transform.any_op
    %t5, %l5 = transform.structured.tile_using_forall %p5 tile_sizes [1, 1]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.structured.vectorize %t5 vector_sizes [1, 1, 8, 64]
        : !transform.any_op
    %p6 = transform.structured.match ops{["linalg.pack"]}
        attributes{static_inner_tiles = array<i64: 8, 64>,
                   inner_dims_pos = array<i64: 1, 2>} in %root
        : (!transform.any_op) -> !transform.any_op
    %t6, %l6 = transform.structured.tile_using_forall %p6 tile_sizes [1, 1, 1]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.structured.vectorize %t6 vector_sizes [1, 1, 1, 8, 64]
        : !transform.any_op
    %p7 = transform.structured.match ops{["linalg.pack"]}
        attributes{static_inner_tiles = array<i64: 8, 64>,
                   inner_dims_pos = array<i64: 2, 1>} in %root
        : (!transform.any_op) -> !transform.any_op
    %t7, %l7 = transform.structured.tile_using_forall %p7 tile_sizes [1, 1, 1]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.structured.vectorize %t7 vector_sizes [1, 1, 1, 8, 64]
        : !transform.any_op
    transform.yield
  }

  transform.named_sequence @tile_contractions(
      %root: !transform.any_op {transform.readonly}) {
    // Exactly one of the two matches, so these are one value each.
    %wide = transform.collect_matching @columns_of_wide_vectors in %root
        : (!transform.any_op) -> !transform.param<i64>
    %narrow = transform.collect_matching @columns_of_narrow_vectors in %root
        : (!transform.any_op) -> !transform.param<i64>
    %columns = transform.merge_handles %wide, %narrow : !transform.param<i64>
    %large = transform.collect_matching @block_of_large_cache in %root
        : (!transform.any_op) -> !transform.param<i64>
    %small = transform.collect_matching @block_of_small_cache in %root
        : (!transform.any_op) -> !transform.param<i64>
    %n_block = transform.merge_handles %large, %small : !transform.param<i64>
    %m_block = transform.param.constant 4096 : i64 -> !transform.param<i64>
    transform.include @vectorize_packs failures(propagate) (%root)
        : (!transform.any_op) -> ()
    %plain = transform.collect_matching @is_plain in %root
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %plain : !transform.any_op {
    ^bb0(%contraction: !transform.any_op):
      transform.include @tile_plain failures(propagate)
          (%contraction, %m_block, %n_block, %columns)
          : (!transform.any_op, !transform.param<i64>, !transform.param<i64>,
             !transform.param<i64>) -> ()
    }
    %batched = transform.collect_matching @is_batched in %root
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %batched : !transform.any_op {
    ^bb0(%contraction: !transform.any_op):
      transform.include @tile_batched failures(propagate)
          (%contraction, %m_block, %n_block, %columns)
          : (!transform.any_op, !transform.param<i64>, !transform.param<i64>,
             !transform.param<i64>) -> ()
    }

    // A contraction with a constant of one value has become a scaled sum by
    // now: nothing above takes it, and its packs are left.
    %stays = transform.structured.match ops{["linalg.pack"]} in %root
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %stays : !transform.any_op {
    ^bb0(%pack: !transform.any_op):
      %p = transform.cast %pack : !transform.any_op to !transform.op<"linalg.pack">
      %pad, %split, %order = transform.structured.lower_pack %p
          : (!transform.op<"linalg.pack">)
          -> (!transform.op<"tensor.pad">, !transform.op<"tensor.expand_shape">,
              !transform.op<"linalg.transpose">)
    }
    %stores = transform.structured.match ops{["linalg.unpack"]} in %root
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %stores : !transform.any_op {
    ^bb0(%unpack: !transform.any_op):
      %u = transform.cast %unpack : !transform.any_op to !transform.op<"linalg.unpack">
      %empty, %order, %merged, %slice = transform.structured.lower_unpack %u
          : (!transform.op<"linalg.unpack">)
          -> (!transform.op<"tensor.empty">, !transform.op<"linalg.transpose">,
              !transform.op<"tensor.collapse_shape">,
              !transform.op<"tensor.extract_slice">)
    }

    // Once for all contractions: patterns over whole functions.
    %functions = transform.structured.match ops{["func.func"]} in %root
        : (!transform.any_op) -> !transform.any_op
    %small_product = transform.collect_matching @is_small in %root
        : (!transform.any_op) -> !transform.any_op
    %small_batched = transform.collect_matching @is_small_batched in %root
        : (!transform.any_op) -> !transform.any_op
    %whole = transform.merge_handles %small_product, %small_batched
        : !transform.any_op
    transform.structured.vectorize %whole : !transform.any_op
    transform.apply_patterns to %functions {
      transform.apply_patterns.vector.reduction_to_contract
      transform.apply_patterns.vector.transfer_permutation_patterns
    } : !transform.any_op
    transform.apply_patterns to %functions {
      transform.apply_patterns.vector.lower_masked_transfers
    } : !transform.any_op
    transform.apply_patterns to %functions {
      transform.apply_patterns.vector.transfer_permutation_patterns
      transform.apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.apply_patterns to %functions {
      transform.apply_patterns.vector.cast_away_vector_leading_one_dim
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.apply_cse to %functions : !transform.any_op
    %loops = transform.structured.match ops{["scf.for"]} in %root
        : (!transform.any_op) -> !transform.any_op
    transform.apply_licm to %loops : !transform.any_op
    transform.loop.hoist_loop_invariant_subsets %loops : !transform.any_op
    transform.apply_patterns to %functions {
      transform.apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.apply_cse to %functions : !transform.any_op
    transform.yield
  }
}
