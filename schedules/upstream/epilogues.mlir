// Epilogues of convolutions that are products, where the sums are still in a cache.
//
// Expects: linalg on tensors, with the images that choose-epilogues.mlir has marked.
// Result:  loops over the batch, strips of image rows and tiles of filters. Each step
//   has its part of the product, for products.mlir, and behind it its epilogue, on
//   vectors of a filter's whole strip. Rows that fill no strip and filters that fill
//   no tile are peeled off.
// Parameters: rows, the filters in a tile; strip_32, strip_64 and strip_more, the image
//   rows in a strip if they have 17 to 32 columns, 33 to 64, or more.
// Measured (f32, one core with AMX, speed relative to cpu/optimize, by turns): 1x1 and
//   ReLU, 64 to 256 filters on 56 x 56 pixels 0.83, 24 to 144 0.7 to 0.8, 256 to 64 0.95.
!op = !transform.any_op
!size = !transform.param<i64>
module attributes {transform.with_named_sequence} {
  // 1. A strip: as many rows as have about the columns of a block in contractions.mlir,
  // which packs the pixels of each block once.
  transform.named_sequence @has_columns(%op: !op {transform.readonly},
      %least: !size {transform.readonly}, %most: !size {transform.readonly}) {
    %columns = transform.match.structured failures(propagate) %op : (!op) -> !size {
    ^bb0(%s: !op):
      %size = transform.match.structured.dim %s[3] : (!op) -> !size
      transform.match.structured.yield %size : !size
    }
    transform.match.param.cmpi ge %columns, %least : !size
    transform.match.param.cmpi le %columns, %most : !size
    transform.yield
  }

  transform.named_sequence @up_to_16(%op: !op {transform.readonly}) -> !op {
    %least = transform.param.constant 1 : i64 -> !size
    %most = transform.param.constant 16 : i64 -> !size
    transform.include @has_columns failures(propagate) (%op, %least, %most)
        : (!op, !size, !size) -> ()
    transform.yield %op : !op
  }

  transform.named_sequence @up_to_32(%op: !op {transform.readonly}) -> !op {
    %least = transform.param.constant 17 : i64 -> !size
    %most = transform.param.constant 32 : i64 -> !size
    transform.include @has_columns failures(propagate) (%op, %least, %most)
        : (!op, !size, !size) -> ()
    transform.yield %op : !op
  }

  transform.named_sequence @up_to_64(%op: !op {transform.readonly}) -> !op {
    %least = transform.param.constant 33 : i64 -> !size
    %most = transform.param.constant 64 : i64 -> !size
    transform.include @has_columns failures(propagate) (%op, %least, %most)
        : (!op, !size, !size) -> ()
    transform.yield %op : !op
  }

  transform.named_sequence @more(%op: !op {transform.readonly}) -> !op {
    %least = transform.param.constant 65 : i64 -> !size
    %most = transform.param.constant 9223372036854775807 : i64 -> !size
    transform.include @has_columns failures(propagate) (%op, %least, %most)
        : (!op, !size, !size) -> ()
    transform.yield %op : !op
  }

  // Small images stay whole. One of the four has a size.
  transform.named_sequence @strip(%op: !op {transform.readonly}) -> !size {
    %of_16 = transform.collect_matching @up_to_16 in %op : (!op) -> !op
    %of_32 = transform.collect_matching @up_to_32 in %op : (!op) -> !op
    %of_64 = transform.collect_matching @up_to_64 in %op : (!op) -> !op
    %of_more = transform.collect_matching @more in %op : (!op) -> !op
    %whole = transform.foreach %of_16 : !op -> !size {
    ^bb0(%small: !op):
      %rows = transform.match.structured failures(propagate) %small : (!op) -> !size {
      ^bb1(%s: !op):
        %size = transform.match.structured.dim %s[2] : (!op) -> !size
        transform.match.structured.yield %size : !size
      }
      transform.yield %rows : !size
    }
    %strip_32 = transform.foreach %of_32 : !op -> !size {
    ^bb0(%one: !op):
      %rows = transform.param.constant 8 : i64 {lh.bind = {value = "strip_32"}} -> !size
      transform.yield %rows : !size
    }
    %strip_64 = transform.foreach %of_64 : !op -> !size {
    ^bb0(%one: !op):
      %rows = transform.param.constant 4 : i64 {lh.bind = {value = "strip_64"}} -> !size
      transform.yield %rows : !size
    }
    %strip_more = transform.foreach %of_more : !op -> !size {
    ^bb0(%one: !op):
      %rows = transform.param.constant 2 : i64 {lh.bind = {value = "strip_more"}} -> !size
      transform.yield %rows : !size
    }
    %strip = transform.merge_handles %whole, %strip_32, %strip_64, %strip_more : !size
    transform.yield %strip : !size
  }

