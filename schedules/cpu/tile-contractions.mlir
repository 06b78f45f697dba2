// Register tiles of packed contractions, and their vectors.
//
// Expects: what pack-contractions leaves: linalg.generic whose lh.choice is "tile"
//   or "amx", on A, panels of B and of C; packs of B still in the function, or done by
//   @prepare.
// Result:  per contraction, a loop over blocks of B (scf.forall), one over rows,
//   one over the panels of the block, and a reduction loop whose accumulators
//   are carried in registers (scf.for with a vector iter_arg). An epilogue is
//   computed on the accumulators. What doesn't fill a tile is peeled off: rows
//   into a tile of as many rows (one by one where their number isn't known),
//   columns into masked stores. Packs in the function are fused at the block,
//   so that a block is in the cache when it is read. All else is untouched. With
//   "amx" the sum stays a linalg.generic, marked lh.outer, which lh-lower-tiles
//   computes in AMX's tiles; what follows reads its sums row by row.
// Parameters: bits, the width of the numbers it takes (call it once for f32 and
//   once for f64); rows and columns, the register tile: accumulators are
//   rows x columns numbers; block, the columns in a block of B, and block_of_long
//   where a sum has at least long_sum steps, or one panel where it also has at most
//   kept_rows rows (tile-contractions.yaml). A choice may have "rows"
//   and "block" of its own; a block is whole panels. kept_bytes, of a product's
//   windows, at most, that are put side by side once for all of its blocks.
//   vector_bits, of a vector of Winograd's transforms.
// Measured (f32, AVX-512, Zen 5, percent of peak, packing included): 256^3 96,
//   512^3 97, 1024^3 94, 2048^3 90; with tiles of 4 x 64 and A packed 86, 77, 75,
//   57. Tiles of 8 x 32, 5 x 64 and 6 x 64 are as fast at 1024^3, 2 slower at
//   2048^3; blocks of 128 columns instead of 256 lose 2 at 2048^3. With A packed
//   as well, ahead of the product: 58 instead of 78, before panels became blocks.
// Source:  Goto & van de Geijn, "Anatomy of high-performance matrix
//   multiplication", less the packing of A; the transform dialect's matmul
//   schedules.
!op = !transform.any_op
!size = !transform.param<i64>
!flag = !transform.param<i1>
module attributes {transform.with_named_sequence} {
  // Of panels.mlir:
  transform.named_sequence private @peel_tiles(!op {transform.readonly}) -> !op
  transform.named_sequence private @tile_for(
      !op {transform.consumed}, !size {transform.readonly},
      !size {transform.readonly}, !size {transform.readonly}) -> (!op, !op)

  transform.named_sequence @rows_of(%op: !op {transform.readonly}) -> !size {
    %rows = transform.match.structured failures(propagate) %op : (!op) -> !size {
    ^bb0(%s: !op):
      %size = transform.match.structured.dim %s[-4] : (!op) -> !size
      transform.match.structured.yield %size : !size
    }
    transform.yield %rows : !size
  }

  // A contraction on panels: (m, k, panel, column), or the same for each element of
  // a batch, whose matrices may be one; of numbers of this width. With its rows.
  transform.named_sequence @is_contraction(
      %op: !op {transform.readonly}) -> (!op, !size) {
    %choice = transform.lh.match.choice %op ["tile", "amx"] : (!op) -> !transform.any_param
    %sizes:4 = transform.lh.match.product %op loops ["mknn", "bmknn", "mmknn", "nmknn"]
        {any_body, bits = 32 : i64, lh.bind = {bits = "bits"}} : !op
    %rows = transform.include @rows_of failures(propagate) (%op) : (!op) -> !size
    transform.yield %op, %rows : !op, !size
  }

  // How many elements of a batch are in a tile.
  transform.named_sequence @has_batch(%op: !op {transform.readonly}) -> !size {
    %sizes:4 = transform.lh.match.product %op loops ["bmknn", "mmknn", "nmknn"]
        {any_body} : !op
    %one = transform.param.constant 1 : i64 -> !size
    transform.yield %one : !size
  }

  // Fails on those whose panels are kept.
  transform.named_sequence @packs_for_itself(%op: !op {transform.readonly}) {
    %kept = transform.structured.match attributes{lh.ahead} in %op : (!op) -> !op
    transform.match.operation_empty %kept : !op
    transform.yield
  }

