// Brings matrix products of f32 to one form, for contractions.mlir.
//
// Expects: linalg on tensors, as an importer leaves it.
// Result:  each product of known size is a linalg.generic of three loops, rows,
//   columns and sum, marked "product". It starts at zero, or at a number for each row
//   in panels (a linalg.generic and a linalg.unpack); what else it started with is
//   added behind it. Batches are loops (scf.forall) around it. Dimensions of one
//   element are gone. Products of other types or of unknown size stay. What may be
//   computed on a product's tiles, elementwise ops of two loops, is marked "epilogue".
// Parameters: columns of a panel.
// Measured: nothing by itself. Without it MobileNetV2's 1x1 convolutions, which
//   start at a bias, copied their results (a machine with AMX, one of them of 16 by
//   96 channels on 112 x 112 pixels: 1.34 ms, with it 0.97).
!op = !transform.any_op
!size = !transform.param<i64>
#id = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d0)>
#row = affine_map<(d0, d1) -> (d1)>
module attributes {transform.with_named_sequence} {
  // 1. What is a product: a sum of products of f32 over three loops, rows (0),
  // columns (1) and sum (2), all of known size.
  transform.named_sequence @is_product(%op: !op {transform.readonly}) -> !op {
    %three = transform.param.constant 3 : i64 -> !size
    %sizes = transform.include @sums_products failures(propagate) (%op, %three)
        : (!op, !size) -> !size
    transform.match.structured failures(propagate) %op : !op {
    ^bb0(%s: !op):
      %batch, %m, %n, %k = transform.match.structured.classify_contraction_dims %s
          : (!op) -> (!size, !size, !size, !size)
      %zero = transform.param.constant 0 : i64 -> !size
      %one = transform.param.constant 1 : i64 -> !size
      %two = transform.param.constant 2 : i64 -> !size
      transform.match.param.cmpi eq %m, %zero : !size
      transform.match.param.cmpi eq %n, %one : !size
      transform.match.param.cmpi eq %k, %two : !size
      transform.match.structured.yield
    }
    transform.yield %op : !op
  }

  // The same for each element of a batch, loop 0.
  transform.named_sequence @is_batch(%op: !op {transform.readonly}) -> !op {
    %four = transform.param.constant 4 : i64 -> !size
    %sizes = transform.include @sums_products failures(propagate) (%op, %four)
        : (!op, !size) -> !size
    transform.yield %op : !op
  }

  transform.named_sequence @sums_products(%op: !op {transform.readonly},
      %loops: !size {transform.readonly}) -> !size {
    %sizes = transform.match.structured failures(propagate) %op : (!op) -> !size {
    ^bb0(%s: !op):
      %rank = transform.match.structured.rank %s : (!op) -> !size
      transform.match.param.cmpi eq %rank, %loops : !size
      transform.match.structured.body %s
          {contraction = ["arith.mulf", "arith.addf"]} : !op
      transform.match.structured.input %s[all] {projected_permutation} : !op
      %init = transform.match.structured.init %s[0] : (!op) -> !transform.any_value
      %bits = transform.match.structured.elemental_bitwidth %init
          : (!transform.any_value) -> !size
      %single = transform.param.constant 32 : i64 -> !size
      transform.match.param.cmpi eq %bits, %single : !size
      %last = transform.match.structured.dim %s[-1] {reduction} : (!op) -> !size
      %all = transform.match.structured.dim %s[all] : (!op) -> !size
      transform.match.structured.yield %all : !size
    }
    // A size that isn't known is negative.
    %one = transform.param.constant 1 : i64 -> !size
    transform.foreach %sizes : !size {
    ^bb0(%size: !size):
      transform.match.param.cmpi ge %size, %one : !size
    }
    transform.yield %sizes : !size
  }

  // 2. A batch becomes a loop over products.
  transform.named_sequence @cut_batch(%batch: !op {transform.consumed}) {
    %init = transform.get_producer_of_operand %batch[2] : (!op) -> !op
    %start = transform.structured.match ops{["linalg.fill"]} in %init : (!op) -> !op
    %product, %loop = transform.structured.tile_using_forall %batch tile_sizes [1]
        : (!op) -> (!op, !op)
    %s, %l = transform.structured.fuse_into_containing_op %start into %loop
        : (!op, !op) -> (!op, !op)
    transform.apply_patterns to %l {
      transform.apply_patterns.linalg.fold_unit_extent_dims_via_slices
      transform.apply_patterns.canonicalization
    } : !op
    transform.yield
  }

