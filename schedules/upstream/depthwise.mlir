// Depthwise convolutions and pools of f32, tiled by channels.
//
// Expects: what pack-channels.mlir leaves.
// Result:  one loop over blocks of channels (scf.forall). In it, an activation before
//   and the zeros around the image, the image with its channels innermost, the sums
//   or maxima of a pixel at a time in a register, an activation behind, and channels outermost
//   again, so that an image's channels are moved in caches only. Windows may move by
//   any step.
// Parameters: lanes, the channels of a block: the numbers in a vector.
// Measured (f32, one core with AMX, with the ReLU that follows, speed
//   relative to cpu/optimize, by turns; image and result with channels outermost, which
//   cpu/optimize turns around): 3x3 of 144 channels on 56 x 56 pixels 1.7, 576 on 14 x 14
//   1.1, 960 on 7 x 7 0.65; step 2, 96 on 112 x 112 1.3 to 1.4, 192 on 28 x 28 0.6.
//   Maxima: 3x3 by two, 64 on 112 x 112 1.1; 2x2 by two, 64 on 56 x 56 1.5; 3x3 by one,
//   192 on 28 x 28 1.2; means of 3x3, 64 on 28 x 28 0.4.
!op = !transform.any_op
!size = !transform.param<i64>
#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
module attributes {transform.with_named_sequence} {
  // 1. What an op reads: the zeros around an image, what sums start with, and the
  // activation before those zeros.
  transform.named_sequence @pad_of(%op: !op {transform.readonly}) -> !op {
    transform.match.operation_name %op ["linalg.pack"] : !op
    %source = transform.include @source failures(propagate) (%op) : (!op) -> !op
    transform.match.operation_name %source ["tensor.pad"] : !op
    transform.yield %source : !op
  }

  transform.named_sequence @value_of(%op: !op {transform.readonly}) -> !op {
    transform.match.operation_name %op ["linalg.pack"] : !op
    %source = transform.include @source failures(propagate) (%op) : (!op) -> !op
    transform.match.operation_name %source ["linalg.broadcast"] : !op
    transform.yield %source : !op
  }

  transform.named_sequence @before(%op: !op {transform.readonly}) -> !op {
    transform.match.operation_name %op ["tensor.pad"] : !op
    %source = transform.include @source failures(propagate) (%op) : (!op) -> !op
    %same = transform.include @is_activation failures(propagate) (%source) : (!op) -> !op
    transform.yield %source : !op
  }

  // Fusion takes an op away from others that read it.
  transform.named_sequence @source(%op: !op {transform.readonly}) -> !op {
    %source = transform.get_producer_of_operand %op[0] : (!op) -> !op
    %users = transform.get_consumers_of_result %source[0] : (!op) -> !op
    transform.include @is_one failures(propagate) (%users) : (!op) -> ()
    transform.yield %source : !op
  }

  // An op of one operand over the points of an image: an activation.
  transform.named_sequence @is_activation(%op: !op {transform.readonly}) -> !op {
    transform.match.operation_name %op ["linalg.generic"] : !op
    transform.match.structured failures(propagate) %op : !op {
    ^bb0(%s: !op):
      transform.match.structured.dim %s[all] {parallel} : !op
      %init = transform.match.structured.init %s[0] : (!op) -> !transform.any_value
      %bits = transform.match.structured.elemental_bitwidth %init
          : (!transform.any_value) -> !size
      %single = transform.param.constant 32 : i64 -> !size
      transform.match.param.cmpi eq %bits, %single : !size
      transform.match.structured.yield
    }
    transform.include @keeps_points failures(propagate) (%op) : (!op) -> ()
    transform.yield %op : !op
  }