  // The pack of B where it is here, and for this contraction alone.
  transform.named_sequence @packs_panels(%op: !op {transform.readonly}) -> !op {
    transform.match.operation_name %op ["linalg.generic"] : !op
    transform.include @packs_for_itself failures(propagate) (%op) : (!op) -> ()
    %pack = transform.get_producer_of_operand %op[1] : (!op) -> !op
    transform.match.operation_name %pack ["linalg.pack"] : !op
    transform.yield %pack : !op
  }

  // A head's panels are packed once, ahead of its rows.
  transform.named_sequence @keep_panels_of_attention(%root: !op {transform.readonly}) {
    %heads = transform.structured.match ops{["scf.forall"]}
        attributes{lh.attention} in %root : (!op) -> !op
    transform.foreach %heads : !op {
    ^bb0(%head: !op):
      %products, %rows = transform.collect_matching @is_contraction in %head
          : (!op) -> (!op, !size)
      transform.annotate %products "lh.ahead" : !op
    }
    transform.yield
  }

  // What a contraction's value goes through on its way out: the unpack, and an
  // epilogue if there is one.
  transform.named_sequence @way_out(
      %contraction: !op {transform.readonly}) -> (!op, !op) {
    %unpack = transform.get_consumers_of_result %contraction[0] : (!op) -> !op
    %users = transform.get_consumers_of_result %unpack[0] : (!op) -> !op
    %epilogue = transform.foreach %users : !op -> !op {
    ^bb0(%user: !op):
      %marked = transform.structured.match ops{["linalg.generic"]}
          attributes{lh.epilogue} in %user : (!op) -> !op
      transform.yield %marked : !op
    }
    transform.yield %unpack, %epilogue : !op, !op
  }

  // The last of them, and what is between that and the contraction.
  transform.named_sequence @root_of(
      %contraction: !op {transform.readonly}) -> (!op, !op) {
    %unpack, %epilogue = transform.include @way_out failures(propagate)
        (%contraction) : (!op) -> (!op, !op)
    %root, %between = transform.lh.if %epilogue : !op -> !op, !op {
      transform.yield %epilogue, %unpack : !op, !op
    } else {
      transform.yield %unpack, %epilogue : !op, !op
    }
    transform.yield %root, %between : !op, !op
  }

  // All of them in loops over tiles of so many rows and columns.
  transform.named_sequence @cut(
      %root: !op {transform.consumed}, %between: !op {transform.consumed},
      %contraction: !op {transform.consumed}, %rows: !size {transform.readonly},
      %columns: !size {transform.readonly}) -> (!op, !op, !op, !op) {
    %batched = transform.collect_matching @has_batch in %contraction : (!op) -> !size
    %tile, %loop = transform.include @tile_for failures(propagate)
        (%root, %batched, %rows, %columns) : (!op, !size, !size, !size) -> (!op, !op)
    %b, %c = transform.lh.fuse_into %between, %contraction into %loop
        : (!op, !op, !op) -> (!op, !op)
    transform.yield %tile, %b, %c, %loop : !op, !op, !op, !op
  }

  // All of a usual block would not fit.
  transform.named_sequence @has_long_sum(%op: !op {transform.readonly}) -> !op {
    %sizes:4 = transform.lh.match.product %op loops ["mknn", "bmknn", "mmknn", "nmknn"]
        {any_body, at_least = array<i64: -1, -1, -1, 1025>,
         lh.bind = {at_least = [-1, -1, -1, "long_sum"]}} : !op
    transform.yield %op : !op
  }

  // So few rows that all of them stay in the cache beside a panel and the next one.
  transform.named_sequence @has_kept_rows(%op: !op {transform.readonly}) -> !op {
    %sizes:4 = transform.lh.match.product %op loops ["mknn", "bmknn", "mmknn", "nmknn"]
        {any_body, at_least = array<i64: -1, 2, -1, 1025>, at_most = array<i64: -1, 64, -1, -1>,
         lh.bind = {at_least = [-1, 2, -1, "long_sum"], at_most = [-1, "kept_rows", -1, -1]}}
        : !op
    transform.yield %op : !op
  }

