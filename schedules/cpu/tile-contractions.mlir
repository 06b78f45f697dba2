// Register tiles of packed contractions, and their vectors.
//
// Expects: what pack-contractions leaves: linalg.generic with lh.contraction,
//   on A, panels of B and of C; packs of B still in the function, or done by
//   @prepare.
// Leaves:  per contraction, a loop over blocks of B (scf.forall), one over rows,
//   one over the panels of the block, and a reduction loop whose accumulators
//   are carried in registers (scf.for with a vector iter_arg). An epilogue is
//   computed on the accumulators. What doesn't fill a tile is peeled off: rows
//   into a tile of as many rows (one by one where their number isn't known),
//   columns into masked stores. Packs in the function are fused at the block,
//   so that a block is in the cache when it is read. All else is untouched.
// Parameters: bits, the width of the numbers it takes (call it once for f32 and
//   once for f64); rows and columns, the register tile: accumulators are
//   rows x columns numbers; l2_bytes and threads choose the columns in a block of B.
// Measured (f32, AVX-512, Zen 5, percent of peak, packing included): 256^3 96,
//   512^3 97, 1024^3 94, 2048^3 90; with tiles of 4 x 64 and A packed 86, 77, 75,
//   57. Tiles of 8 x 32, 5 x 64 and 6 x 64 are as fast at 1024^3, 2 slower at
//   2048^3; blocks of 128 columns instead of 256 lose 2 at 2048^3. With A packed
//   as well, ahead of the product: 58 instead of 78, before panels became blocks.
// Source:  Goto & van de Geijn, "Anatomy of high-performance matrix
//   multiplication", less the packing of A; the transform dialect's matmul
//   schedules.
module attributes {transform.with_named_sequence} {
  // Columns of B per block: the cache, or half of it, at K = 1024.
  transform.named_sequence @block_of_large_cache(
      %op: !transform.any_op {transform.readonly}) -> !transform.param<i64> {
    transform.match.operation_name %op ["builtin.module"] : !transform.any_op
    %bytes = transform.param.constant 1048576 : i64
        {lh.bind = {value = "l2_bytes"}} -> !transform.param<i64>
    %bound = transform.param.constant 1048576 : i64 -> !transform.param<i64>
    transform.match.param.cmpi ge %bytes, %bound : !transform.param<i64>
    %threads = transform.param.constant 1 : i64
        {lh.bind = {value = "threads"}} -> !transform.param<i64>
    %one = transform.param.constant 1 : i64 -> !transform.param<i64>
    transform.match.param.cmpi eq %threads, %one : !transform.param<i64>
    %value = transform.param.constant 256 : i64 -> !transform.param<i64>
    transform.yield %value : !transform.param<i64>
  }

  // The same for caches below 1 MB.
  transform.named_sequence @block_of_small_cache(
      %op: !transform.any_op {transform.readonly}) -> !transform.param<i64> {
    transform.match.operation_name %op ["builtin.module"] : !transform.any_op
    %bytes = transform.param.constant 1048576 : i64
        {lh.bind = {value = "l2_bytes"}} -> !transform.param<i64>
    %bound = transform.param.constant 1048576 : i64 -> !transform.param<i64>
    transform.match.param.cmpi lt %bytes, %bound : !transform.param<i64>
    %threads = transform.param.constant 1 : i64
        {lh.bind = {value = "threads"}} -> !transform.param<i64>
    %one = transform.param.constant 1 : i64 -> !transform.param<i64>
    transform.match.param.cmpi eq %threads, %one : !transform.param<i64>
    %value = transform.param.constant 128 : i64 -> !transform.param<i64>
    transform.yield %value : !transform.param<i64>
  }

  // Blocks enough for two threads to share, and to wait little for each other.
  transform.named_sequence @block_of_two_threads(
      %op: !transform.any_op {transform.readonly}) -> !transform.param<i64> {
    transform.match.operation_name %op ["builtin.module"] : !transform.any_op
    %threads = transform.param.constant 1 : i64
        {lh.bind = {value = "threads"}} -> !transform.param<i64>
    %two = transform.param.constant 2 : i64 -> !transform.param<i64>
    transform.match.param.cmpi eq %threads, %two : !transform.param<i64>
    %value = transform.param.constant 128 : i64 -> !transform.param<i64>
    transform.yield %value : !transform.param<i64>
  }

  // ... for more of them: single panels.
  transform.named_sequence @block_of_many_threads(
      %op: !transform.any_op {transform.readonly}) -> !transform.param<i64> {
    transform.match.operation_name %op ["builtin.module"] : !transform.any_op
    %threads = transform.param.constant 1 : i64
        {lh.bind = {value = "threads"}} -> !transform.param<i64>
    %two = transform.param.constant 2 : i64 -> !transform.param<i64>
    transform.match.param.cmpi gt %threads, %two : !transform.param<i64>
    %value = transform.param.constant 32 : i64
        {lh.bind = {value = "columns"}} -> !transform.param<i64>
    transform.yield %value : !transform.param<i64>
  }

  // A contraction on matrices: (m, k, panel, column).
  transform.named_sequence @is_matrix(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %loops = transform.param.constant 4 : i64 -> !transform.param<i64>
    %bits = transform.param.constant 32 : i64 {lh.bind = {value = "bits"}}
        -> !transform.param<i64>
    %right = transform.match.structured failures(propagate) %op
        : (!transform.any_op) -> !transform.any_value {
    ^bb0(%s: !transform.any_op):
      %rank = transform.match.structured.rank %s
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi eq %rank, %loops : !transform.param<i64>
      %init = transform.match.structured.init %s[0]
          : (!transform.any_op) -> !transform.any_value
      %width = transform.match.structured.elemental_bitwidth %init
          : (!transform.any_value) -> !transform.param<i64>
      transform.match.param.cmpi eq %width, %bits : !transform.param<i64>
      %panels = transform.match.structured.input %s[1]
          : (!transform.any_op) -> !transform.any_value
      transform.match.structured.yield %panels : !transform.any_value
    }
    transform.yield %op : !transform.any_op
  }

