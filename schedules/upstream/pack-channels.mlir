// Depthwise convolutions and pools of f32 with channels innermost, in blocks.
//
// Expects: linalg.depthwise_conv_2d_nchw_chw and linalg.pooling_nchw_max and _sum, as an
//   importer leaves them.
// Result:  of known sizes, with channels that fill whole blocks: a linalg.generic marked
//   "sums" between linalg.pack and linalg.unpack, on channels in blocks of a vector; an
//   activation that follows is between them too, marked "end". depthwise.mlir tiles
//   them. Others stay: depthwise-rows.mlir takes some.
// Parameters: lanes, the numbers in a vector.
!op = !transform.any_op
!size = !transform.param<i64>
!pack = !transform.op<"linalg.pack">
!generic = !transform.op<"linalg.generic">
#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
module attributes {transform.with_named_sequence} {
  // 1. What is taken: sums of products of f32 over windows, of known size.
  transform.named_sequence @is_known(%op: !op {transform.readonly}) -> !op {
    %sizes = transform.match.structured failures(propagate) %op : (!op) -> !size {
    ^bb0(%s: !op):
      transform.match.structured.body %s
          {contraction = ["arith.mulf", "arith.addf"]} : !op
      %init = transform.match.structured.init %s[0] : (!op) -> !transform.any_value
      %bits = transform.match.structured.elemental_bitwidth %init
          : (!transform.any_value) -> !size
      %single = transform.param.constant 32 : i64 -> !size
      transform.match.param.cmpi eq %bits, %single : !size
      %all = transform.match.structured.dim %s[all] : (!op) -> !size
      transform.match.structured.yield %all : !size
    }
    transform.include @are_known failures(propagate) (%sizes) : (!size) -> ()
    transform.yield %op : !op
  }

  // Pools: maxima or sums of f32 over windows, of known size.
  transform.named_sequence @is_pool(%op: !op {transform.readonly}) -> !op {
    transform.match.operation_name %op
        ["linalg.pooling_nchw_max", "linalg.pooling_nchw_sum"] : !op
    %sizes = transform.match.structured failures(propagate) %op : (!op) -> !size {
    ^bb0(%s: !op):
      %init = transform.match.structured.init %s[0] : (!op) -> !transform.any_value
      %bits = transform.match.structured.elemental_bitwidth %init
          : (!transform.any_value) -> !size
      %single = transform.param.constant 32 : i64 -> !size
      transform.match.param.cmpi eq %bits, %single : !size
      %all = transform.match.structured.dim %s[all] : (!op) -> !size
      transform.match.structured.yield %all : !size
    }
    transform.include @are_known failures(propagate) (%sizes) : (!size) -> ()
    transform.yield %op : !op
  }

  // A size that isn't known is negative.
  transform.named_sequence @are_known(%sizes: !size {transform.readonly}) {
    %one = transform.param.constant 1 : i64 -> !size
    transform.foreach %sizes : !size {
    ^bb0(%size: !size):
      transform.match.param.cmpi ge %size, %one : !size
    }
    transform.yield
  }

  transform.named_sequence @is_one(%ops: !op {transform.readonly}) {
    %one = transform.param.constant 1 : i64 -> !size
    %count = transform.num_associations %ops : (!op) -> !size
    transform.match.param.cmpi eq %count, %one : !size
    transform.yield
  }

  // As few tiles as may be, of one size, have that size if they fill the channels.
  transform.named_sequence @mark_whole(%conv: !op {transform.readonly},
      %lanes: !size {transform.readonly}) {
    %low, %high, %split = transform.structured.multitile_sizes %conv
        {dimension = 3, target_size = 16, lh.bind = {target_size = "lanes"}} : (!op) -> !size
    transform.match.param.cmpi eq %low, %lanes : !size
    transform.annotate %conv "whole" : !op
    transform.yield
  }

