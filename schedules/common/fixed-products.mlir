// Products of matrices in tiles of one size, for targets that multiply nothing else.
//
// Expects: linalg on tensors.
// Result:  gather_windows makes products of convolutions, by upstream's im2col.
//   choose_fixed puts lh.choice, "fixed", on each product of known sizes that
//   has no choice yet and fills its tiles well enough. fixed_products makes of each
//   of these loops over tiles (scf.for: a batch, rows, columns, the sum), in which
//   stands a linalg.matmul of exactly rows x columns x sum numbers, with the same
//   choice. Operands are laid out in tiles in front of the loops and padded with
//   zeros there, C behind them; a transposed operand is turned on the way. What has
//   another choice, or isn't a product, stays as it is.
//   With `split`, split_products cuts products in loops over whole tiles, which alone
//   are chosen then, and products of what is left; nothing is padded.
// Parameters: rows, columns, sum: the tile; least_share, how much of what the tiles
//   hold must be the product's, in percent; split.
// Source:  none.
!op = !transform.any_op
!pack = !transform.op<"linalg.pack">
!unpack = !transform.op<"linalg.unpack">
!generic = !transform.op<"linalg.generic">
!flag = !transform.param<i1>
!choice = !transform.any_param
#matrices = ["mnk", "bmnk", "mmnk", "nmnk"]
module attributes {transform.with_named_sequence} {
  transform.named_sequence @choose_fixed(%root: !op {transform.readonly}) {
    %products = transform.collect_matching @is_free in %root : (!op) -> !op
    %choice = transform.param.constant
        #dlti.map<"strategy" = "fixed", "rule" = "fixed_products", "rows" = 64, "columns" = 64, "sum" = 64>
        {lh.bind = {value = {rows = "rows", columns = "columns", sum = "sum"}}} -> !choice
    transform.annotate %products "lh.choice" = %choice : !op, !choice
    transform.yield
  }

  transform.named_sequence @is_free(%op: !op {transform.readonly}) -> !op {
    %choice = transform.lh.match.choice %op [""] : (!op) -> !choice
    %sizes:4 = transform.lh.match.product %op loops #matrices
        {types = [f32], at_least = array<i64: -1, 1, 1, 1>,
         tiles = array<i64: -1, 64, 64, 64>, least_share = 0 : i64,
         lh.bind = {tiles = [-1, "rows", "columns", "sum"], least_share = "least_share"}}
        : !op
    transform.yield %op : !op
  }

  // Of convolutions, what upstream can: a matrix of windows for each image.
  transform.named_sequence @gather_windows(%root: !op {transform.readonly}) {
    %windows = transform.structured.match
        ops{["linalg.conv_2d_nchw_fchw", "linalg.conv_2d_nhwc_hwcf"]} in %root : (!op) -> !op
    transform.foreach %windows : !op {
    ^bb0(%one: !op):
      transform.sequence %one : !op failures(suppress)
          attributes {lh.optional = "dilated windows, and those of unknown sizes, are left"} {
      ^bb1(%op: !op):
        %gathered, %product = transform.structured.convert_conv2d_to_img2col %op
            : (!op) -> (!op, !op)
      }
    }
    %functions = transform.structured.match ops{["func.func"]} in %root : (!op) -> !op
    transform.apply_patterns to %functions {
      transform.apply_patterns.canonicalization
    } : !op
    transform.yield
  }

  // Whoever chose it: without a look at how well it fills its tiles.
  transform.named_sequence @is_fixed(%op: !op {transform.readonly}) -> (!op, !choice) {
    %choice = transform.lh.match.choice %op ["fixed"] : (!op) -> !choice
    %sizes:4 = transform.lh.match.product %op loops #matrices
        {types = [f32], at_least = array<i64: -1, 1, 1, 1>} : !op
    transform.yield %op, %choice : !op, !choice
  }

  transform.named_sequence @has_batch(%op: !op {transform.readonly}) -> !flag {
    %sizes:4 = transform.lh.match.product %op loops ["bmnk", "mmnk", "nmnk"] : !op
    %yes = transform.param.constant true -> !flag
    transform.yield %yes : !flag
  }

  // Loops over tiles, of which the last may be less.
  transform.named_sequence @cut_in_place(%product: !op {transform.consumed}) {
    %batched = transform.collect_matching @has_batch in %product : (!op) -> !flag
    transform.lh.if %batched : !flag {
      %tile, %loops:4 = transform.structured.tile_using_for %product
          tile_sizes [1, 64, 64, 64]
          {lh.bind = {static_sizes = [1, "rows", "columns", "sum"]}}
          : (!op) -> (!op, !op, !op, !op, !op)
    } else {
      %tile, %loops:3 = transform.structured.tile_using_for %product
          tile_sizes [64, 64, 64] {lh.bind = {static_sizes = ["rows", "columns", "sum"]}}
          : (!op) -> (!op, !op, !op, !op)
    }
    transform.yield
  }