  // ... whose panels are packed here.
  transform.named_sequence @is_packed_matrix(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %loops = transform.param.constant 4 : i64 -> !transform.param<i64>
    %bits = transform.param.constant 32 : i64 {lh.bind = {value = "bits"}}
        -> !transform.param<i64>
    %right = transform.match.structured failures(propagate) %op
        : (!transform.any_op) -> !transform.any_value {
    ^bb0(%s: !transform.any_op):
      %rank = transform.match.structured.rank %s
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi eq %rank, %loops : !transform.param<i64>
      %init = transform.match.structured.init %s[0]
          : (!transform.any_op) -> !transform.any_value
      %width = transform.match.structured.elemental_bitwidth %init
          : (!transform.any_value) -> !transform.param<i64>
      transform.match.param.cmpi eq %width, %bits : !transform.param<i64>
      %panels = transform.match.structured.input %s[1]
          : (!transform.any_op) -> !transform.any_value
      transform.match.structured.yield %panels : !transform.any_value
    }
    %producer = transform.get_defining_op %right
        : (!transform.any_value) -> !transform.any_op
    transform.match.operation_name %producer ["linalg.pack"] : !transform.any_op
    transform.yield %op : !transform.any_op
  }

  // A contraction with a batch: (batch, m, k, panel, column).
  transform.named_sequence @is_batch(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %loops = transform.param.constant 5 : i64 -> !transform.param<i64>
    %bits = transform.param.constant 32 : i64 {lh.bind = {value = "bits"}}
        -> !transform.param<i64>
    %right = transform.match.structured failures(propagate) %op
        : (!transform.any_op) -> !transform.any_value {
    ^bb0(%s: !transform.any_op):
      %rank = transform.match.structured.rank %s
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi eq %rank, %loops : !transform.param<i64>
      %init = transform.match.structured.init %s[0]
          : (!transform.any_op) -> !transform.any_value
      %width = transform.match.structured.elemental_bitwidth %init
          : (!transform.any_value) -> !transform.param<i64>
      transform.match.param.cmpi eq %width, %bits : !transform.param<i64>
      %panels = transform.match.structured.input %s[1]
          : (!transform.any_op) -> !transform.any_value
      transform.match.structured.yield %panels : !transform.any_value
    }
    transform.yield %op : !transform.any_op
  }

  // ... whose panels are packed here.
  transform.named_sequence @is_packed_batch(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %loops = transform.param.constant 5 : i64 -> !transform.param<i64>
    %bits = transform.param.constant 32 : i64 {lh.bind = {value = "bits"}}
        -> !transform.param<i64>
    %right = transform.match.structured failures(propagate) %op
        : (!transform.any_op) -> !transform.any_value {
    ^bb0(%s: !transform.any_op):
      %rank = transform.match.structured.rank %s
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi eq %rank, %loops : !transform.param<i64>
      %init = transform.match.structured.init %s[0]
          : (!transform.any_op) -> !transform.any_value
      %width = transform.match.structured.elemental_bitwidth %init
          : (!transform.any_value) -> !transform.param<i64>
      transform.match.param.cmpi eq %width, %bits : !transform.param<i64>
      %panels = transform.match.structured.input %s[1]
          : (!transform.any_op) -> !transform.any_value
      transform.match.structured.yield %panels : !transform.any_value
    }
    %producer = transform.get_defining_op %right
        : (!transform.any_value) -> !transform.any_op
    transform.match.operation_name %producer ["linalg.pack"] : !transform.any_op
    transform.yield %op : !transform.any_op
  }

  // A tile, with its number of rows.
  transform.named_sequence @is_matrix_tile(
      %op: !transform.any_op {transform.readonly})
      -> (!transform.any_op, !transform.param<i64>) {
    %loops = transform.param.constant 4 : i64 -> !transform.param<i64>
    %nothing = transform.param.constant 0 : i64 -> !transform.param<i64>
    %height = transform.match.structured failures(propagate) %op
        : (!transform.any_op) -> !transform.param<i64> {
    ^bb0(%s: !transform.any_op):
      %rank = transform.match.structured.rank %s
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi eq %rank, %loops : !transform.param<i64>
      %rows = transform.match.structured.dim %s[0]
          : (!transform.any_op) -> !transform.param<i64>
      // An unknown size is negative.
      transform.match.param.cmpi ge %rows, %nothing : !transform.param<i64>
      transform.match.structured.yield %rows : !transform.param<i64>
    }
    transform.yield %op, %height : !transform.any_op, !transform.param<i64>
  }

  // A tile of an unknown number of rows.
  transform.named_sequence @is_open_matrix_tile(
      %op: !transform.any_op {transform.readonly})
      -> (!transform.any_op, !transform.param<i64>) {
    %loops = transform.param.constant 4 : i64 -> !transform.param<i64>
    %nothing = transform.param.constant 0 : i64 -> !transform.param<i64>
    %height = transform.match.structured failures(propagate) %op
        : (!transform.any_op) -> !transform.param<i64> {
    ^bb0(%s: !transform.any_op):
      %rank = transform.match.structured.rank %s
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi eq %rank, %loops : !transform.param<i64>
      %rows = transform.match.structured.dim %s[0]
          : (!transform.any_op) -> !transform.param<i64>
      // An unknown size is negative.
      transform.match.param.cmpi lt %rows, %nothing : !transform.param<i64>
      transform.match.structured.yield %rows : !transform.param<i64>
    }
    transform.yield %op, %height : !transform.any_op, !transform.param<i64>
  }

  // A tile of one element of the batch, with its number of rows.
  transform.named_sequence @is_batch_tile(
      %op: !transform.any_op {transform.readonly})
      -> (!transform.any_op, !transform.param<i64>) {
    %loops = transform.param.constant 5 : i64 -> !transform.param<i64>
    %nothing = transform.param.constant 0 : i64 -> !transform.param<i64>
    %height = transform.match.structured failures(propagate) %op
        : (!transform.any_op) -> !transform.param<i64> {
    ^bb0(%s: !transform.any_op):
      %rank = transform.match.structured.rank %s
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi eq %rank, %loops : !transform.param<i64>
      %rows = transform.match.structured.dim %s[1]
          : (!transform.any_op) -> !transform.param<i64>
      // An unknown size is negative.
      transform.match.param.cmpi ge %rows, %nothing : !transform.param<i64>
      transform.match.structured.yield %rows : !transform.param<i64>
    }
    transform.yield %op, %height : !transform.any_op, !transform.param<i64>
  }