  transform.named_sequence @block_of_long_sum(%op: !op {transform.readonly}) -> !size {
    %kept = transform.collect_matching @has_kept_rows in %op : (!op) -> !op
    %block = transform.lh.if %kept : !op -> !size {
      %panel = transform.param.constant 32 : i64 {lh.bind = {value = "columns"}} -> !size
      transform.yield %panel : !size
    } else {
      %fewer = transform.param.constant 128 : i64
          {lh.bind = {value = "block_of_long"}} -> !size
      transform.yield %fewer : !size
    }
    transform.yield %block : !size
  }

  // Columns in a block of B.
  transform.named_sequence @block_for(%op: !op {transform.readonly}) -> !size {
    %long = transform.collect_matching @has_long_sum in %op : (!op) -> !op
    %block = transform.lh.if %long : !op -> !size {
      %fewer = transform.include @block_of_long_sum failures(propagate) (%op)
          : (!op) -> !size
      transform.yield %fewer : !size
    } else {
      %usual = transform.param.constant 256 : i64 {lh.bind = {value = "block"}} -> !size
      transform.yield %usual : !size
    }
    transform.yield %block : !size
  }

  // Blocks of B, rows, panels.
  transform.named_sequence @tile_contraction(%contraction: !op {transform.consumed}) {
    %usual = transform.param.constant 12 : i64 {lh.bind = {value = "rows"}} -> !size
    %rows = transform.lh.match.choice %contraction ["tile", "amx"] key "rows" or %usual
        : (!op, !size) -> !size
    %any = transform.include @block_for failures(propagate) (%contraction) : (!op) -> !size
    %block = transform.lh.match.choice %contraction ["tile", "amx"] key "block" or %any
        : (!op, !size) -> !size
    %panel = transform.param.constant 32 : i64 {lh.bind = {value = "columns"}} -> !size
    %columns = transform.lh.match.choice %contraction ["tile", "amx"] key "columns" or %panel
        : (!op, !size) -> !size
    %all = transform.param.constant 0 : i64 -> !size
    %batched = transform.collect_matching @has_batch in %contraction : (!op) -> !size
    %start = transform.get_producer_of_operand %contraction[2] : (!op) -> !op
    %pack = transform.collect_matching @packs_panels in %contraction : (!op) -> !op
    %root, %b0 = transform.include @root_of failures(propagate) (%contraction)
        : (!op) -> (!op, !op)
    %sizes = transform.merge_handles %batched, %all, %block : !size
    %blocked, %blocks = transform.structured.tile_using_forall %root
        tile_sizes *(%sizes) : (!op, !size) -> (!op, !op)
    %b1, %c1, %panels = transform.lh.fuse_into %b0, %contraction, %pack into %blocks
        : (!op, !op, !op, !op) -> (!op, !op, !op)
    %striped, %b2, %c2, %l2 = transform.include @cut failures(propagate)
        (%blocked, %b1, %c1, %rows, %all)
        : (!op, !op, !op, !size, !size) -> (!op, !op, !op, !op)
    %stored, %b3, %c3, %l3 = transform.include @cut failures(propagate)
        (%striped, %b2, %c2, %all, %columns)
        : (!op, !op, !op, !size, !size) -> (!op, !op, !op, !op)
    transform.apply_patterns to %blocks {
      transform.apply_patterns.tensor.merge_consecutive_insert_extract_slice
    } : !op
    %s3 = transform.lh.fuse_into %start into %l3 : (!op, !op) -> !op
    transform.yield
  }

  // A tile of an unknown number of rows becomes tiles of one.
  transform.named_sequence @close_tile(%contraction: !op {transform.consumed}) {
    %all = transform.param.constant 0 : i64 -> !size
    %one = transform.param.constant 1 : i64 -> !size
    %start = transform.get_producer_of_operand %contraction[2] : (!op) -> !op
    %root, %between = transform.include @root_of failures(propagate) (%contraction)
        : (!op) -> (!op, !op)
    %row, %b, %c, %loop = transform.include @cut failures(propagate)
        (%root, %between, %contraction, %one, %all)
        : (!op, !op, !op, !size, !size) -> (!op, !op, !op, !op)
    %s = transform.lh.fuse_into %start into %loop : (!op, !op) -> !op
    transform.yield
  }

