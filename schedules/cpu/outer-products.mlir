// Computes contractions of f32 and f64 as outer products of scalable vectors (SME).
//
// Two entries, for the same steps as other contractions, on the output of
// pack-contractions:
//   @tile_outer_products    as tile-contractions: a loop over panels of rows
//     (scf.forall), where A is packed right before it is read, and one over
//     panels of columns. The contraction of two panels stays a linalg.generic.
//   @stream_outer_products  as lower-vectors: buffers. Each contraction of two
//     panels becomes a function of its own that runs in streaming mode. Vectors
//     have the length of ZA's tiles only there, and nothing else may run there.
//     Accumulators stay in ZA over the whole sum.
// Parameters: lanes, rows and columns of a tile for each unit of the vectors'
//   scale: 8 of f32 use ZA's four tiles, so that two loads of two registers feed
//   four independent fmopa; lanes_f64: 4 of f64 use four of its eight tiles; panel,
//   rows and columns of a panel: a multiple of lanes times every possible scale.
// Source:  upstream's ArmSME pipeline (test-lower-to-arm-sme), with the sum's
//   accumulators hoisted and panels instead of masks.
!op = !transform.any_op
!size = !transform.param<i64>
!flag = !transform.param<i1>
#panels = ["mnkmn", "bmnkmn", "mmnkmn", "nmnkmn"]
module attributes {transform.with_named_sequence} {
  // Of panels.mlir:
  transform.named_sequence private @tile_for(
      !op {transform.consumed}, !size {transform.readonly},
      !size {transform.readonly}, !size {transform.readonly}) -> (!op, !op)

  // Panels of (row, column, k, row in it, column in it), or the same for each
  // element of a batch.
  transform.named_sequence @is_on_panels(%op: !op {transform.readonly}) -> !op {
    %sizes:4 = transform.lh.match.product %op loops #panels {any_body} : !op
    transform.yield %op : !op
  }

  // The number of batch elements in a tile.
  transform.named_sequence @has_batch(%op: !op {transform.readonly}) -> !size {
    %sizes:4 = transform.lh.match.product %op
        loops ["bmnkmn", "mmnkmn", "nmnkmn"] {any_body} : !op
    %one = transform.param.constant 1 : i64 -> !size
    transform.yield %one : !size
  }

  // The numbers of panels and of batch elements.
  transform.named_sequence @has_known_panels(%op: !op {transform.readonly}) -> !flag {
    %b, %m, %n, %k = transform.lh.match.product %op loops #panels {any_body} : !op
    %sizes = transform.merge_handles %b, %m, %n : !size
    transform.include @are_known failures(propagate) (%sizes) : (!size) -> ()
    %yes = transform.param.constant true -> !flag
    transform.yield %yes : !flag
  }

  // An unknown size is negative.
  transform.named_sequence @are_known(%sizes: !size {transform.readonly}) {
    %nothing = transform.param.constant 0 : i64 -> !size
    transform.foreach %sizes : !size {
    ^bb0(%size: !size):
      transform.match.param.cmpi ge %size, %nothing : !size
    }
    transform.yield
  }

  // Packs its rows here, not in @prepare, and for it alone.
  transform.named_sequence @packs_rows(%op: !op {transform.readonly}) -> !op {
    transform.match.operation_name %op ["linalg.generic"] : !op
    %pack = transform.get_producer_of_operand %op[0] : (!op) -> !op
    transform.match.operation_name %pack ["linalg.pack"] : !op
    transform.yield %pack : !op
  }