  transform.named_sequence @mark_whole_pool(%pool: !op {transform.readonly},
      %lanes: !size {transform.readonly}) {
    %low, %high, %split = transform.structured.multitile_sizes %pool
        {dimension = 1, target_size = 16, lh.bind = {target_size = "lanes"}} : (!op) -> !size
    transform.match.param.cmpi eq %low, %lanes : !size
    transform.annotate %pool "whole_pool" : !op
    transform.yield
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

  // The activation behind a convolution, if nothing else reads the sums.
  transform.named_sequence @behind(%op: !op {transform.readonly}) -> !op {
    transform.match.operation_name %op ["linalg.depthwise_conv_2d_nchw_chw",
        "linalg.pooling_nchw_max", "linalg.pooling_nchw_sum"] : !op
    %user = transform.include @only_user failures(propagate) (%op) : (!op) -> !op
    transform.yield %user : !op
  }

  transform.named_sequence @only_user(%op: !op {transform.readonly}) -> !op {
    %users = transform.get_consumers_of_result %op[0] : (!op) -> !op
    transform.include @is_one failures(propagate) (%users) : (!op) -> ()
    %activation = transform.collect_matching @is_activation in %users : (!op) -> !op
    transform.include @is_one failures(propagate) (%activation) : (!op) -> ()
    transform.yield %activation : !op
  }

  // 2. Channels in blocks, and innermost: what the sums read, the sums, and the
  // activation behind them.
  transform.named_sequence @pack_channels(%root: !op {transform.readonly}) {
    %functions = transform.structured.match ops{["func.func"]} in %root : (!op) -> !op
    %all = transform.structured.match ops{["linalg.depthwise_conv_2d_nchw_chw"]} in %root
        : (!op) -> !op
    %taken = transform.collect_matching @is_known in %all : (!op) -> !op
    %lanes = transform.param.constant 16 : i64 {lh.bind = {value = "lanes"}} -> !size
    transform.foreach %taken : !op {
    ^bb0(%conv: !op):
      transform.sequence %conv, %lanes : !op, !size failures(suppress)
          attributes {lh.optional = "channels may fill no blocks"} {
      ^bb1(%op: !op, %size: !size):
        transform.include @mark_whole failures(propagate) (%op, %size) : (!op, !size) -> ()
      }
    }
    %convs = transform.structured.match attributes{whole} in %root
        {lh.optional = "channels may fill no blocks"} : (!op) -> !op
    %known = transform.collect_matching @is_pool in %root : (!op) -> !op
    transform.foreach %known : !op {
    ^bb0(%pool: !op):
      transform.sequence %pool, %lanes : !op, !size failures(suppress)
          attributes {lh.optional = "channels may fill no blocks"} {
      ^bb1(%op: !op, %size: !size):
        transform.include @mark_whole_pool failures(propagate) (%op, %size) : (!op, !size) -> ()
      }
    }
    %pools = transform.structured.match attributes{whole_pool} in %root
        {lh.optional = "channels may fill no blocks"} : (!op) -> !op
    %both = transform.merge_handles %convs, %pools : !op
    %ends = transform.collect_matching @behind in %both : (!op) -> !op
    transform.foreach %ends : !op {
    ^bb0(%end: !op):
      %packed = transform.structured.pack %end packed_sizes = [0, 16, 0, 0]
          {lh.bind = {static_packed_sizes = [0, "lanes", 0, 0]}} : (!op) -> !generic
      transform.annotate %packed "end" : !generic
    }
    transform.foreach %convs : !op {
    ^bb0(%conv: !op):
      %packed = transform.structured.pack %conv packed_sizes = [0, 0, 0, 16, 0, 0]
          {lh.bind = {static_packed_sizes = [0, 0, 0, "lanes", 0, 0]}} : (!op) -> !generic
      transform.annotate %packed "sums" : !generic
      %window = transform.get_producer_of_operand %packed[1] : (!generic) -> !pack
      %pad, %expand, %turned = transform.structured.lower_pack %window
          : (!pack) -> (!transform.op<"tensor.pad">,
             !transform.op<"tensor.expand_shape">, !transform.op<"linalg.transpose">)
    }
    // A pool's loops in the order of a convolution's: channels behind rows and columns.
    transform.foreach %pools : !op {
    ^bb0(%pool: !op):
      %packed = transform.structured.pack %pool packed_sizes = [0, 16, 0, 0, 0, 0]
          {lh.bind = {static_packed_sizes = [0, "lanes", 0, 0, 0, 0]}} : (!op) -> !generic
      %turned = transform.structured.interchange %packed
          iterator_interchange = [0, 2, 3, 1, 4, 5, 6] : (!generic) -> !generic
      transform.annotate %turned "sums" : !generic
    }
    transform.apply_patterns to %functions {
      transform.apply_patterns.linalg.fold_pack_unpack_into_empty
      transform.apply_patterns.canonicalization
    } : !op
    transform.yield
  }
}
