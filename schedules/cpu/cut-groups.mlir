// Convolutions of groups of few filters become loops over strips of groups and
// pixels, each tile in registers.
//
// Expects: linalg on tensors, unit dimensions dropped; what gather-windows leaves of them, a linalg.generic
//   whose lh.choice is "lanes" and names its strip, with loops over images, rows,
//   columns, filters of all groups; a window's rows, columns and a group's channels.
// Result:  loops over images, rows, strips and pixels; in them the tile's start
//   value, a loop over a window's rows (lh.sum), whose body has a vector of filters
//   for each pixel and multiplies every number that it reads, and the elementwise op
//   that follows. What fills no tile is peeled off.
// Parameters: pixels, a tile's, pixels_of_one, where a strip has no more numbers than
//   one register, half (vectorize-elementwise.yaml).
// Source:  the transform dialect's tile_using_for, transform.lh.fuse_into
//   and transform.lh.vectorize_lanes.
!op = !transform.any_op
!size = !transform.param<i64>
!value = !transform.any_value
module attributes {transform.with_named_sequence} {
  // Of strips.mlir:
  transform.named_sequence private @this(!op {transform.readonly}) -> !op
  transform.named_sequence private @is_nest(!op {transform.readonly},
      !size {transform.readonly})
  transform.named_sequence private @peel(!op {transform.readonly})

  transform.named_sequence @is_in_lanes(%op: !op {transform.readonly}) -> !op {
    %choice = transform.lh.match.choice %op ["lanes"] : (!op) -> !transform.any_param
    transform.yield %op : !op
  }

  // Of an image's pixels, ...
  transform.named_sequence @is_plane(%op: !op {transform.readonly}) -> !op {
    %loops = transform.param.constant 4 : i64 -> !size
    transform.include @is_nest failures(propagate) (%op, %loops) : (!op, !size) -> ()
    %product = transform.include @is_in_lanes failures(propagate) (%op) : (!op) -> !op
    transform.yield %op : !op
  }

  // ... of windows of one image, ...
  transform.named_sequence @is_image(%op: !op {transform.readonly}) -> !op {
    %loops = transform.param.constant 6 : i64 -> !size
    transform.include @is_nest failures(propagate) (%op, %loops) : (!op, !size) -> ()
    %product = transform.include @is_in_lanes failures(propagate) (%op) : (!op) -> !op
    transform.yield %op : !op
  }

  // ... and of several images.
  transform.named_sequence @is_batch(%op: !op {transform.readonly}) -> !op {
    %loops = transform.param.constant 7 : i64 -> !size
    transform.include @is_nest failures(propagate) (%op, %loops) : (!op, !size) -> ()
    %product = transform.include @is_in_lanes failures(propagate) (%op) : (!op) -> !op
    transform.yield %op : !op
  }

  transform.named_sequence @is_elementwise(%op: !op {transform.readonly}) -> !op {
    transform.match.operation_name %op ["linalg.generic", "linalg.fill"] : !op
    transform.yield %op : !op
  }

  // What follows it.
  transform.named_sequence @epilogue_of(%op: !op {transform.readonly}) -> !op {
    %product = transform.include @is_in_lanes failures(propagate) (%op) : (!op) -> !op
    %epilogue = transform.lh.match.identity_consumer %op : (!op) -> !op
    transform.yield %epilogue : !op
  }

  // What computes its start values.
  transform.named_sequence @start_of(%op: !op {transform.readonly}) -> !op {
    %product = transform.include @is_in_lanes failures(propagate) (%op) : (!op) -> !op
    %start = transform.get_producer_of_operand %op[2] : (!op) -> !op
    %computed = transform.include @is_elementwise failures(propagate) (%start)
        : (!op) -> !op
    transform.yield %computed : !op
  }

  // A tile, by one row of a window, its start value and what follows.
  transform.named_sequence @vectorize_tile(%around: !op {transform.readonly},
      %line: !op {transform.consumed}) {
    transform.lh.vectorize_lanes %line : !op
    %others = transform.collect_matching @is_elementwise in %around
        {lh.optional = "it may start from what is there, and be all"} : (!op) -> !op
    transform.foreach %others : !op {
    ^bb0(%other: !op):
      transform.sequence %other : !op failures(suppress)
          attributes {lh.optional = "of no vector type"} {
      ^bb1(%it: !op):
        transform.structured.vectorize %it : !op
      }
    }
    transform.apply_patterns to %around {
      transform.apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers
      transform.apply_patterns.canonicalization
    } : !op
    transform.apply_cse to %around : !op
    transform.yield
  }

  // The product and its start values into the loop over pixels of what follows.
  transform.named_sequence @fuse_product(%product: !op {transform.consumed},
      %pixels: !op {transform.readonly}) {
    transform.foreach %product : !op {
    ^bb0(%op: !op):
      %start = transform.collect_matching @start_of in %op
          {lh.optional = "a start value may be an argument"} : (!op) -> !op
      %tile, %first = transform.lh.fuse_into %op, %start into %pixels
          : (!op, !op, !op) -> (!op, !op)
    }
    transform.yield
  }

  // Whole tiles, and those at the ends of rows and of filters.
  transform.named_sequence @peel_tiles(%rows: !op {transform.readonly},
      %strips: !op {transform.readonly}, %pixels: !op {transform.readonly}) {
    transform.include @peel failures(propagate) (%pixels) : (!op) -> ()
    transform.include @peel failures(propagate) (%strips) : (!op) -> ()
    transform.apply_patterns to %rows {
      transform.apply_patterns.scf.for_loop_canonicalization
      transform.apply_patterns.canonicalization
    } : !op
    transform.yield
  }