  // Whole tiles, and behind them products of what is left.
  transform.named_sequence @split_products(%root: !op {transform.readonly}) {
    %here = transform.param.constant false {lh.bind = {value = "split"}} -> !flag
    transform.lh.if %here : !flag {
      %products = transform.collect_matching @is_free in %root : (!op) -> !op
      transform.foreach %products : !op {
      ^bb0(%product: !op):
        transform.include @cut_in_place failures(propagate) (%product) : (!op) -> ()
      }
      %functions = transform.structured.match ops{["func.func"]} in %root : (!op) -> !op
      %peeled = transform.apply_registered_pass "scf-for-loop-peeling"
          with options = {"skip-partial" = false} to %functions : (!op) -> !op
      transform.apply_patterns to %peeled {
        transform.apply_patterns.linalg.tiling_canonicalization
        transform.apply_patterns.scf.for_loop_canonicalization
        transform.apply_patterns.canonicalization
      } : !op
    }
    transform.yield
  }

  // Tiles of A, B and C side by side in memory; the inner three loops are a tile's.
  transform.named_sequence @pack(%product: !op {transform.consumed}) -> !op {
    %packed = transform.structured.pack_greedily %product
        matmul_packed_sizes = [64, 64, 64] matmul_inner_dims_order = [0, 1, 2]
        {lh.bind = {static_matmul_packed_sizes = ["rows", "columns", "sum"]}}
        : (!op) -> !generic
    // Packing puts columns in front of the sum, whatever B's layout.
    %b = transform.get_producer_of_operand %packed[1] : (!generic) -> !op
    %pack = transform.cast %b : !op to !pack
    %turned, %new, %none = transform.structured.pack_transpose %pack
        with_compute_op(%packed) inner_perm = [1, 0]
        : (!pack, !generic) -> (!op, !pack, !op)
    transform.yield %turned : !op
  }

  transform.named_sequence @cut(%product: !op {transform.consumed},
      %choice: !choice {transform.readonly}) {
    %batched = transform.collect_matching @has_batch in %product : (!op) -> !flag
    %packed = transform.include @pack failures(propagate) (%product) : (!op) -> !op
    %loop = transform.lh.if %batched : !flag -> !op {
      %tile, %loops:4 = transform.structured.tile_using_for %packed tile_sizes [1, 1, 1, 1]
          : (!op) -> (!op, !op, !op, !op, !op)
      transform.yield %loops#3 : !op
    } else {
      %tile, %loops:3 = transform.structured.tile_using_for %packed tile_sizes [1, 1, 1]
          : (!op) -> (!op, !op, !op, !op)
      transform.yield %loops#2 : !op
    }
    transform.apply_patterns to %loop {
      transform.apply_patterns.linalg.fold_unit_extent_dims_via_slices
    } : !op
    %general = transform.structured.match ops{["linalg.generic"]} in %loop : (!op) -> !op
    %named = transform.structured.specialize %general : (!op) -> !op
    transform.annotate %named "lh.choice" = %choice : !op, !choice
    transform.yield
  }

  transform.named_sequence @fixed_products(%root: !op {transform.readonly}) {
    %functions = transform.structured.match ops{["func.func"]} in %root : (!op) -> !op
    %products, %choices = transform.collect_matching @is_fixed in %root
        : (!op) -> (!op, !choice)
    transform.foreach %products, %choices : !op, !choice {
    ^bb0(%product: !op, %choice: !choice):
      transform.include @cut failures(propagate) (%product, %choice) : (!op, !choice) -> ()
    }
    // Zeros are zeros in tiles, too.
    transform.apply_patterns to %functions {
      transform.apply_patterns.canonicalization
    } : !op
    %packs = transform.structured.match ops{["linalg.pack"]} in %root : (!op) -> !pack
    %padded, %grown, %turned = transform.structured.lower_pack %packs : (!pack)
        -> (!transform.op<"tensor.pad">, !transform.op<"tensor.expand_shape">,
            !transform.op<"linalg.transpose">)
    %unpacks = transform.structured.match ops{["linalg.unpack"]} in %root : (!op) -> !unpack
    %empty, %back, %flat, %slice = transform.structured.lower_unpack %unpacks : (!unpack)
        -> (!transform.op<"tensor.empty">, !transform.op<"linalg.transpose">,
            !transform.op<"tensor.collapse_shape">, !transform.op<"tensor.extract_slice">)
    transform.apply_patterns to %functions {
      transform.apply_patterns.linalg.tiling_canonicalization
      transform.apply_patterns.scf.for_loop_canonicalization
      transform.apply_patterns.canonicalization
    } : !op
    transform.apply_cse to %functions : !op
    transform.yield
  }
}