  transform.named_sequence @keeps_points(%op: !op {transform.readonly}) {
    %alike = transform.structured.match ops{["linalg.generic"]}
        attributes{indexing_maps = [#id, #id]} in %op : (!op) -> !op
    transform.include @is_one failures(propagate) (%alike) : (!op) -> ()
    transform.yield
  }

  transform.named_sequence @is_one(%ops: !op {transform.readonly}) {
    %one = transform.param.constant 1 : i64 -> !size
    %count = transform.num_associations %ops : (!op) -> !size
    transform.match.param.cmpi eq %count, %one : !size
    transform.yield
  }

  // 2. A block, from its end to its beginning; then as many pixels of a row as it has
  // channels, and each pixel.
  transform.named_sequence @cut(%sums: !op {transform.consumed}) {
    %user = transform.get_consumers_of_result %sums[0] : (!op) -> !op
    %end = transform.structured.match attributes{end} in %user
        {lh.optional = "no activation may follow"} : (!op) -> !op
    %after = transform.get_consumers_of_result %end[0] : (!op) -> !op
    %itself = transform.structured.match ops{["linalg.unpack"]} in %user
        {lh.optional = "an activation may follow"} : (!op) -> !op
    %back = transform.merge_handles %after, %itself : !op
    %image = transform.get_producer_of_operand %sums[0] : (!op) -> !op
    %pad = transform.collect_matching @pad_of in %image : (!op) -> !op
    %first = transform.collect_matching @before in %pad : (!op) -> !op
    %start = transform.get_producer_of_operand %sums[2] : (!op) -> !op
    %value = transform.collect_matching @value_of in %start : (!op) -> !op

    %b1, %l1 = transform.structured.tile_using_forall %back tile_sizes [1, 16]
        {lh.bind = {static_tile_sizes = [1, "lanes"]}} : (!op) -> (!op, !op)
    %e1, %l2 = transform.structured.fuse_into_containing_op %end into %l1 : (!op, !op) -> (!op, !op)
    %c1, %l3 = transform.structured.fuse_into_containing_op %sums into %l2 : (!op, !op) -> (!op, !op)
    %i1, %l4 = transform.structured.fuse_into_containing_op %image into %l3 : (!op, !op) -> (!op, !op)
    %s1, %l5 = transform.structured.fuse_into_containing_op %start into %l4 : (!op, !op) -> (!op, !op)
    %v1, %l6 = transform.structured.fuse_into_containing_op %value into %l5 : (!op, !op) -> (!op, !op)
    %p1, %l7 = transform.structured.fuse_into_containing_op %pad into %l6 : (!op, !op) -> (!op, !op)
    // The pad outside, dead now, would keep its operand, which the fusion erases.
    %function = transform.get_parent_op %l7 {op_name = "func.func"} : (!op) -> !op
    transform.apply_dce to %function : !op
    %f1, %l8 = transform.structured.fuse_into_containing_op %first into %l7 : (!op, !op) -> (!op, !op)
    // Rows of the activation are computed where the image is copied between the zeros.
    transform.foreach %p1 : !op {
    ^bb0(%zeros: !op):
      %copied = transform.structured.rewrite_in_destination_passing_style %zeros : (!op) -> !op
      %copy = transform.structured.insert_slice_to_copy %copied : (!op) -> !op
      %row, %rows:3 = transform.structured.tile_using_for %copy tile_sizes [1, 1, 1]
          : (!op) -> (!op, !op, !op, !op)
      %f2, %l9 = transform.structured.fuse_into_containing_op %f1 into %rows#2
          : (!op, !op) -> (!op, !op)
    }

    %i2, %t:2 = transform.structured.tile_using_for %i1 tile_sizes [0, 0, 1, 16]
        {lh.bind = {static_sizes = [0, 0, 1, "lanes"]}} : (!op) -> (!op, !op, !op)
    %b2, %r1:2 = transform.structured.tile_using_for %b1 tile_sizes [0, 0, 1, 16]
        {lh.bind = {static_sizes = [0, 0, 1, "lanes"]}} : (!op) -> (!op, !op, !op)
    %e2, %r2 = transform.structured.fuse_into_containing_op %e1 into %r1#1 : (!op, !op) -> (!op, !op)
    %c2, %r3 = transform.structured.fuse_into_containing_op %c1 into %r2 : (!op, !op) -> (!op, !op)
    %s2, %r4 = transform.structured.fuse_into_containing_op %s1 into %r3 : (!op, !op) -> (!op, !op)
    %v2, %r5 = transform.structured.fuse_into_containing_op %v1 into %r4 : (!op, !op) -> (!op, !op)
    %c3, %x1 = transform.structured.tile_using_forall %c2 tile_sizes [0, 0, 1] : (!op) -> (!op, !op)
    %s3, %x2 = transform.structured.fuse_into_containing_op %s2 into %x1 : (!op, !op) -> (!op, !op)
    %v3, %x3 = transform.structured.fuse_into_containing_op %v2 into %x2 : (!op, !op) -> (!op, !op)
    %point, %points:2 = transform.structured.tile_using_for %c3 tile_sizes [0, 0, 0, 0, 1, 1]
        : (!op) -> (!op, !op, !op)
    transform.annotate %i2 "image" : !op
    transform.annotate %s3 "start" : !op
    transform.annotate %v3 "start" : !op
    transform.annotate %points#0 "sum" : !op
    transform.annotate %points#1 "sum" : !op
    transform.annotate %points#1 "point" : !op
    transform.yield
  }

  // 3. Vectors of channels; of channels and pixels where their order changes.
  transform.named_sequence @vectorize(%root: !op {transform.readonly},
      %functions: !op {transform.readonly}) {
    %points = transform.structured.match ops{["scf.for"]} attributes{point} in %root
        {lh.optional = "columns of windows"} : (!op) -> !op
    transform.foreach %points : !op {
    ^bb0(%point: !op):
      transform.apply_patterns to %point {
        transform.apply_patterns.linalg.fold_unit_extent_dims_via_slices
        transform.apply_patterns.canonicalization
      } : !op
      %sum = transform.structured.match ops{["linalg.generic"]} in %point : (!op) -> !op
      transform.structured.vectorize %sum : !op
    }
    %ends = transform.structured.match ops{["linalg.generic"]} attributes{end} in %root
        {lh.optional = "no activation may follow"} : (!op) -> !op
    transform.foreach %ends : !op {
    ^bb0(%end: !op):
      transform.sequence %end : !op failures(suppress)
          attributes {lh.optional = "ops that no vector op computes"} {
      ^bb1(%op: !op):
        transform.structured.vectorize %op : !op
      }
    }
    %values = transform.structured.match ops{["linalg.broadcast", "linalg.fill"]}
        attributes{start} in %root : (!op) -> !op
    transform.structured.vectorize %values : !op
    %starts = transform.structured.match ops{["linalg.pack"]} attributes{start} in %root
        {lh.optional = "sums that start with zeros"} : (!op) -> !op
    transform.structured.vectorize %starts vector_sizes [1, 1, 1, 1, 16]
        {lh.bind = {static_vector_sizes = [1, 1, 1, 1, "lanes"]}} : !op
    %images = transform.structured.match ops{["linalg.pack"]} attributes{image} in %root
        : (!op) -> !op
    %backs = transform.structured.match ops{["linalg.unpack"]} in %root : (!op) -> !op
    %turns = transform.merge_handles %images, %backs : !op
    transform.structured.vectorize %turns vector_sizes [1, 1, 1, 16, 16]
        {lh.bind = {static_vector_sizes = [1, 1, 1, "lanes", "lanes"]}} : !op
    transform.apply_patterns to %functions {
      transform.apply_patterns.vector.lower_masked_transfers
      transform.apply_patterns.vector.lower_transpose lowering_strategy = shuffle_16x16
      transform.apply_patterns.tensor.fold_tensor_empty
      transform.apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers
      transform.apply_patterns.canonicalization
    } : !op
    transform.yield
  }

  // 4. Accumulators leave one loop after the other.
  transform.named_sequence @hoist(%root: !op {transform.readonly},
      %functions: !op {transform.readonly}) {
    %sums = transform.structured.match ops{["scf.for"]} attributes{sum} in %root
        {lh.optional = "windows of one point"} : (!op) -> !op
    transform.apply_licm to %sums : !op
    transform.loop.hoist_loop_invariant_subsets %sums : !op
    transform.apply_patterns to %functions {
      transform.apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers
      transform.apply_patterns.vector.transfer_permutation_patterns
      transform.apply_patterns.canonicalization
    } : !op
    transform.yield
  }

  // 5. Windows of up to 8 x 8 points without loops. A loop of fewer trips than the
  // factor stays one, so that it is two, three times.
  transform.named_sequence @unroll(%root: !op {transform.readonly},
      %functions: !op {transform.readonly}) {
    %sums = transform.structured.match ops{["scf.for"]} attributes{sum} in %root
        {lh.optional = "small windows have no loops left"} : (!op) -> !op
    transform.foreach %sums : !op {
    ^bb0(%sum: !op):
      transform.loop.unroll %sum {factor = 2} : !op
    }
    transform.apply_patterns to %functions {
      transform.apply_patterns.canonicalization
    } : !op
    transform.yield
  }

  transform.named_sequence @depthwise(%root: !op {transform.readonly}) {
    %functions = transform.structured.match ops{["func.func"]} in %root : (!op) -> !op
    %all = transform.structured.match attributes{sums} in %root : (!op) -> !op
    transform.foreach %all : !op {
    ^bb0(%sums: !op):
      transform.include @cut failures(propagate) (%sums) : (!op) -> ()
    }
    %peeled = transform.apply_registered_pass "scf-for-loop-peeling" to %functions
        : (!op) -> !op
    transform.apply_patterns to %peeled {
      transform.apply_patterns.linalg.tiling_canonicalization
      transform.apply_patterns.scf.for_loop_canonicalization
      transform.apply_patterns.canonicalization
    } : !op
    transform.apply_cse to %peeled : !op
    transform.include @vectorize failures(propagate) (%root, %peeled) : (!op, !op) -> ()
    transform.include @hoist failures(propagate) (%root, %peeled) : (!op, !op) -> ()
    transform.include @hoist failures(propagate) (%root, %peeled) : (!op, !op) -> ()
    transform.include @unroll failures(propagate) (%root, %peeled) : (!op, !op) -> ()
    transform.include @unroll failures(propagate) (%root, %peeled) : (!op, !op) -> ()
    transform.include @unroll failures(propagate) (%root, %peeled) : (!op, !op) -> ()
    transform.yield
  }
}