  // ... of an unknown number of rows.
  transform.named_sequence @is_open_batch_tile(
      %op: !transform.any_op {transform.readonly})
      -> (!transform.any_op, !transform.param<i64>) {
    %loops = transform.param.constant 5 : i64 -> !transform.param<i64>
    %nothing = transform.param.constant 0 : i64 -> !transform.param<i64>
    %height = transform.match.structured failures(propagate) %op
        : (!transform.any_op) -> !transform.param<i64> {
    ^bb0(%s: !transform.any_op):
      %rank = transform.match.structured.rank %s
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi eq %rank, %loops : !transform.param<i64>
      %rows = transform.match.structured.dim %s[1]
          : (!transform.any_op) -> !transform.param<i64>
      // An unknown size is negative.
      transform.match.param.cmpi lt %rows, %nothing : !transform.param<i64>
      transform.match.structured.yield %rows : !transform.param<i64>
    }
    transform.yield %op, %height : !transform.any_op, !transform.param<i64>
  }

  // What the root reads moves into its loop.
  transform.named_sequence @fuse_into(
      %unpack: !transform.any_op {transform.consumed},
      %contraction: !transform.any_op {transform.consumed},
      %loop: !transform.any_op {transform.readonly})
      -> (!transform.any_op, !transform.any_op, !transform.any_op) {
    %u, %l = transform.structured.fuse_into_containing_op %unpack into %loop
        : (!transform.any_op, !transform.any_op)
        -> (!transform.any_op, !transform.any_op)
    %c, %around = transform.structured.fuse_into_containing_op %contraction into %l
        : (!transform.any_op, !transform.any_op)
        -> (!transform.any_op, !transform.any_op)
    transform.yield %u, %c, %around
        : !transform.any_op, !transform.any_op, !transform.any_op
  }