  // The reduction is stepped through one by one; finish-contractions brings the
  // accumulators into registers.
  transform.named_sequence @cut_sum(
      %of_rows: !op {transform.consumed}, %of_row: !op {transform.consumed}) {
    %step, %loop = transform.structured.tile_using_for %of_rows
        tile_sizes [0, 1, 0] : (!op) -> (!op, !op)
    %row_step, %row_loop = transform.structured.tile_using_for %of_row
        tile_sizes [1, 0] : (!op) -> (!op, !op)
    transform.annotate %loop "lh.sum" : !op
    transform.annotate %row_loop "lh.sum" : !op
    transform.yield
  }

  // The panel's columns in strips of scalable vectors, masked. The loops over
  // strips are peeled when the next kind of contraction is tiled, and whole
  // strips lose their masks; what is left is for vectors longer than the panel.
  transform.named_sequence @cut_sum_into_strips(
      %of_rows: !op {transform.consumed}, %of_row: !op {transform.consumed},
      %rows: !size {transform.readonly}) {
    %strip, %strips = transform.structured.tile_using_for %of_rows
        tile_sizes [0, 0, [16]] {lh.bind = {static_sizes = [0, 0, "lanes"]}}
        : (!op) -> (!op, !op)
    %step, %loop = transform.structured.tile_using_for %strip
        tile_sizes [0, 1, 0] : (!op) -> (!op, !op)
    transform.structured.vectorize %step vector_sizes [%rows, 1, [16]]
        {create_named_contraction,
         lh.bind = {static_vector_sizes = [-1, 1, "lanes"]}} : !op, !size
    %row_strip, %row_strips = transform.structured.tile_using_for %of_row
        tile_sizes [0, [16]] {lh.bind = {static_sizes = [0, "lanes"]}}
        : (!op) -> (!op, !op)
    %row_step, %row_loop = transform.structured.tile_using_for %row_strip
        tile_sizes [1, 0] : (!op) -> (!op, !op)
    transform.structured.vectorize %row_step vector_sizes [1, [16]]
        {create_named_contraction,
         lh.bind = {static_vector_sizes = [1, "lanes"]}} : !op
    %loops = transform.merge_handles %loop, %row_loop : !op
    transform.annotate %loops "lh.sum" : !op
    // Theirs are brought there before slices of unknown size are folded.
    transform.annotate %loops "lh.scalable_sum" : !op
    transform.annotate %strips "lh.strips" : !op
    transform.annotate %row_strips "lh.strips" : !op
    transform.yield
  }