  // 3. What a sum starts with, if that isn't zero, is added behind it.
  transform.named_sequence @starts_at_zero(%op: !op {transform.readonly}) -> !op {
    %product = transform.include @is_product failures(propagate) (%op) : (!op) -> !op
    transform.include @follows_fill failures(propagate) (%op) : (!op) -> ()
    transform.yield %op : !op
  }

  transform.named_sequence @follows_fill(%op: !op {transform.readonly}) {
    %start = transform.get_producer_of_operand %op[2] : (!op) -> !op
    transform.match.operation_name %start ["linalg.fill"] : !op
    transform.yield
  }

  transform.named_sequence @starts_elsewhere(%op: !op {transform.readonly}) -> !op {
    %product = transform.include @is_product failures(propagate) (%op) : (!op) -> !op
    transform.include @is_unmarked failures(propagate) (%op) : (!op) -> ()
    transform.yield %op : !op
  }

  transform.named_sequence @is_unmarked(%op: !op {transform.readonly}) {
    %marked = transform.structured.match attributes{zero} in %op : (!op) -> !op
    transform.match.operation_empty %marked : !op
    transform.yield
  }

  transform.named_sequence @start_at_zero(%root: !op {transform.readonly},
      %functions: !op {transform.readonly}) {
    %zero = transform.collect_matching @starts_at_zero in %root : (!op) -> !op
    transform.annotate %zero "zero" : !op
    %others = transform.collect_matching @starts_elsewhere in %root : (!op) -> !op
    transform.foreach %others : !op {
    ^bb0(%product: !op):
      %fill, %sum, %reduce, %loop = transform.structured.tile_reduction_using_forall
          %product by num_threads = [0, 0, 1] : (!op) -> (!op, !op, !op, !op)
      %add = transform.structured.generalize %reduce : (!op) -> !op
      %start = transform.structured.generalize %fill : (!op) -> !op
    }
    transform.apply_patterns to %functions {
      transform.apply_patterns.linalg.fold_unit_extent_dims_via_slices
      transform.apply_patterns.tensor.fold_tensor_empty
      transform.apply_patterns.canonicalization
    } : !op
    %products = transform.collect_matching @is_product in %root : (!op) -> !op
    transform.foreach %products : !op {
    ^bb0(%product: !op):
      %start = transform.get_producer_of_operand %product[2] : (!op) -> !op
      %general = transform.structured.match ops{["linalg.generic"]} in %start
          : (!op) -> !op
      %fill = transform.structured.specialize %general : (!op) -> !op
    }
    transform.yield
  }

  // 4. A number for each row, a bias of filters, fills whole panels of columns: in the
  // form in which contractions.mlir packs them, a tile of it starts a tile of sums.
  transform.named_sequence @pack_spread(%spread: !op {transform.consumed},
      %columns: !size {transform.readonly}) {
    %low, %high, %split = transform.structured.multitile_sizes %spread
        {dimension = 1, target_size = 32, lh.bind = {target_size = "columns"}} : (!op) -> !size
    transform.match.param.cmpi eq %low, %columns : !size
    // A single panel would lose its dimension again.
    %all = transform.match.structured failures(propagate) %spread : (!op) -> !size {
    ^bb0(%s: !op):
      %size = transform.match.structured.dim %s[1] : (!op) -> !size
      transform.match.structured.yield %size : !size
    }
    transform.match.param.cmpi gt %all, %columns : !size
    %packed = transform.structured.pack %spread packed_sizes = [0, 32]
        {lh.bind = {static_packed_sizes = [0, "columns"]}} : (!op) -> !op
    transform.yield
  }

  transform.named_sequence @starts_packed(%op: !op {transform.readonly}) -> !op {
    %product = transform.include @is_product failures(propagate) (%op) : (!op) -> !op
    transform.include @follows_unpack failures(propagate) (%op) : (!op) -> ()
    transform.yield %op : !op
  }