  // Blocks of B, rows, panels.
  transform.named_sequence @tile_matrix(
      %root: !transform.any_op {transform.consumed},
      %unpack: !transform.any_op {transform.consumed},
      %contraction: !transform.any_op {transform.consumed},
      %start: !transform.any_op {transform.consumed},
      %pack: !transform.any_op {transform.consumed},
      %block: !transform.param<i64> {transform.readonly}) {
    %rows = transform.param.constant 12 : i64 {lh.bind = {value = "rows"}}
        -> !transform.param<i64>
    %columns = transform.param.constant 32 : i64
        {lh.bind = {value = "columns"}} -> !transform.param<i64>
    %blocked, %blocks = transform.structured.tile_using_forall %root
        tile_sizes [0, %block]
        : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
    %u1, %c1, %l1 = transform.include @fuse_into failures(propagate)
        (%unpack, %contraction, %blocks)
        : (!transform.any_op, !transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    %panels, %around = transform.structured.fuse_into_containing_op %pack into %l1
        : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    %striped, %stripes = transform.structured.tile_using_for %blocked
        tile_sizes [%rows, 0]
        : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
    %u2, %c2, %l2 = transform.include @fuse_into failures(propagate)
        (%u1, %c1, %stripes)
        : (!transform.any_op, !transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    %stored, %tiles = transform.structured.tile_using_for %striped
        tile_sizes [0, %columns]
        : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
    %u3, %c3, %l3 = transform.include @fuse_into failures(propagate)
        (%u2, %c2, %tiles)
        : (!transform.any_op, !transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.apply_patterns to %around {
      transform.apply_patterns.tensor.merge_consecutive_insert_extract_slice
    } : !transform.any_op
    %s3, %l3s = transform.structured.fuse_into_containing_op %start into %l3
        : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }

  // The same for each element of the batch.
  transform.named_sequence @tile_batch(
      %root: !transform.any_op {transform.consumed},
      %unpack: !transform.any_op {transform.consumed},
      %contraction: !transform.any_op {transform.consumed},
      %start: !transform.any_op {transform.consumed},
      %pack: !transform.any_op {transform.consumed},
      %block: !transform.param<i64> {transform.readonly}) {
    %rows = transform.param.constant 12 : i64 {lh.bind = {value = "rows"}}
        -> !transform.param<i64>
    %columns = transform.param.constant 32 : i64
        {lh.bind = {value = "columns"}} -> !transform.param<i64>
    %blocked, %blocks = transform.structured.tile_using_forall %root
        tile_sizes [1, 0, %block]
        : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
    %u1, %c1, %l1 = transform.include @fuse_into failures(propagate)
        (%unpack, %contraction, %blocks)
        : (!transform.any_op, !transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    %panels, %around = transform.structured.fuse_into_containing_op %pack into %l1
        : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    %striped, %stripes = transform.structured.tile_using_for %blocked
        tile_sizes [0, %rows, 0]
        : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
    %u2, %c2, %l2 = transform.include @fuse_into failures(propagate)
        (%u1, %c1, %stripes)
        : (!transform.any_op, !transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    %stored, %tiles = transform.structured.tile_using_for %striped
        tile_sizes [0, 0, %columns]
        : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
    %u3, %c3, %l3 = transform.include @fuse_into failures(propagate)
        (%u2, %c2, %tiles)
        : (!transform.any_op, !transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.apply_patterns to %around {
      transform.apply_patterns.tensor.merge_consecutive_insert_extract_slice
    } : !transform.any_op
    %s3, %l3s = transform.structured.fuse_into_containing_op %start into %l3
        : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }

  // Rows of unknown number, one by one.
  transform.named_sequence @tile_rows_of_matrix(
      %root: !transform.any_op {transform.consumed},
      %unpack: !transform.any_op {transform.consumed},
      %contraction: !transform.any_op {transform.consumed},
      %start: !transform.any_op {transform.consumed}) {
    %row, %loop = transform.structured.tile_using_for %root
        tile_sizes [1, 0] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %u, %c, %l = transform.include @fuse_into failures(propagate)
        (%unpack, %contraction, %loop)
        : (!transform.any_op, !transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    %s, %around = transform.structured.fuse_into_containing_op %start into %l
        : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }

  // Rows of unknown number, one by one.
  transform.named_sequence @tile_rows_of_batch(
      %root: !transform.any_op {transform.consumed},
      %unpack: !transform.any_op {transform.consumed},
      %contraction: !transform.any_op {transform.consumed},
      %start: !transform.any_op {transform.consumed}) {
    %row, %loop = transform.structured.tile_using_for %root
        tile_sizes [0, 1, 0] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %u, %c, %l = transform.include @fuse_into failures(propagate)
        (%unpack, %contraction, %loop)
        : (!transform.any_op, !transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    %s, %around = transform.structured.fuse_into_containing_op %start into %l
        : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }

  // Tiles of an unknown number of rows become tiles of one.
  transform.named_sequence @close_each_matrix(
      %root: !transform.any_op {transform.readonly}) {
    %all_followed = transform.structured.match ops{["linalg.generic"]}
        attributes{lh.loops = 4 : i64, lh.followed = 1 : i64} in %root
        : (!transform.any_op) -> !transform.any_op
    %followed, %heights_followed = transform.collect_matching @is_open_matrix_tile
        in %all_followed
        : (!transform.any_op) -> (!transform.any_op, !transform.param<i64>)
    %all_stored = transform.structured.match ops{["linalg.generic"]}
        attributes{lh.loops = 4 : i64, lh.followed = 0 : i64} in %root
        : (!transform.any_op) -> !transform.any_op
    %stored, %heights_stored = transform.collect_matching @is_open_matrix_tile
        in %all_stored
        : (!transform.any_op) -> (!transform.any_op, !transform.param<i64>)
    transform.foreach %followed : !transform.any_op {
    ^bb0(%contraction: !transform.any_op):
      %start = transform.get_producer_of_operand %contraction[2]
          : (!transform.any_op) -> !transform.any_op
      %unpack = transform.get_consumers_of_result %contraction[0]
          : (!transform.any_op) -> !transform.any_op
      %epilogue = transform.get_consumers_of_result %unpack[0]
          : (!transform.any_op) -> !transform.any_op
      transform.include @tile_rows_of_matrix failures(propagate)
          (%epilogue, %unpack, %contraction, %start)
          : (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op) -> ()
    }
    transform.foreach %stored : !transform.any_op {
    ^bb0(%contraction: !transform.any_op):
      %start = transform.get_producer_of_operand %contraction[2]
          : (!transform.any_op) -> !transform.any_op
      %unpack = transform.get_consumers_of_result %contraction[0]
          : (!transform.any_op) -> !transform.any_op
      %none = transform.structured.match ops{["lh.none"]} in %start
          : (!transform.any_op) -> !transform.any_op
      transform.include @tile_rows_of_matrix failures(propagate)
          (%unpack, %none, %contraction, %start)
          : (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op) -> ()
    }
    transform.yield
  }

  // Tiles of an unknown number of rows become tiles of one.
  transform.named_sequence @close_each_batch(
      %root: !transform.any_op {transform.readonly}) {
    %all_followed = transform.structured.match ops{["linalg.generic"]}
        attributes{lh.loops = 5 : i64, lh.followed = 1 : i64} in %root
        : (!transform.any_op) -> !transform.any_op
    %followed, %heights_followed = transform.collect_matching @is_open_batch_tile
        in %all_followed
        : (!transform.any_op) -> (!transform.any_op, !transform.param<i64>)
    %all_stored = transform.structured.match ops{["linalg.generic"]}
        attributes{lh.loops = 5 : i64, lh.followed = 0 : i64} in %root
        : (!transform.any_op) -> !transform.any_op
    %stored, %heights_stored = transform.collect_matching @is_open_batch_tile
        in %all_stored
        : (!transform.any_op) -> (!transform.any_op, !transform.param<i64>)
    transform.foreach %followed : !transform.any_op {
    ^bb0(%contraction: !transform.any_op):
      %start = transform.get_producer_of_operand %contraction[2]
          : (!transform.any_op) -> !transform.any_op
      %unpack = transform.get_consumers_of_result %contraction[0]
          : (!transform.any_op) -> !transform.any_op
      %epilogue = transform.get_consumers_of_result %unpack[0]
          : (!transform.any_op) -> !transform.any_op
      transform.include @tile_rows_of_batch failures(propagate)
          (%epilogue, %unpack, %contraction, %start)
          : (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op) -> ()
    }
    transform.foreach %stored : !transform.any_op {
    ^bb0(%contraction: !transform.any_op):
      %start = transform.get_producer_of_operand %contraction[2]
          : (!transform.any_op) -> !transform.any_op
      %unpack = transform.get_consumers_of_result %contraction[0]
          : (!transform.any_op) -> !transform.any_op
      %none = transform.structured.match ops{["lh.none"]} in %start
          : (!transform.any_op) -> !transform.any_op
      transform.include @tile_rows_of_batch failures(propagate)
          (%unpack, %none, %contraction, %start)
          : (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op) -> ()
    }
    transform.yield
  }

  // The tile's value goes through an epilogue on its way out.
  transform.named_sequence @tile_followed_matrix(
      %contraction: !transform.any_op {transform.consumed},
      %pack: !transform.any_op {transform.consumed},
      %block: !transform.param<i64> {transform.readonly}) {
    %start = transform.get_producer_of_operand %contraction[2]
        : (!transform.any_op) -> !transform.any_op
    %unpack = transform.get_consumers_of_result %contraction[0]
        : (!transform.any_op) -> !transform.any_op
    %epilogue = transform.get_consumers_of_result %unpack[0]
        : (!transform.any_op) -> !transform.any_op
    transform.include @tile_matrix failures(propagate)
        (%epilogue, %unpack, %contraction, %start, %pack, %block)
        : (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.param<i64>) -> ()
    transform.yield
  }

  // The tile is stored as it is: the unpack is the root.
  transform.named_sequence @tile_stored_matrix(
      %contraction: !transform.any_op {transform.consumed},
      %pack: !transform.any_op {transform.consumed},
      %block: !transform.param<i64> {transform.readonly}) {
    %start = transform.get_producer_of_operand %contraction[2]
        : (!transform.any_op) -> !transform.any_op
    %root = transform.get_consumers_of_result %contraction[0]
        : (!transform.any_op) -> !transform.any_op
    %none = transform.structured.match ops{["lh.none"]} in %start
        : (!transform.any_op) -> !transform.any_op
    transform.include @tile_matrix failures(propagate)
        (%root, %none, %contraction, %start, %pack, %block)
        : (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.param<i64>) -> ()
    transform.yield
  }

  // The tile's value goes through an epilogue on its way out.
  transform.named_sequence @tile_followed_batch(
      %contraction: !transform.any_op {transform.consumed},
      %pack: !transform.any_op {transform.consumed},
      %block: !transform.param<i64> {transform.readonly}) {
    %start = transform.get_producer_of_operand %contraction[2]
        : (!transform.any_op) -> !transform.any_op
    %unpack = transform.get_consumers_of_result %contraction[0]
        : (!transform.any_op) -> !transform.any_op
    %epilogue = transform.get_consumers_of_result %unpack[0]
        : (!transform.any_op) -> !transform.any_op
    transform.include @tile_batch failures(propagate)
        (%epilogue, %unpack, %contraction, %start, %pack, %block)
        : (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.param<i64>) -> ()
    transform.yield
  }

  // The tile is stored as it is: the unpack is the root.
  transform.named_sequence @tile_stored_batch(
      %contraction: !transform.any_op {transform.consumed},
      %pack: !transform.any_op {transform.consumed},
      %block: !transform.param<i64> {transform.readonly}) {
    %start = transform.get_producer_of_operand %contraction[2]
        : (!transform.any_op) -> !transform.any_op
    %root = transform.get_consumers_of_result %contraction[0]
        : (!transform.any_op) -> !transform.any_op
    %none = transform.structured.match ops{["lh.none"]} in %start
        : (!transform.any_op) -> !transform.any_op
    transform.include @tile_batch failures(propagate)
        (%root, %none, %contraction, %start, %pack, %block)
        : (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op, !transform.param<i64>) -> ()
    transform.yield
  }

  // A head's panels are packed once, ahead of its rows.
  transform.named_sequence @keep_panels_of_attention(
      %root: !transform.any_op {transform.readonly}) {
    %no = transform.param.constant 0 : i64 -> !transform.param<i64>
    %heads = transform.structured.match ops{["scf.forall"]}
        attributes{lh.attention} in %root
        {lh.optional = "there may be no attention"}
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %heads : !transform.any_op {
    ^bb0(%head: !transform.any_op):
      %products = transform.structured.match ops{["linalg.generic"]}
          attributes{lh.contraction} in %head
          {lh.optional = "not all products are packed"}
          : (!transform.any_op) -> !transform.any_op
      transform.annotate %products "lh.packed" = %no
          : !transform.any_op, !transform.param<i64>
    }
    transform.yield
  }

  transform.named_sequence @tile_each_matrix(
      %root: !transform.any_op {transform.readonly},
      %block: !transform.param<i64> {transform.readonly}) {
    %no = transform.param.constant 0 : i64 -> !transform.param<i64>
    %yes = transform.param.constant 1 : i64 -> !transform.param<i64>
    %marked = transform.structured.match ops{["linalg.generic"]}
        attributes{lh.contraction} in %root : (!transform.any_op) -> !transform.any_op
    %contractions = transform.collect_matching @is_matrix in %marked
        : (!transform.any_op) -> !transform.any_op
    transform.annotate %contractions "lh.followed" = %no : !transform.any_op, !transform.param<i64>
    transform.annotate %contractions "lh.packed" = %no : !transform.any_op, !transform.param<i64>
    %loops = transform.param.constant 4 : i64 -> !transform.param<i64>
    transform.annotate %contractions "lh.loops" = %loops : !transform.any_op, !transform.param<i64>
    %packed = transform.collect_matching @is_packed_matrix in %contractions
        : (!transform.any_op) -> !transform.any_op
    transform.annotate %packed "lh.packed" = %yes : !transform.any_op, !transform.param<i64>
    transform.include @keep_panels_of_attention failures(propagate) (%root)
        : (!transform.any_op) -> ()
    transform.foreach %contractions : !transform.any_op {
    ^bb0(%contraction: !transform.any_op):
      %unpack = transform.get_consumers_of_result %contraction[0]
          : (!transform.any_op) -> !transform.any_op
      %users = transform.get_consumers_of_result %unpack[0]
          : (!transform.any_op) -> !transform.any_op
      transform.foreach %users : !transform.any_op {
      ^bb1(%user: !transform.any_op):
        %epilogue = transform.structured.match ops{["linalg.generic"]}
            attributes{lh.epilogue} in %user
            : (!transform.any_op) -> !transform.any_op
        transform.foreach %epilogue : !transform.any_op {
        ^bb2(%follows: !transform.any_op):
          transform.annotate %contraction "lh.followed" = %yes
              : !transform.any_op, !transform.param<i64>
        }
      }
    }
    %followed_packed = transform.structured.match ops{["linalg.generic"]}
        attributes{lh.loops = 4 : i64, lh.followed = 1 : i64,
                   lh.packed = 1 : i64} in %root
        : (!transform.any_op) -> !transform.any_op
    %followed_prepared = transform.structured.match ops{["linalg.generic"]}
        attributes{lh.loops = 4 : i64, lh.followed = 1 : i64,
                   lh.packed = 0 : i64} in %root
        : (!transform.any_op) -> !transform.any_op
    %stored_packed = transform.structured.match ops{["linalg.generic"]}
        attributes{lh.loops = 4 : i64, lh.followed = 0 : i64,
                   lh.packed = 1 : i64} in %root
        : (!transform.any_op) -> !transform.any_op
    %stored_prepared = transform.structured.match ops{["linalg.generic"]}
        attributes{lh.loops = 4 : i64, lh.followed = 0 : i64,
                   lh.packed = 0 : i64} in %root
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %followed_packed : !transform.any_op {
    ^bb0(%contraction: !transform.any_op):
      %pack = transform.get_producer_of_operand %contraction[1]
          : (!transform.any_op) -> !transform.any_op
      transform.include @tile_followed_matrix failures(propagate)
          (%contraction, %pack, %block)
          : (!transform.any_op, !transform.any_op, !transform.param<i64>) -> ()
    }
    transform.foreach %followed_prepared : !transform.any_op {
    ^bb0(%contraction: !transform.any_op):
      %pack = transform.structured.match ops{["lh.none"]} in %contraction
          : (!transform.any_op) -> !transform.any_op
      transform.include @tile_followed_matrix failures(propagate)
          (%contraction, %pack, %block)
          : (!transform.any_op, !transform.any_op, !transform.param<i64>) -> ()
    }
    transform.foreach %stored_packed : !transform.any_op {
    ^bb0(%contraction: !transform.any_op):
      %pack = transform.get_producer_of_operand %contraction[1]
          : (!transform.any_op) -> !transform.any_op
      transform.include @tile_stored_matrix failures(propagate)
          (%contraction, %pack, %block)
          : (!transform.any_op, !transform.any_op, !transform.param<i64>) -> ()
    }
    transform.foreach %stored_prepared : !transform.any_op {
    ^bb0(%contraction: !transform.any_op):
      %pack = transform.structured.match ops{["lh.none"]} in %contraction
          : (!transform.any_op) -> !transform.any_op
      transform.include @tile_stored_matrix failures(propagate)
          (%contraction, %pack, %block)
          : (!transform.any_op, !transform.any_op, !transform.param<i64>) -> ()
    }
    transform.yield
  }

  transform.named_sequence @tile_each_batch(
      %root: !transform.any_op {transform.readonly},
      %block: !transform.param<i64> {transform.readonly}) {
    %no = transform.param.constant 0 : i64 -> !transform.param<i64>
    %yes = transform.param.constant 1 : i64 -> !transform.param<i64>
    %marked = transform.structured.match ops{["linalg.generic"]}
        attributes{lh.contraction} in %root : (!transform.any_op) -> !transform.any_op
    %contractions = transform.collect_matching @is_batch in %marked
        : (!transform.any_op) -> !transform.any_op
    transform.annotate %contractions "lh.followed" = %no : !transform.any_op, !transform.param<i64>
    transform.annotate %contractions "lh.packed" = %no : !transform.any_op, !transform.param<i64>
    %loops = transform.param.constant 5 : i64 -> !transform.param<i64>
    transform.annotate %contractions "lh.loops" = %loops : !transform.any_op, !transform.param<i64>
    %packed = transform.collect_matching @is_packed_batch in %contractions
        : (!transform.any_op) -> !transform.any_op
    transform.annotate %packed "lh.packed" = %yes : !transform.any_op, !transform.param<i64>
    transform.include @keep_panels_of_attention failures(propagate) (%root)
        : (!transform.any_op) -> ()
    transform.foreach %contractions : !transform.any_op {
    ^bb0(%contraction: !transform.any_op):
      %unpack = transform.get_consumers_of_result %contraction[0]
          : (!transform.any_op) -> !transform.any_op
      %users = transform.get_consumers_of_result %unpack[0]
          : (!transform.any_op) -> !transform.any_op
      transform.foreach %users : !transform.any_op {
      ^bb1(%user: !transform.any_op):
        %epilogue = transform.structured.match ops{["linalg.generic"]}
            attributes{lh.epilogue} in %user
            : (!transform.any_op) -> !transform.any_op
        transform.foreach %epilogue : !transform.any_op {
        ^bb2(%follows: !transform.any_op):
          transform.annotate %contraction "lh.followed" = %yes
              : !transform.any_op, !transform.param<i64>
        }
      }
    }
    %followed_packed = transform.structured.match ops{["linalg.generic"]}
        attributes{lh.loops = 5 : i64, lh.followed = 1 : i64,
                   lh.packed = 1 : i64} in %root
        : (!transform.any_op) -> !transform.any_op
    %followed_prepared = transform.structured.match ops{["linalg.generic"]}
        attributes{lh.loops = 5 : i64, lh.followed = 1 : i64,
                   lh.packed = 0 : i64} in %root
        : (!transform.any_op) -> !transform.any_op
    %stored_packed = transform.structured.match ops{["linalg.generic"]}
        attributes{lh.loops = 5 : i64, lh.followed = 0 : i64,
                   lh.packed = 1 : i64} in %root
        : (!transform.any_op) -> !transform.any_op
    %stored_prepared = transform.structured.match ops{["linalg.generic"]}
        attributes{lh.loops = 5 : i64, lh.followed = 0 : i64,
                   lh.packed = 0 : i64} in %root
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %followed_packed : !transform.any_op {
    ^bb0(%contraction: !transform.any_op):
      %pack = transform.get_producer_of_operand %contraction[1]
          : (!transform.any_op) -> !transform.any_op
      transform.include @tile_followed_batch failures(propagate)
          (%contraction, %pack, %block)
          : (!transform.any_op, !transform.any_op, !transform.param<i64>) -> ()
    }
    transform.foreach %followed_prepared : !transform.any_op {
    ^bb0(%contraction: !transform.any_op):
      %pack = transform.structured.match ops{["lh.none"]} in %contraction
          : (!transform.any_op) -> !transform.any_op
      transform.include @tile_followed_batch failures(propagate)
          (%contraction, %pack, %block)
          : (!transform.any_op, !transform.any_op, !transform.param<i64>) -> ()
    }
    transform.foreach %stored_packed : !transform.any_op {
    ^bb0(%contraction: !transform.any_op):
      %pack = transform.get_producer_of_operand %contraction[1]
          : (!transform.any_op) -> !transform.any_op
      transform.include @tile_stored_batch failures(propagate)
          (%contraction, %pack, %block)
          : (!transform.any_op, !transform.any_op, !transform.param<i64>) -> ()
    }
    transform.foreach %stored_prepared : !transform.any_op {
    ^bb0(%contraction: !transform.any_op):
      %pack = transform.structured.match ops{["lh.none"]} in %contraction
          : (!transform.any_op) -> !transform.any_op
      transform.include @tile_stored_batch failures(propagate)
          (%contraction, %pack, %block)
          : (!transform.any_op, !transform.any_op, !transform.param<i64>) -> ()
    }
    transform.yield
  }

  // A tile's sum in registers of known length.
  transform.named_sequence @is_fixed(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    transform.match.operation_name %op ["linalg.generic"] : !transform.any_op
    %scalable = transform.param.constant false
        {lh.bind = {value = "scalable"}} -> !transform.param<i1>
    %no = transform.param.constant false -> !transform.param<i1>
    transform.match.param.cmpi eq %scalable, %no : !transform.param<i1>
    transform.yield %op : !transform.any_op
  }

  // ... in scalable ones.
  transform.named_sequence @is_scalable(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    transform.match.operation_name %op ["linalg.generic"] : !transform.any_op
    %scalable = transform.param.constant false
        {lh.bind = {value = "scalable"}} -> !transform.param<i1>
    %yes = transform.param.constant true -> !transform.param<i1>
    transform.match.param.cmpi eq %scalable, %yes : !transform.param<i1>
    transform.yield %op : !transform.any_op
  }

  // The reduction is stepped through one by one.
  transform.named_sequence @vectorize_fixed_sum(
      %of_rows: !transform.any_op {transform.consumed},
      %of_row: !transform.any_op {transform.consumed}) {
    %step, %loop = transform.structured.tile_using_for %of_rows
        tile_sizes [0, 1, 0]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %row_step, %row_loop = transform.structured.tile_using_for %of_row
        tile_sizes [1, 0]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    // finish-contractions brings the accumulators into registers.
    transform.annotate %loop "lh.sum" : !transform.any_op
    transform.annotate %row_loop "lh.sum" : !transform.any_op
    transform.yield
  }

  // The panel's columns in strips of scalable vectors, masked. The loops over
  // strips are peeled when the next kind of contraction is tiled, and whole
  // strips lose their masks; what is left is for vectors longer than the panel.
  transform.named_sequence @vectorize_scalable_sum(
      %of_rows: !transform.any_op {transform.consumed},
      %of_row: !transform.any_op {transform.consumed},
      %rows: !transform.param<i64> {transform.readonly}) {
    %strip, %strips = transform.structured.tile_using_for %of_rows
        tile_sizes [0, 0, [16]]
        {lh.bind = {static_sizes = [0, 0, "lanes"]}}
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %step, %loop = transform.structured.tile_using_for %strip
        tile_sizes [0, 1, 0]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.structured.vectorize %step vector_sizes [%rows, 1, [16]]
        {create_named_contraction,
         lh.bind = {static_vector_sizes = [-1, 1, "lanes"]}}
        : !transform.any_op, !transform.param<i64>
    %row_strip, %row_strips = transform.structured.tile_using_for %of_row
        tile_sizes [0, [16]]
        {lh.bind = {static_sizes = [0, "lanes"]}}
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %row_step, %row_loop = transform.structured.tile_using_for %row_strip
        tile_sizes [1, 0]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.structured.vectorize %row_step vector_sizes [1, [16]]
        {create_named_contraction,
         lh.bind = {static_vector_sizes = [1, "lanes"]}}
        : !transform.any_op
    transform.annotate %loop "lh.sum" : !transform.any_op
    transform.annotate %row_loop "lh.sum" : !transform.any_op
    // Theirs are brought there before slices of unknown size are folded.
    transform.annotate %loop "lh.scalable_sum" : !transform.any_op
    transform.annotate %row_loop "lh.scalable_sum" : !transform.any_op
    transform.annotate %strips "lh.strips" : !transform.any_op
    transform.annotate %row_strips "lh.strips" : !transform.any_op
    transform.yield
  }

  // Unit loops go first; then the sum is cut into steps. The contraction must
  // form before canonicalization, which would fold a unit reduction to a
  // multiply.
  transform.named_sequence @vectorize_sum(
      %inside: !transform.any_op {transform.readonly},
      %rows: !transform.param<i64> {transform.readonly}) {
    transform.apply_patterns to %inside {
      transform.apply_patterns.linalg.fold_unit_extent_dims_via_slices
    } : !transform.any_op
    %of_rows = transform.structured.match ops{["linalg.generic"]}
        attributes{iterator_types = [#linalg.iterator_type<parallel>,
                                     #linalg.iterator_type<reduction>,
                                     #linalg.iterator_type<parallel>]}
        in %inside : (!transform.any_op) -> !transform.any_op
    %of_row = transform.structured.match ops{["linalg.generic"]}
        attributes{iterator_types = [#linalg.iterator_type<reduction>,
                                     #linalg.iterator_type<parallel>]}
        in %inside : (!transform.any_op) -> !transform.any_op
    %scalable = transform.collect_matching @is_scalable in %of_rows
        : (!transform.any_op) -> !transform.any_op
    %scalable_row = transform.collect_matching @is_scalable in %of_row
        : (!transform.any_op) -> !transform.any_op
    %fixed = transform.collect_matching @is_fixed in %of_rows
        : (!transform.any_op) -> !transform.any_op
    %fixed_row = transform.collect_matching @is_fixed in %of_row
        : (!transform.any_op) -> !transform.any_op
    transform.include @vectorize_fixed_sum failures(propagate)
        (%fixed, %fixed_row) : (!transform.any_op, !transform.any_op) -> ()
    transform.include @vectorize_scalable_sum failures(propagate)
        (%scalable, %scalable_row, %rows)
        : (!transform.any_op, !transform.any_op, !transform.param<i64>) -> ()
    %all = transform.structured.match ops{["linalg.generic"]} in %inside
        : (!transform.any_op) -> !transform.any_op
    transform.structured.vectorize %all : !transform.any_op
    transform.apply_patterns to %inside {
      transform.apply_patterns.vector.reduction_to_contract
      transform.apply_patterns.vector.transfer_permutation_patterns
    } : !transform.any_op
    transform.yield
  }

  // One tile: the contraction and what is before and after it.
  transform.named_sequence @vectorize_matrix(
      %tile: !transform.any_op {transform.consumed},
      %rows: !transform.param<i64> {transform.readonly}) {
    %columns = transform.param.constant 32 : i64
        {lh.bind = {value = "columns"}} -> !transform.param<i64>
    %unpack = transform.get_consumers_of_result %tile[0] : (!transform.any_op) -> !transform.any_op
    %users = transform.get_consumers_of_result %unpack[0] : (!transform.any_op) -> !transform.any_op
    transform.foreach %users : !transform.any_op {
    ^bb0(%user: !transform.any_op):
      %epilogue = transform.structured.match ops{["linalg.generic"]}
          attributes{lh.epilogue} in %user : (!transform.any_op) -> !transform.any_op
      transform.structured.vectorize %epilogue
          vector_sizes [%rows, %columns]
          : !transform.any_op, !transform.param<i64>, !transform.param<i64>
    }
    transform.structured.vectorize %unpack
        vector_sizes [%rows, 1, %columns] : !transform.any_op, !transform.param<i64>, !transform.param<i64>
    %start = transform.get_producer_of_operand %tile[2] : (!transform.any_op) -> !transform.any_op
    // A loop of one trip: what is in it is this tile's alone.
    %sum, %scope = transform.structured.tile_using_forall %tile
        tile_sizes [0, 0, 1] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %value, %inside = transform.structured.fuse_into_containing_op %start into %scope
        : (!transform.any_op, !transform.any_op)
        -> (!transform.any_op, !transform.any_op)
    %pack = transform.structured.match ops{["linalg.pack"]} in %inside
        : (!transform.any_op) -> !transform.any_op
    transform.structured.vectorize %pack
        vector_sizes [%rows, 1, %columns] : !transform.any_op, !transform.param<i64>, !transform.param<i64>
    %zeros = transform.structured.match ops{["linalg.fill"]} in %inside
        : (!transform.any_op) -> !transform.any_op
    %general = transform.structured.generalize %zeros : (!transform.any_op) -> !transform.any_op
    transform.include @vectorize_sum failures(propagate) (%inside, %rows)
        : (!transform.any_op, !transform.param<i64>) -> ()
    transform.yield
  }

  // The same for one element of the batch.
  transform.named_sequence @vectorize_batch(
      %tile: !transform.any_op {transform.consumed},
      %rows: !transform.param<i64> {transform.readonly}) {
    %columns = transform.param.constant 32 : i64
        {lh.bind = {value = "columns"}} -> !transform.param<i64>
    %unpack = transform.get_consumers_of_result %tile[0] : (!transform.any_op) -> !transform.any_op
    %users = transform.get_consumers_of_result %unpack[0] : (!transform.any_op) -> !transform.any_op
    transform.foreach %users : !transform.any_op {
    ^bb0(%user: !transform.any_op):
      %epilogue = transform.structured.match ops{["linalg.generic"]}
          attributes{lh.epilogue} in %user : (!transform.any_op) -> !transform.any_op
      transform.structured.vectorize %epilogue
          vector_sizes [1, %rows, %columns]
          : !transform.any_op, !transform.param<i64>, !transform.param<i64>
    }
    transform.structured.vectorize %unpack
        vector_sizes [1, %rows, 1, %columns] : !transform.any_op, !transform.param<i64>, !transform.param<i64>
    %start = transform.get_producer_of_operand %tile[2] : (!transform.any_op) -> !transform.any_op
    // A loop of one trip: what is in it is this tile's alone.
    %sum, %scope = transform.structured.tile_using_forall %tile
        tile_sizes [0, 0, 0, 1] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %value, %inside = transform.structured.fuse_into_containing_op %start into %scope
        : (!transform.any_op, !transform.any_op)
        -> (!transform.any_op, !transform.any_op)
    %pack = transform.structured.match ops{["linalg.pack"]} in %inside
        : (!transform.any_op) -> !transform.any_op
    transform.structured.vectorize %pack
        vector_sizes [1, %rows, 1, %columns] : !transform.any_op, !transform.param<i64>, !transform.param<i64>
    %zeros = transform.structured.match ops{["linalg.fill"]} in %inside
        : (!transform.any_op) -> !transform.any_op
    %general = transform.structured.generalize %zeros : (!transform.any_op) -> !transform.any_op
    transform.include @vectorize_sum failures(propagate) (%inside, %rows)
        : (!transform.any_op, !transform.param<i64>) -> ()
    transform.yield
  }

  transform.named_sequence @tile_contractions(
      %root: !transform.any_op {transform.readonly}) {
    // Exactly one of them matches, so this is one value.
    %large = transform.collect_matching @block_of_large_cache in %root
        : (!transform.any_op) -> !transform.param<i64>
    %small = transform.collect_matching @block_of_small_cache in %root
        : (!transform.any_op) -> !transform.param<i64>
    %two = transform.collect_matching @block_of_two_threads in %root
        : (!transform.any_op) -> !transform.param<i64>
    %many = transform.collect_matching @block_of_many_threads in %root
        : (!transform.any_op) -> !transform.param<i64>
    %block = transform.merge_handles %large, %small, %two, %many
        : !transform.param<i64>
    transform.include @tile_each_matrix failures(propagate) (%root, %block)
        : (!transform.any_op, !transform.param<i64>) -> ()
    transform.include @tile_each_batch failures(propagate) (%root, %block)
        : (!transform.any_op, !transform.param<i64>) -> ()
    // What doesn't fill a tile.
    // A loop over strips is peeled once: the pass would cut what is left again.
    %done = transform.structured.match ops{["scf.for"]}
        attributes{lh.peeled_strips} in %root
        {lh.optional = "vectors may be of known length"}
        : (!transform.any_op) -> !transform.any_op
    transform.annotate %done "__peeled_loop__" : !transform.any_op
    %tiled_functions = transform.structured.match ops{["func.func"]} in %root
        : (!transform.any_op) -> !transform.any_op
    %whole_functions = transform.apply_registered_pass "lh-fill-windows"
        to %tiled_functions
        : (!transform.any_op) -> !transform.any_op
    %functions = transform.apply_registered_pass "scf-for-loop-peeling"
        to %whole_functions
        : (!transform.any_op) -> !transform.any_op
    %strips = transform.structured.match ops{["scf.for"]}
        attributes{lh.strips} in %root
        {lh.optional = "vectors may be of known length"}
        : (!transform.any_op) -> !transform.any_op
    transform.annotate %strips "lh.peeled_strips" : !transform.any_op
    transform.apply_patterns to %functions {
      transform.apply_patterns.linalg.tiling_canonicalization
      transform.apply_patterns.scf.for_loop_canonicalization
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.include @close_each_matrix failures(propagate) (%root)
        : (!transform.any_op) -> ()
    transform.include @close_each_batch failures(propagate) (%root)
        : (!transform.any_op) -> ()
    transform.apply_patterns to %functions {
      transform.apply_patterns.linalg.tiling_canonicalization
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    %matrix_all = transform.structured.match ops{["linalg.generic"]}
        attributes{lh.loops = 4 : i64} in %root : (!transform.any_op) -> !transform.any_op
    %matrix_tiles, %matrix_rows = transform.collect_matching @is_matrix_tile in %matrix_all
        : (!transform.any_op) -> (!transform.any_op, !transform.param<i64>)
    transform.foreach %matrix_tiles, %matrix_rows : !transform.any_op, !transform.param<i64> {
    ^bb0(%tile: !transform.any_op, %rows: !transform.param<i64>):
      transform.include @vectorize_matrix failures(propagate) (%tile, %rows)
          : (!transform.any_op, !transform.param<i64>) -> ()
    }
    %batch_all = transform.structured.match ops{["linalg.generic"]}
        attributes{lh.loops = 5 : i64} in %root : (!transform.any_op) -> !transform.any_op
    %batch_tiles, %batch_rows = transform.collect_matching @is_batch_tile in %batch_all
        : (!transform.any_op) -> (!transform.any_op, !transform.param<i64>)
    transform.foreach %batch_tiles, %batch_rows : !transform.any_op, !transform.param<i64> {
    ^bb0(%tile: !transform.any_op, %rows: !transform.param<i64>):
      transform.include @vectorize_batch failures(propagate) (%tile, %rows)
          : (!transform.any_op, !transform.param<i64>) -> ()
    }
    transform.yield
  }
}