  // Unit loops go first; then the sum is cut into steps. The contraction must
  // form before canonicalization, which would fold a unit reduction to a
  // multiply.
  transform.named_sequence @vectorize_sum(
      %inside: !op {transform.readonly}, %rows: !size {transform.readonly}) {
    transform.apply_patterns to %inside {
      transform.apply_patterns.linalg.fold_unit_extent_dims_via_slices
    } : !op
    %of_rows = transform.structured.match ops{["linalg.generic"]}
        attributes{iterator_types = [#linalg.iterator_type<parallel>,
                                     #linalg.iterator_type<reduction>,
                                     #linalg.iterator_type<parallel>]}
        in %inside : (!op) -> !op
    %of_row = transform.structured.match ops{["linalg.generic"]}
        attributes{iterator_types = [#linalg.iterator_type<reduction>,
                                     #linalg.iterator_type<parallel>]}
        in %inside : (!op) -> !op
    %scalable = transform.param.constant false {lh.bind = {value = "scalable"}} -> !flag
    transform.lh.if %scalable : !flag {
      transform.include @cut_sum_into_strips failures(propagate)
          (%of_rows, %of_row, %rows) : (!op, !op, !size) -> ()
    } else {
      transform.include @cut_sum failures(propagate) (%of_rows, %of_row)
          : (!op, !op) -> ()
    }
    %all = transform.structured.match ops{["linalg.generic"]} in %inside : (!op) -> !op
    transform.structured.vectorize %all : !op
    transform.apply_patterns to %inside {
      transform.apply_patterns.vector.reduction_to_contract
      transform.apply_patterns.vector.transfer_permutation_patterns
    } : !op
    transform.yield
  }

  // A loop of one trip is put around the sum: what is in it is this tile's alone.
  transform.named_sequence @enclose(%tile: !op {transform.consumed},
      %batched: !size {transform.readonly}) -> !op {
    %start = transform.get_producer_of_operand %tile[2] : (!op) -> !op
    %scope = transform.lh.if %batched : !size -> !op {
      %sum, %loop = transform.structured.tile_using_forall %tile
          tile_sizes [0, 0, 0, 1] : (!op) -> (!op, !op)
      transform.yield %loop : !op
    } else {
      %sum, %loop = transform.structured.tile_using_forall %tile
          tile_sizes [0, 0, 1] : (!op) -> (!op, !op)
      transform.yield %loop : !op
    }
    %value = transform.lh.fuse_into %start into %scope : (!op, !op) -> !op
    transform.yield %scope : !op
  }

  // What is around the sum, on so many rows.
  transform.named_sequence @vectorize_around(%epilogue: !op {transform.consumed},
      %layouts: !op {transform.consumed}, %batched: !size {transform.readonly},
      %rows: !size {transform.readonly}, %columns: !size {transform.readonly}) {
    transform.lh.if %batched : !size {
      transform.structured.vectorize %epilogue vector_sizes [1, %rows, %columns]
          : !op, !size, !size
      transform.structured.vectorize %layouts vector_sizes [1, %rows, 1, %columns]
          : !op, !size, !size
    } else {
      transform.structured.vectorize %epilogue vector_sizes [%rows, %columns]
          : !op, !size, !size
      transform.structured.vectorize %layouts vector_sizes [%rows, 1, %columns]
          : !op, !size, !size
    }
    transform.yield
  }

  // One tile: the contraction and what is before and after it.
  transform.named_sequence @vectorize_tile(
      %tile: !op {transform.consumed}, %rows: !size {transform.readonly}) {
    %panel = transform.param.constant 32 : i64 {lh.bind = {value = "columns"}} -> !size
    %columns = transform.lh.match.choice %tile ["tile"] key "columns" or %panel
        : (!op, !size) -> !size
    %batched = transform.collect_matching @has_batch in %tile : (!op) -> !size
    %unpack, %epilogue = transform.include @way_out failures(propagate) (%tile)
        : (!op) -> (!op, !op)
    %inside = transform.include @enclose failures(propagate) (%tile, %batched)
        : (!op, !size) -> !op
    %pack = transform.structured.match ops{["linalg.pack"]} in %inside : (!op) -> !op
    %layouts = transform.merge_handles %pack, %unpack : !op
    transform.include @vectorize_around failures(propagate)
        (%epilogue, %layouts, %batched, %rows, %columns)
        : (!op, !op, !size, !size, !size) -> ()
    %zeros = transform.structured.match ops{["linalg.fill"]} in %inside : (!op) -> !op
    %general = transform.structured.generalize %zeros : (!op) -> !op
    transform.include @vectorize_sum failures(propagate) (%inside, %rows)
        : (!op, !size) -> ()
    transform.yield
  }

  // The choice is AMX's tiles.
  transform.named_sequence @is_in_tiles(%op: !op {transform.readonly}) -> !flag {
    %choice = transform.lh.match.choice %op ["amx"] : (!op) -> !transform.any_param
    %yes = transform.param.constant true -> !flag
    transform.yield %yes : !flag
  }

  // One of those: its sums go through memory, so what follows is computed a row at
  // a time. Nothing but the layout follows: lh-lower-tiles stores them in their place.
  transform.named_sequence @keep_tile(%tile: !op {transform.consumed}) {
    %batched = transform.collect_matching @has_batch in %tile : (!op) -> !size
    %unpack, %epilogue = transform.include @way_out failures(propagate) (%tile)
        : (!op) -> (!op, !op)
    %inside = transform.lh.if %epilogue : !op -> !op {
      %scope = transform.include @cut_rows failures(propagate)
          (%tile, %unpack, %epilogue, %batched) : (!op, !op, !op, !size) -> !op
      transform.yield %scope : !op
    } else {
      %scope = transform.include @enclose failures(propagate) (%tile, %batched)
          : (!op, !size) -> !op
      %layout = transform.cast %unpack : !op to !transform.op<"linalg.unpack">
      %empty, %turned, %flat, %slice = transform.structured.lower_unpack %layout
          : (!transform.op<"linalg.unpack">)
          -> (!transform.op<"tensor.empty">, !transform.op<"linalg.transpose">,
              !transform.op<"tensor.collapse_shape">,
              !transform.op<"tensor.extract_slice">)
      transform.yield %scope : !op
    }
    transform.apply_patterns to %inside {
      transform.apply_patterns.linalg.fold_unit_extent_dims_via_slices
    } : !op
    %product = transform.structured.match ops{["linalg.generic"]} in %inside
        : (!op) -> !op
    transform.annotate %product "lh.outer" : !op
    transform.yield
  }

  transform.named_sequence @cut_rows(%tile: !op {transform.consumed},
      %unpack: !op {transform.consumed}, %epilogue: !op {transform.consumed},
      %batched: !size {transform.readonly}) -> !op {
    %panel = transform.param.constant 32 : i64 {lh.bind = {value = "columns"}} -> !size
    %columns = transform.lh.match.choice %tile ["amx"] key "columns" or %panel
        : (!op, !size) -> !size
    %all = transform.param.constant 0 : i64 -> !size
    %one = transform.param.constant 1 : i64 -> !size
    %row, %loop = transform.include @tile_for failures(propagate)
        (%epilogue, %batched, %one, %all) : (!op, !size, !size, !size) -> (!op, !op)
    %last = transform.lh.fuse_into %unpack into %loop : (!op, !op) -> !op
    %inside = transform.include @enclose failures(propagate) (%tile, %batched)
        : (!op, !size) -> !op
    %pack = transform.structured.match ops{["linalg.pack"]} in %inside : (!op) -> !op
    %layouts = transform.merge_handles %pack, %last : !op
    transform.include @vectorize_around failures(propagate)
        (%row, %layouts, %batched, %one, %columns)
        : (!op, !op, !size, !size, !size) -> ()
    transform.yield %inside : !op
  }

  // An unknown size is negative.
  transform.named_sequence @has_open_rows(%op: !op {transform.readonly}) -> !op {
    transform.match.operation_name %op ["linalg.generic"] : !op
    %nothing = transform.param.constant 0 : i64 -> !size
    %rows = transform.include @rows_of failures(propagate) (%op) : (!op) -> !size
    transform.match.param.cmpi lt %rows, %nothing : !size
    transform.yield %op : !op
  }

  transform.named_sequence @tile_contractions(%root: !op {transform.readonly}) {
    %bits = transform.param.constant 512 : i64 {lh.bind = {value = "vector_bits"}} -> !size
    %kept = transform.param.constant 0 : i64 {lh.bind = {value = "kept_bytes"}} -> !size
    transform.include @keep_panels_of_attention failures(propagate) (%root) : (!op) -> ()
    %contractions, %m = transform.collect_matching @is_contraction in %root
        : (!op) -> (!op, !size)
    %count = transform.num_associations %contractions : (!op) -> !size
    transform.foreach %contractions : !op {
    ^bb0(%contraction: !op):
      transform.include @tile_contraction failures(propagate) (%contraction) : (!op) -> ()
    }
    %tiled = transform.structured.match ops{["func.func"]} in %root : (!op) -> !op
    %filled = transform.apply_registered_pass "lh-lower-windows"
        with options = {"copies" = "64,16,8,4,2", "bits" = %bits, "kept-bytes" = %kept}
        to %tiled : (!op, !size, !size) -> !op
    %functions = transform.include @peel_tiles failures(propagate) (%root) : (!op) -> !op
    %cut, %heights = transform.collect_matching @is_contraction in %root
        : (!op) -> (!op, !size)
    %open = transform.collect_matching @has_open_rows in %cut : (!op) -> !op
    transform.foreach %open : !op {
    ^bb0(%tile: !op):
      transform.include @close_tile failures(propagate) (%tile) : (!op) -> ()
    }
    transform.apply_patterns to %functions {
      transform.apply_patterns.linalg.tiling_canonicalization
      transform.apply_patterns.canonicalization
    } : !op
    %tiles, %rows = transform.collect_matching @is_contraction in %root
        : (!op) -> (!op, !size)
    transform.foreach %tiles, %rows : !op, !size {
    ^bb0(%tile: !op, %height: !size):
      %in_tiles = transform.collect_matching @is_in_tiles in %tile : (!op) -> !flag
      transform.lh.if %in_tiles : !flag {
        transform.include @keep_tile failures(propagate) (%tile) : (!op) -> ()
      } else {
        transform.include @vectorize_tile failures(propagate) (%tile, %height)
            : (!op, !size) -> ()
      }
    }
    // The sums' loops of vectors of unknown length, which are here only now.
    transform.lh.if %count : !size {
      %peeled = transform.include @peel_tiles failures(propagate) (%root) : (!op) -> !op
    }
    transform.yield
  }
}