  transform.named_sequence @follows_unpack(%op: !op {transform.readonly}) {
    %start = transform.get_producer_of_operand %op[2] : (!op) -> !op
    transform.match.operation_name %start ["linalg.unpack"] : !op
    transform.yield
  }

  transform.named_sequence @spread_of(%op: !op {transform.readonly}) -> !op {
    %product = transform.include @is_product failures(propagate) (%op) : (!op) -> !op
    %start = transform.include @spread_before failures(propagate) (%op) : (!op) -> !op
    transform.yield %start : !op
  }

  transform.named_sequence @spread_before(%op: !op {transform.readonly}) -> !op {
    %start = transform.get_producer_of_operand %op[2] : (!op) -> !op
    %spread = transform.structured.match ops{["linalg.generic"]}
        attributes{indexing_maps = [#column, #id]} in %start : (!op) -> !op
    %one = transform.param.constant 1 : i64 -> !size
    %count = transform.num_associations %spread : (!op) -> !size
    transform.match.param.cmpi eq %count, %one : !size
    transform.yield %spread : !op
  }

  transform.named_sequence @spread_whole(%root: !op {transform.readonly}) {
    %starts = transform.collect_matching @spread_of in %root : (!op) -> !op
    transform.annotate %starts "spread" : !op
    // Each once, though two products may start with one.
    %spreads = transform.structured.match attributes{spread} in %root : (!op) -> !op
    %columns = transform.param.constant 32 : i64 {lh.bind = {value = "columns"}} -> !size
    transform.foreach %spreads : !op {
    ^bb0(%spread: !op):
      transform.sequence %spread, %columns : !op, !size failures(suppress)
          attributes {lh.optional = "columns that fill no whole panels"} {
      ^bb1(%op: !op, %size: !size):
        transform.include @pack_spread failures(propagate) (%op, %size) : (!op, !size) -> ()
      }
    }
    %packed = transform.collect_matching @starts_packed in %root : (!op) -> !op
    transform.annotate %packed "zero" : !op
    transform.yield
  }

  // 5. What may be computed on a product's tiles is marked "epilogue".
  transform.named_sequence @mark_epilogues(%root: !op {transform.readonly}) {
    %e0 = transform.structured.match ops{["linalg.generic"]} attributes{indexing_maps = [#id, #id]} in %root : (!op) -> !op
    %e1 = transform.structured.match ops{["linalg.generic"]}
        attributes{indexing_maps = [#id, #row, #id]} in %root : (!op) -> !op
    %e3 = transform.structured.match ops{["linalg.generic"]}
        attributes{indexing_maps = [#id, #id, #id]} in %root : (!op) -> !op
    %all = transform.merge_handles %e0, %e1, %e3 : !op
    transform.annotate %all "epilogue" : !op
    transform.yield
  }

  transform.named_sequence @products(%root: !op {transform.readonly}) {
    %functions = transform.structured.match ops{["func.func"]} in %root : (!op) -> !op
    %named = transform.structured.match ops{["linalg.matmul", "linalg.batch_matmul",
        "linalg.broadcast"]} in %root : (!op) -> !op
    %general = transform.structured.generalize %named : (!op) -> !op
    transform.apply_patterns to %functions {
      transform.apply_patterns.linalg.fold_unit_extent_dims_via_reshapes
      transform.apply_patterns.canonicalization
    } : !op
    %batches = transform.collect_matching @is_batch in %root : (!op) -> !op
    transform.foreach %batches : !op {
    ^bb0(%batch: !op):
      transform.include @cut_batch failures(propagate) (%batch) : (!op) -> ()
    }
    transform.include @spread_whole failures(propagate) (%root) : (!op) -> ()
    transform.include @start_at_zero failures(propagate) (%root, %functions)
        : (!op, !op) -> ()
    %products = transform.collect_matching @is_product in %root : (!op) -> !op
    transform.annotate %products "product" : !op
    transform.include @mark_epilogues failures(propagate) (%root) : (!op) -> ()
    transform.yield
  }
}
