// Contractions of f32 and f64 as outer products of scalable vectors (SME).
//
// Three entries, for the steps that other contractions take as well:
//   @pack_outer_products    as pack-contractions: linalg on tensors, products
//     marked (lh-mark-products). Leaves those it takes, a matrix or one for each
//     element of a batch, with at least 8 rows, as a linalg.generic marked
//     lh.outer on panels of both operands, [rows/panel][K][panel] and
//     [columns/panel][K][panel]; what doesn't fill a panel is zeros, so nothing
//     below needs a mask.
//   @tile_outer_products    as tile-contractions: a loop over panels of rows
//     (scf.forall), where A is packed right before it is read, and one over
//     panels of columns. The contraction of two panels stays a linalg.generic.
//   @stream_outer_products  as lower-vectors: buffers. Each contraction of two
//     panels becomes a function of its own that runs in streaming mode: only
//     there vectors have the length that ZA's tiles have, and nothing else must
//     run there. Its accumulators stay in ZA over the whole sum.
// Parameters: outer_products, whether the target has them; lanes, rows and columns
//   of a tile for each unit of the vectors' scale: 8 of f32 are ZA's four tiles,
//   so that two loads of two registers feed four fmopa that don't wait for each
//   other; lanes_f64: 4 of f64 are four of its eight tiles;
//   panel, rows and columns of a panel: a multiple of lanes times every scale
//   there is.
// Source:  upstream's ArmSME pipeline (test-lower-to-arm-sme), with the sum's
//   accumulators hoisted and panels instead of masks.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @has_outer_products(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    transform.match.operation_name %op ["func.func"] : !transform.any_op
    %has = transform.param.constant false
        {lh.bind = {value = "outer_products"}} -> !transform.param<i1>
    %yes = transform.param.constant true -> !transform.param<i1>
    transform.match.param.cmpi eq %has, %yes : !transform.param<i1>
    transform.yield %op : !transform.any_op
  }

  // C[m, n] += A[m, k] * B[k, n]
  transform.named_sequence @is_product(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %loops = transform.param.constant 3 : i64 -> !transform.param<i64>
    %rows = transform.param.constant 0 : i64 -> !transform.param<i64>
    %columns = transform.param.constant 1 : i64 -> !transform.param<i64>
    %sum = transform.param.constant 2 : i64 -> !transform.param<i64>
    transform.match.structured failures(propagate) %op : !transform.any_op {
    ^bb0(%s: !transform.any_op):
      %rank = transform.match.structured.rank %s
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi eq %rank, %loops : !transform.param<i64>
      transform.match.structured.body %s
          {contraction = ["arith.mulf", "arith.addf"]} : !transform.any_op
      %batch, %m, %n, %k = transform.match.structured.classify_contraction_dims %s
          : (!transform.any_op) -> (!transform.param<i64>, !transform.param<i64>,
                                    !transform.param<i64>, !transform.param<i64>)
      transform.match.param.cmpi eq %m, %rows : !transform.param<i64>
      transform.match.param.cmpi eq %n, %columns : !transform.param<i64>
      transform.match.param.cmpi eq %k, %sum : !transform.param<i64>
      transform.match.structured.yield
    }
    transform.yield %op : !transform.any_op
  }

  // C[b, m, n] += A[b, m, k] * B[b, k, n]
  transform.named_sequence @is_batched_product(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %loops = transform.param.constant 4 : i64 -> !transform.param<i64>
    %rows = transform.param.constant 1 : i64 -> !transform.param<i64>
    %columns = transform.param.constant 2 : i64 -> !transform.param<i64>
    %sum = transform.param.constant 3 : i64 -> !transform.param<i64>
    transform.match.structured failures(propagate) %op : !transform.any_op {
    ^bb0(%s: !transform.any_op):
      %rank = transform.match.structured.rank %s
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi eq %rank, %loops : !transform.param<i64>
      transform.match.structured.body %s
          {contraction = ["arith.mulf", "arith.addf"]} : !transform.any_op
      %batch, %m, %n, %k = transform.match.structured.classify_contraction_dims %s
          : (!transform.any_op) -> (!transform.param<i64>, !transform.param<i64>,
                                    !transform.param<i64>, !transform.param<i64>)
      transform.match.param.cmpi eq %m, %rows : !transform.param<i64>
      transform.match.param.cmpi eq %n, %columns : !transform.param<i64>
      transform.match.param.cmpi eq %k, %sum : !transform.param<i64>
      transform.match.structured.yield
    }
    transform.yield %op : !transform.any_op
  }

  // C[b, m, n] += A[b, m, k] * B[k, n]
  transform.named_sequence @is_shared_right(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %loops = transform.param.constant 4 : i64 -> !transform.param<i64>
    %rows0 = transform.param.constant 0 : i64 -> !transform.param<i64>
    %rows1 = transform.param.constant 1 : i64 -> !transform.param<i64>
    %rows = transform.merge_handles %rows0, %rows1 : !transform.param<i64>
    %columns = transform.param.constant 2 : i64 -> !transform.param<i64>
    %sum = transform.param.constant 3 : i64 -> !transform.param<i64>
    transform.match.structured failures(propagate) %op : !transform.any_op {
    ^bb0(%s: !transform.any_op):
      %rank = transform.match.structured.rank %s
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi eq %rank, %loops : !transform.param<i64>
      transform.match.structured.body %s
          {contraction = ["arith.mulf", "arith.addf"]} : !transform.any_op
      %batch, %m, %n, %k = transform.match.structured.classify_contraction_dims %s
          : (!transform.any_op) -> (!transform.param<i64>, !transform.param<i64>,
                                    !transform.param<i64>, !transform.param<i64>)
      transform.match.param.cmpi eq %m, %rows : !transform.param<i64>
      transform.match.param.cmpi eq %n, %columns : !transform.param<i64>
      transform.match.param.cmpi eq %k, %sum : !transform.param<i64>
      transform.match.structured.yield
    }
    transform.yield %op : !transform.any_op
  }

  // C[b, m, n] += A[m, k] * B[b, k, n]: what im2col gives
  transform.named_sequence @is_shared_left(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %loops = transform.param.constant 4 : i64 -> !transform.param<i64>
    %rows = transform.param.constant 1 : i64 -> !transform.param<i64>
    %columns0 = transform.param.constant 0 : i64 -> !transform.param<i64>
    %columns2 = transform.param.constant 2 : i64 -> !transform.param<i64>
    %columns = transform.merge_handles %columns0, %columns2 : !transform.param<i64>
    %sum = transform.param.constant 3 : i64 -> !transform.param<i64>
    transform.match.structured failures(propagate) %op : !transform.any_op {
    ^bb0(%s: !transform.any_op):
      %rank = transform.match.structured.rank %s
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi eq %rank, %loops : !transform.param<i64>
      transform.match.structured.body %s
          {contraction = ["arith.mulf", "arith.addf"]} : !transform.any_op
      %batch, %m, %n, %k = transform.match.structured.classify_contraction_dims %s
          : (!transform.any_op) -> (!transform.param<i64>, !transform.param<i64>,
                                    !transform.param<i64>, !transform.param<i64>)
      transform.match.param.cmpi eq %m, %rows : !transform.param<i64>
      transform.match.param.cmpi eq %n, %columns : !transform.param<i64>
      transform.match.param.cmpi eq %k, %sum : !transform.param<i64>
      transform.match.structured.yield
    }
    transform.yield %op : !transform.any_op
  }

  // Fewer rows would leave a panel mostly padding.
  transform.named_sequence @has_few_rows(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %least = transform.param.constant 0 : i64 -> !transform.param<i64>
    %eight = transform.param.constant 8 : i64 -> !transform.param<i64>
    transform.match.structured failures(propagate) %op : !transform.any_op {
    ^bb0(%s: !transform.any_op):
      // An unknown size is negative.
      %size = transform.match.structured.dim %s[-3]
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi ge %size, %least : !transform.param<i64>
      transform.match.param.cmpi lt %size, %eight : !transform.param<i64>
      transform.match.structured.yield
    }
    transform.yield %op : !transform.any_op
  }

  transform.named_sequence @pack_both(
      %contraction: !transform.any_op {transform.consumed})
      -> (!transform.any_op, !transform.any_op) {
    %packed = transform.structured.pack_greedily %contraction
        matmul_packed_sizes = [128, 128, 0] matmul_inner_dims_order = [0, 1, 2]
        {lh.bind = {static_matmul_packed_sizes = ["panel", "panel", 0]}}
        : (!transform.any_op) -> !transform.op<"linalg.generic">
    transform.annotate %packed "lh.outer" : !transform.op<"linalg.generic">
    %left = transform.get_producer_of_operand %packed[0]
        : (!transform.op<"linalg.generic">) -> !transform.any_op
    %right = transform.get_producer_of_operand %packed[1]
        : (!transform.op<"linalg.generic">) -> !transform.any_op
    transform.yield %left, %right : !transform.any_op, !transform.any_op
  }

  // The numbers of a panel lie in the order in which they are read.
  transform.named_sequence @turn_matrix(
      %pack: !transform.any_op {transform.readonly}) {
    %by_k = transform.structured.match ops{["linalg.pack"]}
        attributes{inner_dims_pos = array<i64: 1>} in %pack
        {lh.optional = "it may lie in that order"}
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %by_k : !transform.any_op {
    ^bb0(%each: !transform.any_op):
      %user = transform.get_consumers_of_result %each[0]
          : (!transform.any_op) -> !transform.any_op
      %p = transform.cast %each : !transform.any_op to !transform.op<"linalg.pack">
      %g = transform.cast %user : !transform.any_op to !transform.op<"linalg.generic">
      %turned, %p1, %none = transform.structured.pack_transpose %p
          with_compute_op(%g) outer_perm = [1, 0]
          : (!transform.op<"linalg.pack">, !transform.op<"linalg.generic">)
          -> (!transform.op<"linalg.generic">, !transform.op<"linalg.pack">,
              !transform.any_op)
      transform.annotate %turned "lh.outer" : !transform.op<"linalg.generic">
    }
    transform.yield
  }

  // ... with a matrix for each element of the batch.
  transform.named_sequence @turn_batch(
      %pack: !transform.any_op {transform.readonly}) {
    %by_k = transform.structured.match ops{["linalg.pack"]}
        attributes{inner_dims_pos = array<i64: 2>} in %pack
        {lh.optional = "it may lie in that order"}
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %by_k : !transform.any_op {
    ^bb0(%each: !transform.any_op):
      %user = transform.get_consumers_of_result %each[0]
          : (!transform.any_op) -> !transform.any_op
      %p = transform.cast %each : !transform.any_op to !transform.op<"linalg.pack">
      %g = transform.cast %user : !transform.any_op to !transform.op<"linalg.generic">
      %turned, %p1, %none = transform.structured.pack_transpose %p
          with_compute_op(%g) outer_perm = [0, 2, 1]
          : (!transform.op<"linalg.pack">, !transform.op<"linalg.generic">)
          -> (!transform.op<"linalg.generic">, !transform.op<"linalg.pack">,
              !transform.any_op)
      transform.annotate %turned "lh.outer" : !transform.op<"linalg.generic">
    }
    transform.yield
  }

  transform.named_sequence @pack_products(
      %contractions: !transform.any_op {transform.consumed}) {
    transform.foreach %contractions : !transform.any_op {
    ^bb0(%contraction: !transform.any_op):
      %left, %right = transform.include @pack_both failures(propagate)
          (%contraction)
          : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
      transform.include @turn_matrix failures(propagate) (%left)
          : (!transform.any_op) -> ()
      transform.include @turn_matrix failures(propagate) (%right)
          : (!transform.any_op) -> ()
    }
    transform.yield
  }

  transform.named_sequence @pack_batched(
      %contractions: !transform.any_op {transform.consumed}) {
    transform.foreach %contractions : !transform.any_op {
    ^bb0(%contraction: !transform.any_op):
      %left, %right = transform.include @pack_both failures(propagate)
          (%contraction)
          : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
      transform.include @turn_batch failures(propagate) (%left)
          : (!transform.any_op) -> ()
      transform.include @turn_batch failures(propagate) (%right)
          : (!transform.any_op) -> ()
    }
    transform.yield
  }

  transform.named_sequence @pack_shared_right(
      %contractions: !transform.any_op {transform.consumed}) {
    transform.foreach %contractions : !transform.any_op {
    ^bb0(%contraction: !transform.any_op):
      %left, %right = transform.include @pack_both failures(propagate)
          (%contraction)
          : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
      transform.include @turn_batch failures(propagate) (%left)
          : (!transform.any_op) -> ()
      transform.include @turn_matrix failures(propagate) (%right)
          : (!transform.any_op) -> ()
    }
    transform.yield
  }

  transform.named_sequence @pack_shared_left(
      %contractions: !transform.any_op {transform.consumed}) {
    transform.foreach %contractions : !transform.any_op {
    ^bb0(%contraction: !transform.any_op):
      %left, %right = transform.include @pack_both failures(propagate)
          (%contraction)
          : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
      transform.include @turn_matrix failures(propagate) (%left)
          : (!transform.any_op) -> ()
      transform.include @turn_batch failures(propagate) (%right)
          : (!transform.any_op) -> ()
    }
    transform.yield
  }

  transform.named_sequence @pack_products_of(
      %function: !transform.any_op {transform.readonly}) {
    %no = transform.param.constant 0 : i64 -> !transform.param<i64>
    %yes = transform.param.constant 1 : i64 -> !transform.param<i64>
    %all = transform.structured.match attributes{lh.product} in %function
        {lh.optional = "there may be no products"}
        : (!transform.any_op) -> !transform.any_op
    transform.annotate %all "lh.tall" = %yes
        : !transform.any_op, !transform.param<i64>
    %few = transform.collect_matching @has_few_rows in %all
        : (!transform.any_op) -> !transform.any_op
    transform.annotate %few "lh.tall" = %no
        : !transform.any_op, !transform.param<i64>
    %candidates = transform.structured.match attributes{lh.tall = 1 : i64}
        in %function {lh.optional = "there may be no products"}
        : (!transform.any_op) -> !transform.any_op
    %product = transform.collect_matching @is_product in %candidates
        : (!transform.any_op) -> !transform.any_op
    %batched = transform.collect_matching @is_batched_product in %candidates
        : (!transform.any_op) -> !transform.any_op
    %shared_right = transform.collect_matching @is_shared_right in %candidates
        : (!transform.any_op) -> !transform.any_op
    %shared_left = transform.collect_matching @is_shared_left in %candidates
        : (!transform.any_op) -> !transform.any_op
    transform.include @pack_products failures(propagate) (%product)
        : (!transform.any_op) -> ()
    transform.include @pack_batched failures(propagate) (%batched)
        : (!transform.any_op) -> ()
    transform.include @pack_shared_right failures(propagate) (%shared_right)
        : (!transform.any_op) -> ()
    transform.include @pack_shared_left failures(propagate) (%shared_left)
        : (!transform.any_op) -> ()
    %packed = transform.structured.match ops{["linalg.generic"]}
        attributes{lh.outer} in %function {lh.optional = "there may be no products"}
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %packed : !transform.any_op {
    ^bb0(%contraction: !transform.any_op):
      %left = transform.get_producer_of_operand %contraction[0]
          : (!transform.any_op) -> !transform.any_op
      %right = transform.get_producer_of_operand %contraction[1]
          : (!transform.any_op) -> !transform.any_op
      transform.annotate %left "lh.outer" : !transform.any_op
      transform.annotate %right "lh.outer" : !transform.any_op
    }
    transform.apply_patterns to %function {
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.apply_cse to %function : !transform.any_op
    transform.yield
  }

  transform.named_sequence @pack_outer_products(
      %root: !transform.any_op {transform.readonly}) {
    %functions = transform.structured.match ops{["func.func"]} in %root
        : (!transform.any_op) -> !transform.any_op
    %able = transform.collect_matching @has_outer_products in %functions
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %able : !transform.any_op {
    ^bb0(%function: !transform.any_op):
      transform.include @pack_products_of failures(propagate) (%function)
          : (!transform.any_op) -> ()
    }
    transform.yield
  }

  transform.named_sequence @has_5_loops(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %loops = transform.param.constant 5 : i64 -> !transform.param<i64>
    transform.match.structured failures(propagate) %op : !transform.any_op {
    ^bb0(%s: !transform.any_op):
      %rank = transform.match.structured.rank %s
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi eq %rank, %loops : !transform.param<i64>
      transform.match.structured.yield
    }
    transform.yield %op : !transform.any_op
  }

  transform.named_sequence @has_6_loops(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %loops = transform.param.constant 6 : i64 -> !transform.param<i64>
    transform.match.structured failures(propagate) %op : !transform.any_op {
    ^bb0(%s: !transform.any_op):
      %rank = transform.match.structured.rank %s
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi eq %rank, %loops : !transform.param<i64>
      transform.match.structured.yield
    }
    transform.yield %op : !transform.any_op
  }

  // Panels of (row, column, k, row in it, column in it), known in number.
  transform.named_sequence @is_closed_matrix(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %loops = transform.param.constant 5 : i64 -> !transform.param<i64>
    %nothing = transform.param.constant 0 : i64 -> !transform.param<i64>
    transform.match.structured failures(propagate) %op : !transform.any_op {
    ^bb0(%s: !transform.any_op):
      %rank = transform.match.structured.rank %s
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi eq %rank, %loops : !transform.param<i64>
      // An unknown size is negative.
      %rows = transform.match.structured.dim %s[0]
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi ge %rows, %nothing : !transform.param<i64>
      %columns = transform.match.structured.dim %s[1]
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi ge %columns, %nothing : !transform.param<i64>
      transform.match.structured.yield
    }
    transform.yield %op : !transform.any_op
  }

  // The same for each element of the batch, which comes first.
  transform.named_sequence @is_closed_batch(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %loops = transform.param.constant 6 : i64 -> !transform.param<i64>
    %nothing = transform.param.constant 0 : i64 -> !transform.param<i64>
    transform.match.structured failures(propagate) %op : !transform.any_op {
    ^bb0(%s: !transform.any_op):
      %rank = transform.match.structured.rank %s
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi eq %rank, %loops : !transform.param<i64>
      // An unknown size is negative.
      %rows = transform.match.structured.dim %s[1]
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi ge %rows, %nothing : !transform.param<i64>
      %columns = transform.match.structured.dim %s[2]
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi ge %columns, %nothing : !transform.param<i64>
      transform.match.structured.yield
    }
    transform.yield %op : !transform.any_op
  }

  // Its rows are packed here, not in @prepare, and for it alone.
  transform.named_sequence @packs_rows(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %left = transform.match.structured failures(propagate) %op
        : (!transform.any_op) -> !transform.any_value {
    ^bb0(%s: !transform.any_op):
      %panels = transform.match.structured.input %s[0]
          : (!transform.any_op) -> !transform.any_value
      transform.match.structured.yield %panels : !transform.any_value
    }
    %producer = transform.get_defining_op %left
        : (!transform.any_value) -> !transform.any_op
    transform.match.operation_name %producer ["linalg.pack"] : !transform.any_op
    transform.yield %producer : !transform.any_op
  }

  // In one loop nest: what is left of the contraction has three loops, in the
  // order of a product's, and its operands are panels without unit dimensions.
  transform.named_sequence @shape_tile(
      %loop: !transform.any_op {transform.readonly}) {
    transform.apply_patterns to %loop {
      transform.apply_patterns.tensor.merge_consecutive_insert_extract_slice
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.apply_patterns to %loop {
      transform.apply_patterns.linalg.fold_unit_extent_dims_via_slices
    } : !transform.any_op
    %contraction = transform.structured.match ops{["linalg.generic"]}
        attributes{iterator_types = [#linalg.iterator_type<reduction>,
                                     #linalg.iterator_type<parallel>,
                                     #linalg.iterator_type<parallel>]}
        in %loop {lh.optional = "a sum of one product has no loop for it"}
        : (!transform.any_op) -> !transform.any_op
    %product = transform.structured.interchange %contraction
        iterator_interchange = [1, 2, 0]
        : (!transform.any_op) -> !transform.any_op
    transform.annotate %product "lh.outer" : !transform.any_op
    transform.yield
  }

  // Panels of rows, then of columns.
  transform.named_sequence @tile_matrix(
      %contraction: !transform.any_op {transform.consumed},
      %panel: !transform.param<i64> {transform.readonly}) {
    %start = transform.get_producer_of_operand %contraction[2]
        : (!transform.any_op) -> !transform.any_op
    %unpack = transform.get_consumers_of_result %contraction[0]
        : (!transform.any_op) -> !transform.any_op
    %packs = transform.collect_matching @packs_rows in %contraction
        : (!transform.any_op) -> !transform.any_op
    %rows, %blocks = transform.structured.tile_using_forall %unpack
        tile_sizes [%panel, 0]
        : (!transform.any_op, !transform.param<i64>)
        -> (!transform.any_op, !transform.any_op)
    %c1, %l1 = transform.structured.fuse_into_containing_op %contraction into %blocks
        : (!transform.any_op, !transform.any_op)
        -> (!transform.any_op, !transform.any_op)
    %a1, %l2 = transform.structured.fuse_into_containing_op %packs into %l1
        : (!transform.any_op, !transform.any_op)
        -> (!transform.any_op, !transform.any_op)
    %s1, %l3 = transform.structured.fuse_into_containing_op %start into %l2
        : (!transform.any_op, !transform.any_op)
        -> (!transform.any_op, !transform.any_op)
    %tile, %columns = transform.structured.tile_using_for %rows
        tile_sizes [0, %panel]
        : (!transform.any_op, !transform.param<i64>)
        -> (!transform.any_op, !transform.any_op)
    %c2, %l4 = transform.structured.fuse_into_containing_op %c1 into %columns
        : (!transform.any_op, !transform.any_op)
        -> (!transform.any_op, !transform.any_op)
    %s2, %l5 = transform.structured.fuse_into_containing_op %s1 into %l4
        : (!transform.any_op, !transform.any_op)
        -> (!transform.any_op, !transform.any_op)
    transform.include @shape_tile failures(propagate) (%l3)
        : (!transform.any_op) -> ()
    transform.yield
  }

  // The same for each element of the batch.
  transform.named_sequence @tile_batch(
      %contraction: !transform.any_op {transform.consumed},
      %panel: !transform.param<i64> {transform.readonly}) {
    %start = transform.get_producer_of_operand %contraction[2]
        : (!transform.any_op) -> !transform.any_op
    %unpack = transform.get_consumers_of_result %contraction[0]
        : (!transform.any_op) -> !transform.any_op
    %packs = transform.collect_matching @packs_rows in %contraction
        : (!transform.any_op) -> !transform.any_op
    %rows, %blocks = transform.structured.tile_using_forall %unpack
        tile_sizes [1, %panel, 0]
        : (!transform.any_op, !transform.param<i64>)
        -> (!transform.any_op, !transform.any_op)
    %c1, %l1 = transform.structured.fuse_into_containing_op %contraction into %blocks
        : (!transform.any_op, !transform.any_op)
        -> (!transform.any_op, !transform.any_op)
    %a1, %l2 = transform.structured.fuse_into_containing_op %packs into %l1
        : (!transform.any_op, !transform.any_op)
        -> (!transform.any_op, !transform.any_op)
    %s1, %l3 = transform.structured.fuse_into_containing_op %start into %l2
        : (!transform.any_op, !transform.any_op)
        -> (!transform.any_op, !transform.any_op)
    %tile, %columns = transform.structured.tile_using_for %rows
        tile_sizes [0, 0, %panel]
        : (!transform.any_op, !transform.param<i64>)
        -> (!transform.any_op, !transform.any_op)
    %c2, %l4 = transform.structured.fuse_into_containing_op %c1 into %columns
        : (!transform.any_op, !transform.any_op)
        -> (!transform.any_op, !transform.any_op)
    %s2, %l5 = transform.structured.fuse_into_containing_op %s1 into %l4
        : (!transform.any_op, !transform.any_op)
        -> (!transform.any_op, !transform.any_op)
    transform.include @shape_tile failures(propagate) (%l3)
        : (!transform.any_op) -> ()
    transform.yield
  }

  // Of an unknown number of panels: the unpack is left behind the loops.
  transform.named_sequence @tile_open_matrix(
      %contraction: !transform.any_op {transform.consumed}) {
    %packs = transform.collect_matching @packs_rows in %contraction
        : (!transform.any_op) -> !transform.any_op
    %rows, %blocks = transform.structured.tile_using_forall %contraction
        tile_sizes [1, 0]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %a1, %l1 = transform.structured.fuse_into_containing_op %packs into %blocks
        : (!transform.any_op, !transform.any_op)
        -> (!transform.any_op, !transform.any_op)
    %tile, %columns = transform.structured.tile_using_for %rows
        tile_sizes [0, 1]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.include @shape_tile failures(propagate) (%l1)
        : (!transform.any_op) -> ()
    transform.yield
  }

  // The same for each element of the batch.
  transform.named_sequence @tile_open_batch(
      %contraction: !transform.any_op {transform.consumed}) {
    %packs = transform.collect_matching @packs_rows in %contraction
        : (!transform.any_op) -> !transform.any_op
    %rows, %blocks = transform.structured.tile_using_forall %contraction
        tile_sizes [1, 1, 0]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %a1, %l1 = transform.structured.fuse_into_containing_op %packs into %blocks
        : (!transform.any_op, !transform.any_op)
        -> (!transform.any_op, !transform.any_op)
    %tile, %columns = transform.structured.tile_using_for %rows
        tile_sizes [0, 0, 1]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.include @shape_tile failures(propagate) (%l1)
        : (!transform.any_op) -> ()
    transform.yield
  }

  transform.named_sequence @tile_outer_products(
      %root: !transform.any_op {transform.readonly}) {
    %no = transform.param.constant 0 : i64 -> !transform.param<i64>
    %yes = transform.param.constant 1 : i64 -> !transform.param<i64>
    %panel = transform.param.constant 128 : i64 {lh.bind = {value = "panel"}}
        -> !transform.param<i64>
    %packed = transform.structured.match ops{["linalg.generic"]}
        attributes{lh.outer} in %root {lh.optional = "there may be none"}
        : (!transform.any_op) -> !transform.any_op
    transform.annotate %packed "lh.open" = %yes
        : !transform.any_op, !transform.param<i64>
    %matrices = transform.collect_matching @is_closed_matrix in %packed
        : (!transform.any_op) -> !transform.any_op
    %batches = transform.collect_matching @is_closed_batch in %packed
        : (!transform.any_op) -> !transform.any_op
    transform.annotate %matrices "lh.open" = %no
        : !transform.any_op, !transform.param<i64>
    transform.annotate %batches "lh.open" = %no
        : !transform.any_op, !transform.param<i64>
    %open = transform.structured.match ops{["linalg.generic"]}
        attributes{lh.open = 1 : i64} in %root
        {lh.optional = "there may be none"}
        : (!transform.any_op) -> !transform.any_op
    %open_matrices = transform.collect_matching @has_5_loops in %open
        : (!transform.any_op) -> !transform.any_op
    %open_batches = transform.collect_matching @has_6_loops in %open
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %matrices : !transform.any_op {
    ^bb0(%contraction: !transform.any_op):
      transform.include @tile_matrix failures(propagate) (%contraction, %panel)
          : (!transform.any_op, !transform.param<i64>) -> ()
    }
    transform.foreach %batches : !transform.any_op {
    ^bb0(%contraction: !transform.any_op):
      transform.include @tile_batch failures(propagate) (%contraction, %panel)
          : (!transform.any_op, !transform.param<i64>) -> ()
    }
    transform.foreach %open_matrices : !transform.any_op {
    ^bb0(%contraction: !transform.any_op):
      transform.include @tile_open_matrix failures(propagate) (%contraction)
          : (!transform.any_op) -> ()
    }
    transform.foreach %open_batches : !transform.any_op {
    ^bb0(%contraction: !transform.any_op):
      transform.include @tile_open_batch failures(propagate) (%contraction)
          : (!transform.any_op) -> ()
    }
    %packs = transform.structured.match ops{["linalg.pack"]}
        attributes{lh.outer} in %root {lh.optional = "there may be none"}
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %packs : !transform.any_op {
    ^bb0(%pack: !transform.any_op):
      %p = transform.cast %pack : !transform.any_op to !transform.op<"linalg.pack">
      %pad, %split, %order = transform.structured.lower_pack %p
          : (!transform.op<"linalg.pack">)
          -> (!transform.op<"tensor.pad">, !transform.op<"tensor.expand_shape">,
              !transform.op<"linalg.transpose">)
    }
    transform.yield
  }

  transform.named_sequence @is_single(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %bits = transform.param.constant 32 : i64 -> !transform.param<i64>
    transform.match.structured failures(propagate) %op : !transform.any_op {
    ^bb0(%s: !transform.any_op):
      %init = transform.match.structured.init %s[0]
          : (!transform.any_op) -> !transform.any_value
      %width = transform.match.structured.elemental_bitwidth %init
          : (!transform.any_value) -> !transform.param<i64>
      transform.match.param.cmpi eq %width, %bits : !transform.param<i64>
      transform.match.structured.yield
    }
    transform.yield %op : !transform.any_op
  }

  transform.named_sequence @is_double(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %bits = transform.param.constant 64 : i64 -> !transform.param<i64>
    transform.match.structured failures(propagate) %op : !transform.any_op {
    ^bb0(%s: !transform.any_op):
      %init = transform.match.structured.init %s[0]
          : (!transform.any_op) -> !transform.any_value
      %width = transform.match.structured.elemental_bitwidth %init
          : (!transform.any_value) -> !transform.param<i64>
      transform.match.param.cmpi eq %width, %bits : !transform.param<i64>
      transform.match.structured.yield
    }
    transform.yield %op : !transform.any_op
  }

  transform.named_sequence @cut_single(
      %product: !transform.any_op {transform.consumed}) {
    %tile, %loops:3 = transform.structured.tile_using_for %product
        tile_sizes [[8], [8], 1]
        {lh.bind = {static_sizes = ["lanes", "lanes", 1]}}
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op,
                                  !transform.any_op, !transform.any_op)
    transform.structured.vectorize %tile vector_sizes [[8], [8], 1]
        {create_named_contraction, assume_dynamic_dims_match_vec_sizes,
         lh.bind = {static_vector_sizes = ["lanes", "lanes", 1]}}
        : !transform.any_op
    transform.yield
  }

  transform.named_sequence @cut_double(
      %product: !transform.any_op {transform.consumed}) {
    %tile, %loops:3 = transform.structured.tile_using_for %product
        tile_sizes [[4], [4], 1]
        {lh.bind = {static_sizes = ["lanes_f64", "lanes_f64", 1]}}
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op,
                                  !transform.any_op, !transform.any_op)
    transform.structured.vectorize %tile vector_sizes [[4], [4], 1]
        {create_named_contraction, assume_dynamic_dims_match_vec_sizes,
         lh.bind = {static_vector_sizes = ["lanes_f64", "lanes_f64", 1]}}
        : !transform.any_op
    transform.yield
  }

  // A function of its own for each product: tiles of ZA, whose sums are carried
  // by the innermost loop.
  transform.named_sequence @outline_product(
      %product: !transform.any_op {transform.consumed}) {
    %function, %call = transform.loop.outline %product
        {func_name = "lh_outer_product"}
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %body = transform.structured.match ops{["linalg.generic"]} in %function
        : (!transform.any_op) -> !transform.any_op
    %single = transform.collect_matching @is_single in %body
        : (!transform.any_op) -> !transform.any_op
    %double = transform.collect_matching @is_double in %body
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %single : !transform.any_op {
    ^bb0(%each: !transform.any_op):
      transform.include @cut_single failures(propagate) (%each)
          : (!transform.any_op) -> ()
    }
    transform.foreach %double : !transform.any_op {
    ^bb0(%each: !transform.any_op):
      transform.include @cut_double failures(propagate) (%each)
          : (!transform.any_op) -> ()
    }
    transform.apply_patterns to %function {
      transform.apply_patterns.vector.reduction_to_contract
      transform.apply_patterns.vector.transfer_permutation_patterns
      transform.apply_patterns.memref.fold_memref_alias_ops
    } : !transform.any_op
    transform.apply_patterns to %function {
      transform.apply_patterns.vector.lower_contraction lowering_strategy = outerproduct
      transform.apply_patterns.vector.cast_away_vector_leading_one_dim
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.apply_cse to %function : !transform.any_op
    %loops = transform.structured.match ops{["scf.for"]} in %function
        : (!transform.any_op) -> !transform.any_op
    transform.apply_licm to %loops : !transform.any_op
    %hoisted = transform.structured.hoist_redundant_vector_transfers %function
        : (!transform.any_op) -> !transform.any_op
    transform.annotate %hoisted "lh.streaming" : !transform.any_op
    transform.yield
  }

  transform.named_sequence @lower_streaming(
      %module: !transform.any_op {transform.consumed}) {
    // This one pass takes whole modules: vectors of several tiles become tiles.
    %legal = transform.apply_registered_pass "arm-sme-vector-legalization"
        to %module : (!transform.any_op) -> !transform.any_op
    %f0 = transform.structured.match ops{["func.func"]}
        attributes{lh.streaming} in %legal
        : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %f0 {
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.apply_cse to %f0 : !transform.any_op
    %f1 = transform.apply_registered_pass "convert-arith-to-arm-sme" to %f0
        : (!transform.any_op) -> !transform.any_op
    %f2 = transform.apply_registered_pass "convert-vector-to-arm-sme" to %f1
        : (!transform.any_op) -> !transform.any_op
    %f3 = transform.apply_registered_pass "arm-sme-outer-product-fusion" to %f2
        : (!transform.any_op) -> !transform.any_op
    %f4 = transform.apply_registered_pass "convert-arm-sme-to-scf" to %f3
        : (!transform.any_op) -> !transform.any_op
    %f5 = transform.apply_registered_pass "convert-vector-to-scf"
        with options = {"full-unroll" = true} to %f4
        : (!transform.any_op) -> !transform.any_op
    %f6 = transform.apply_registered_pass "enable-arm-streaming"
        with options = {"streaming-mode" = "streaming-locally",
                        "za-mode" = "new-za", "if-required-by-ops" = true}
        to %f5 : (!transform.any_op) -> !transform.any_op
    %f7 = transform.apply_registered_pass "convert-scf-to-cf" to %f6
        : (!transform.any_op) -> !transform.any_op
    %f8 = transform.apply_registered_pass "convert-arm-sme-to-llvm" to %f7
        : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %f8 {
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.apply_cse to %f8 : !transform.any_op
    transform.yield
  }

  transform.named_sequence @stream_outer_products(
      %root: !transform.any_op {transform.readonly}) {
    %products = transform.structured.match ops{["linalg.generic"]}
        attributes{lh.outer} in %root {lh.optional = "there may be none"}
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %products : !transform.any_op {
    ^bb0(%product: !transform.any_op):
      transform.include @outline_product failures(propagate) (%product)
          : (!transform.any_op) -> ()
    }
    %functions = transform.structured.match ops{["func.func"]}
        attributes{lh.streaming} in %root {lh.optional = "there may be none"}
        : (!transform.any_op) -> !transform.any_op
    %modules = transform.get_parent_op %functions
        {op_name = "builtin.module", deduplicate}
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %modules : !transform.any_op {
    ^bb0(%module: !transform.any_op):
      transform.include @lower_streaming failures(propagate) (%module)
          : (!transform.any_op) -> ()
    }
    transform.yield
  }
}