  // 2. Loops over images, strips of rows and tiles of filters. A slice of the image is
  // one of the pixels: what the slice is of can be fused then.
  transform.named_sequence @cut(%image: !op {transform.readonly},
      %last: !op {transform.consumed}, %near: !op {transform.consumed}) {
    %strip = transform.include @strip failures(propagate) (%last) : (!op) -> !size
    %product = transform.get_producer_of_operand %image[0] : (!op) -> !op
    %start = transform.get_producer_of_operand %product[2] : (!op) -> !op
    %t1, %images, %strips = transform.structured.tile_using_for %last
        tile_sizes [1, 0, %strip, 0] : (!op, !size) -> (!op, !op, !op)
    %n1, %l1 = transform.structured.fuse_into_containing_op %near into %strips
        : (!op, !op) -> (!op, !op)
    transform.apply_patterns to %l1 {
      transform.apply_patterns.tensor.bubble_up_extract_slice
    } : !op
    %p1, %l2 = transform.structured.fuse_into_containing_op %product into %l1
        : (!op, !op) -> (!op, !op)
    %s1, %l3 = transform.structured.fuse_into_containing_op %start into %l2
        : (!op, !op) -> (!op, !op)
    %t2, %filters = transform.structured.tile_using_for %t1 tile_sizes [0, 12, 0, 0]
        {lh.bind = {static_sizes = [0, "rows", 0, 0]}} : (!op) -> (!op, !op)
    %n2, %l4 = transform.structured.fuse_into_containing_op %n1 into %filters
        : (!op, !op) -> (!op, !op)
    transform.apply_patterns to %l3 {
      transform.apply_patterns.tensor.merge_consecutive_insert_extract_slice
      transform.apply_patterns.tensor.bubble_up_extract_slice
    } : !op
    %p2, %l5 = transform.structured.fuse_into_containing_op %p1 into %l4
        : (!op, !op) -> (!op, !op)
    %s2, %l6 = transform.structured.fuse_into_containing_op %s1 into %l5
        : (!op, !op) -> (!op, !op)
    transform.annotate %l6 "filters" : !op
    // The epilogue of one filter, without dimensions of one: a strip in one piece.
    %t3, %one, %filter = transform.structured.tile_using_for %t2 tile_sizes [1, 1, 0, 0]
        : (!op) -> (!op, !op, !op)
    %n3, %l7 = transform.structured.fuse_into_containing_op %n2 into %filter
        : (!op, !op) -> (!op, !op)
    transform.apply_patterns to %l7 {
      transform.apply_patterns.linalg.fold_unit_extent_dims_via_slices
    } : !op
    %parts = transform.structured.match ops{["linalg.generic"]} in %l7 : (!op) -> !op
    transform.annotate %parts "part" : !op
    transform.yield
  }

  transform.named_sequence @epilogues(%root: !op {transform.readonly}) {
    %functions = transform.structured.match ops{["func.func"]} in %root : (!op) -> !op
    %ones = transform.structured.match attributes{one} in %root : (!op) -> !op
    transform.foreach %ones : !op {
    ^bb0(%image: !op):
      %last = transform.get_consumers_of_result %image[0] : (!op) -> !op
      %none = transform.structured.match ops{["linalg.matmul"]} in %last : (!op) -> !op
      transform.include @cut failures(propagate) (%image, %last, %none)
          : (!op, !op, !op) -> ()
    }
    %twos = transform.structured.match attributes{two} in %root : (!op) -> !op
    transform.foreach %twos : !op {
    ^bb0(%image: !op):
      %near = transform.get_consumers_of_result %image[0] : (!op) -> !op
      %last = transform.get_consumers_of_result %near[0] : (!op) -> !op
      transform.include @cut failures(propagate) (%image, %last, %near)
          : (!op, !op, !op) -> ()
    }
    %peeled = transform.apply_registered_pass "scf-for-loop-peeling" to %functions
        : (!op) -> !op
    transform.apply_patterns to %peeled {
      transform.apply_patterns.linalg.tiling_canonicalization
      transform.apply_patterns.scf.for_loop_canonicalization
      transform.apply_patterns.canonicalization
    } : !op
    // 3. A strip as one vector.
    %parts = transform.structured.match attributes{part} in %peeled : (!op) -> !op
    transform.foreach %parts : !op {
    ^bb0(%part: !op):
      %flat = transform.structured.flatten_elementwise %part : (!op) -> !op
      transform.structured.vectorize %flat : !op
    }
    transform.yield
  }
}