  // One loop nest. The remaining contraction has three loops, in the order of a
  // product's, and its operands are panels without unit dimensions.
  transform.named_sequence @shape_tile(%loop: !op {transform.readonly}) {
    transform.apply_patterns to %loop {
      transform.apply_patterns.tensor.merge_consecutive_insert_extract_slice
      transform.apply_patterns.canonicalization
    } : !op
    transform.apply_patterns to %loop {
      transform.apply_patterns.linalg.fold_unit_extent_dims_via_slices
    } : !op
    %contraction = transform.structured.match ops{["linalg.generic"]}
        attributes{iterator_types =
        [#linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>,
        #linalg.iterator_type<parallel>]} in %loop : (!op) -> !op
    %product = transform.structured.interchange %contraction
        iterator_interchange = [1, 2, 0] : (!op) -> !op
    transform.annotate %product "lh.outer" : !op
    transform.yield
  }

  // Tiles by panels of rows, then of columns. For an unknown number of panels the
  // unpack stays behind the loops.
  transform.named_sequence @tile_product(%contraction: !op {transform.readonly}) {
    %all = transform.param.constant 0 : i64 -> !size
    %one = transform.param.constant 1 : i64 -> !size
    %panel = transform.param.constant 128 : i64 {lh.bind = {value = "panel"}} -> !size
    %batched = transform.collect_matching @has_batch in %contraction : (!op) -> !size
    %known = transform.collect_matching @has_known_panels in %contraction
        : (!op) -> !flag
    %packs = transform.collect_matching @packs_rows in %contraction : (!op) -> !op
    %start = transform.get_producer_of_operand %contraction[2] : (!op) -> !op
    %unpack = transform.get_consumers_of_result %contraction[0] : (!op) -> !op
    %none = transform.structured.match ops{["lh.none"]} in %contraction : (!op) -> !op
    %root, %c0, %s0, %size = transform.lh.if %known : !flag -> !op, !op, !op, !size {
      transform.yield %unpack, %contraction, %start, %panel : !op, !op, !op, !size
    } else {
      transform.yield %contraction, %none, %none, %one : !op, !op, !op, !size
    }
    %sizes = transform.merge_handles %batched, %size : !size
    %rows, %blocks = transform.structured.tile_using_forall %root
        tile_sizes *(%sizes) : (!op, !size) -> (!op, !op)
    %c1, %a1, %s1 = transform.lh.fuse_into %c0, %packs, %s0 into %blocks
        : (!op, !op, !op, !op) -> (!op, !op, !op)
    %tile, %columns = transform.include @tile_for failures(propagate)
        (%rows, %batched, %all, %size) : (!op, !size, !size, !size) -> (!op, !op)
    %c2, %s2 = transform.lh.fuse_into %c1, %s1 into %columns
        : (!op, !op, !op) -> (!op, !op)
    transform.include @shape_tile failures(propagate) (%blocks) : (!op) -> ()
    transform.yield
  }

  transform.named_sequence @tile_outer_products(%root: !op {transform.readonly}) {
    %marked = transform.structured.match ops{["linalg.generic"]}
        attributes{lh.outer} in %root : (!op) -> !op
    %products = transform.collect_matching @is_on_panels in %marked : (!op) -> !op
    transform.foreach %products : !op {
    ^bb0(%product: !op):
      transform.include @tile_product failures(propagate) (%product) : (!op) -> ()
    }
    %packs = transform.structured.match ops{["linalg.pack"]}
        attributes{lh.outer} in %root : (!op) -> !op
    %pack = transform.cast %packs : !op to !transform.op<"linalg.pack">
    %pad, %split, %order = transform.structured.lower_pack %pack :
        (!transform.op<"linalg.pack">) ->
        (!transform.op<"tensor.pad">, !transform.op<"tensor.expand_shape">,
        !transform.op<"linalg.transpose">)
    transform.yield
  }

  transform.named_sequence @is_double(%op: !op {transform.readonly}) -> !flag {
    %sizes:4 = transform.lh.match.product %op loops ["mnk"] {types = [f64]} : !op
    %yes = transform.param.constant true -> !flag
    transform.yield %yes : !flag
  }

  transform.named_sequence @cut_single(%product: !op {transform.consumed}) {
    %tile, %loops:3 = transform.structured.tile_using_for %product
        tile_sizes [[8], [8], 1]
        {lh.bind = {static_sizes = ["lanes", "lanes", 1]}} : (!op) -> (!op, !op, !op, !op)
    transform.structured.vectorize %tile vector_sizes [[8], [8], 1]
        {create_named_contraction, assume_dynamic_dims_match_vec_sizes, lh.bind
        = {static_vector_sizes = ["lanes", "lanes", 1]}} : !op
    transform.yield
  }

  transform.named_sequence @cut_double(%product: !op {transform.consumed}) {
    %tile, %loops:3 = transform.structured.tile_using_for %product
        tile_sizes [[4], [4], 1]
        {lh.bind = {static_sizes = ["lanes_f64", "lanes_f64", 1]}} : (!op) ->
        (!op, !op, !op, !op)
    transform.structured.vectorize %tile vector_sizes [[4], [4], 1]
        {create_named_contraction, assume_dynamic_dims_match_vec_sizes, lh.bind
        = {static_vector_sizes = ["lanes_f64", "lanes_f64", 1]}} : !op
    transform.yield
  }

  // Makes a function for each product, with tiles of ZA whose sums the innermost
  // loop carries.
  transform.named_sequence @outline_product(%product: !op {transform.consumed}) {
    %function, %call = transform.loop.outline %product
        {func_name = "lh_outer_product"} : (!op) -> (!op, !op)
    %body = transform.structured.match ops{["linalg.generic"]} in %function : (!op) -> !op
    %double = transform.collect_matching @is_double in %body : (!op) -> !flag
    transform.lh.if %double : !flag {
      transform.include @cut_double failures(propagate) (%body) : (!op) -> ()
    } else {
      transform.include @cut_single failures(propagate) (%body) : (!op) -> ()
    }
    transform.apply_patterns to %function {
      transform.apply_patterns.vector.reduction_to_contract
      transform.apply_patterns.vector.transfer_permutation_patterns
      transform.apply_patterns.memref.fold_memref_alias_ops
    } : !op
    transform.apply_patterns to %function {
      transform.apply_patterns.vector.lower_contraction lowering_strategy = outerproduct
      transform.apply_patterns.vector.cast_away_vector_leading_one_dim
      transform.apply_patterns.canonicalization
    } : !op
    transform.apply_cse to %function : !op
    %loops = transform.structured.match ops{["scf.for"]} in %function : (!op) -> !op
    transform.apply_licm to %loops : !op
    %hoisted = transform.structured.hoist_redundant_vector_transfers %function :
        (!op) -> !op
    transform.annotate %hoisted "lh.streaming" : !op
    transform.yield
  }

  transform.named_sequence @lower_streaming(%module: !op {transform.consumed}) {
    // Splits vectors of several tiles into tiles. This pass runs on modules only.
    %legal = transform.apply_registered_pass "arm-sme-vector-legalization"
        to %module : (!op) -> !op
    %f0 = transform.structured.match ops{["func.func"]} attributes{lh.streaming}
        in %legal : (!op) -> !op
    transform.apply_patterns to %f0 {
      transform.apply_patterns.canonicalization
    } : !op
    transform.apply_cse to %f0 : !op
    %f1 = transform.apply_registered_pass "convert-arith-to-arm-sme" to %f0 : (!op) -> !op
    %f2 = transform.apply_registered_pass "convert-vector-to-arm-sme" to %f1 :
        (!op) -> !op
    %f3 = transform.apply_registered_pass "arm-sme-outer-product-fusion" to %f2
        : (!op) -> !op
    %f4 = transform.apply_registered_pass "convert-arm-sme-to-scf" to %f3 : (!op) -> !op
    %f5 = transform.apply_registered_pass "convert-vector-to-scf" with options =
        {"full-unroll" = true} to %f4 : (!op) -> !op
    %f6 = transform.apply_registered_pass "enable-arm-streaming" with options =
        {"streaming-mode" = "streaming-locally", "za-mode" = "new-za",
        "if-required-by-ops" = true} to %f5 : (!op) -> !op
    %f7 = transform.apply_registered_pass "convert-scf-to-cf" to %f6 : (!op) -> !op
    %f8 = transform.apply_registered_pass "convert-arm-sme-to-llvm" to %f7 : (!op) -> !op
    transform.apply_patterns to %f8 {
      transform.apply_patterns.canonicalization
    } : !op
    transform.apply_cse to %f8 : !op
    transform.yield
  }

  transform.named_sequence @stream_outer_products(%root: !op {transform.readonly}) {
    %products = transform.structured.match ops{["linalg.generic"]}
        attributes{lh.outer} in %root : (!op) -> !op
    transform.foreach %products : !op {
    ^bb0(%product: !op):
      transform.include @outline_product failures(propagate) (%product) : (!op) -> ()
    }
    %functions = transform.structured.match ops{["func.func"]}
        attributes{lh.streaming} in %root :
        (!op) -> !op
    %modules = transform.get_parent_op %functions
        {op_name = "builtin.module", deduplicate} : (!op) -> !op
    transform.foreach %modules : !op {
    ^bb0(%module: !op):
      transform.include @lower_streaming failures(propagate) (%module) : (!op) -> ()
    }
    transform.yield
  }
}