  // What is cut: what follows, or the product itself; the second handle is the
  // product's where it isn't the first.
  transform.named_sequence @root_of(%op: !op {transform.readonly}) -> (!op, !op) {
    %epilogue = transform.collect_matching @epilogue_of in %op
        {lh.optional = "nothing may follow"} : (!op) -> !op
    %root, %product = transform.lh.if %epilogue : !op -> !op, !op {
      transform.yield %epilogue, %op : !op, !op
    } else {
      transform.yield %op, %epilogue : !op, !op
    }
    transform.yield %root, %product : !op, !op
  }

  // Whose strip is one register of f32, or less.
  transform.named_sequence @has_narrow_strip(%op: !op {transform.readonly}) -> !op {
    %strip = transform.lh.match.choice %op ["lanes"] key "strip" : (!op) -> !size
    %one = transform.param.constant 16 : i64 {lh.bind = {value = "half"}} -> !size
    transform.match.param.cmpi le %strip, %one : !size
    transform.yield %op : !op
  }

  // A tile's.
  transform.named_sequence @pixels_of(%op: !op {transform.readonly}) -> !size {
    %narrow = transform.collect_matching @has_narrow_strip in %op
        {lh.optional = "most have two registers"} : (!op) -> !op
    %pixels = transform.lh.if %narrow : !op -> !size {
      %more = transform.param.constant 8 : i64 {lh.bind = {value = "pixels_of_one"}} -> !size
      transform.yield %more : !size
    } else {
      %some = transform.param.constant 4 : i64 {lh.bind = {value = "pixels"}} -> !size
      transform.yield %some : !size
    }
    transform.yield %pixels : !size
  }

  // By rows, strips and pixels. Gives the loop over rows.
  transform.named_sequence @cut_image(%op: !op {transform.readonly}) -> !op {
    %pixels = transform.include @pixels_of failures(propagate) (%op) : (!op) -> !size
    %strip = transform.lh.match.choice %op ["lanes"] key "strip" : (!op) -> !size
    %last, %product = transform.include @root_of failures(propagate) (%op)
        : (!op) -> (!op, !op)
    %tile, %loops:3 = transform.structured.tile_using_for %last
        tile_sizes [1, %pixels, %strip] interchange = [0, 2, 1]
        : (!op, !size, !size) -> (!op, !op, !op, !op)
    transform.include @fuse_product failures(propagate) (%product, %loops#2)
        : (!op, !op) -> ()
    transform.include @peel_tiles failures(propagate)
        (%loops#0, %loops#1, %loops#2) : (!op, !op, !op) -> ()
    transform.yield %loops#0 : !op
  }

  transform.named_sequence @cut_groups(%root: !op {transform.readonly}) {
    %nests = transform.structured.match ops{["linalg.generic"]} in %root
        {lh.optional = "few models have any"} : (!op) -> !op
    %all_planes, %planes = transform.foreach_match restrict_root in %nests
        @is_plane -> @this
        {lh.optional = "few models have any"} : (!op) -> (!op, !op)
    transform.foreach %planes : !op {
    ^bb0(%op: !op):
      %rows = transform.include @cut_image failures(propagate) (%op) : (!op) -> !op
      %inside = transform.collect_matching @is_plane in %rows : (!op) -> !op
      transform.include @vectorize_tile failures(propagate) (%rows, %inside)
          : (!op, !op) -> ()
    }
    %of_images = transform.structured.match ops{["linalg.generic"]} in %root
        {lh.optional = "few models have any"} : (!op) -> !op
    %all_images, %images = transform.foreach_match restrict_root in %of_images
        @is_image -> @this
        {lh.optional = "few models have any"} : (!op) -> (!op, !op)
    transform.foreach %images : !op {
    ^bb0(%op: !op):
      %rows = transform.include @cut_image failures(propagate) (%op) : (!op) -> !op
      %tiles = transform.collect_matching @is_image in %rows : (!op) -> !op
      %inside, %sum = transform.structured.tile_using_for %tiles
          tile_sizes [0, 0, 0, 1] : (!op) -> (!op, !op)
      transform.annotate %sum "lh.sum" : !op
      transform.include @vectorize_tile failures(propagate) (%rows, %inside)
          : (!op, !op) -> ()
    }
    %of_batches = transform.structured.match ops{["linalg.generic"]} in %root
        {lh.optional = "few models have any"} : (!op) -> !op
    %all_batches, %batches = transform.foreach_match restrict_root in %of_batches
        @is_batch -> @this
        {lh.optional = "few models have any"} : (!op) -> (!op, !op)
    transform.foreach %batches : !op {
    ^bb0(%op: !op):
      %strip = transform.lh.match.choice %op ["lanes"] key "strip" : (!op) -> !size
      %pixels = transform.include @pixels_of failures(propagate) (%op) : (!op) -> !size
      %last, %product = transform.include @root_of failures(propagate) (%op)
          : (!op) -> (!op, !op)
      %tile, %loops:4 = transform.structured.tile_using_for %last
          tile_sizes [1, 1, %pixels, %strip] interchange = [0, 1, 3, 2]
          : (!op, !size, !size) -> (!op, !op, !op, !op, !op)
      transform.include @fuse_product failures(propagate) (%product, %loops#3)
          : (!op, !op) -> ()
      transform.include @peel_tiles failures(propagate)
          (%loops#0, %loops#2, %loops#3) : (!op, !op, !op) -> ()
      %line = transform.collect_matching @is_batch in %loops#0 : (!op) -> !op
      %inside, %rows = transform.structured.tile_using_for %line
          tile_sizes [0, 0, 0, 0, 1] : (!op) -> (!op, !op)
      transform.annotate %rows "lh.sum" : !op
      transform.include @vectorize_tile failures(propagate) (%loops#0, %inside)
          : (!op, !op) -> ()
    }
    transform.yield
  }
}
