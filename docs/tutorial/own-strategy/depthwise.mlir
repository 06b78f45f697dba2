// Depthwise convolutions along one dimension, vectors along the channels.
//
// Expects: linalg.depthwise_conv_1d_nwc_wc of known sizes on tensors.
// Result:  loops over images, strips of channels and tiles of points; in a tile,
//   sums in registers over all of the window. What doesn't fill a tile gets loops
//   of its own.
// Parameters: points and channels of a tile: points x channels sums.
!op = !transform.any_op
!size = !transform.param<i64>
module attributes {transform.with_named_sequence} {
  transform.named_sequence @peel(%function: !op {transform.consumed}) -> !op {
    %peeled = transform.apply_registered_pass "scf-for-loop-peeling"
        to %function : (!op) -> !op
    transform.apply_patterns to %peeled {
      transform.apply_patterns.linalg.tiling_canonicalization
      transform.apply_patterns.scf.for_loop_canonicalization
      transform.apply_patterns.canonicalization
    } : !op
    transform.yield %peeled : !op
  }

  transform.named_sequence @convolve(
      %root: !op {transform.readonly},
      %points: !size {transform.readonly, lh.name = "points"},
      %channels: !size {transform.readonly, lh.name = "channels"}) {
    %all = transform.structured.match ops{["linalg.depthwise_conv_1d_nwc_wc"]}
        in %root : (!op) -> !op
    // Images, strips of channels, points.
    %tiled, %loops:3 = transform.structured.fuse %all
        tile_sizes [1, %points, %channels] interchange [0, 2, 1]
        : (!op, !size, !size) -> (!op, !op, !op, !op)
    %tiles = transform.structured.match interface{LinalgOp} in %loops#0
        : (!op) -> !op
    transform.annotate %tiles "own.depthwise" : !op
    // Of the loop over channels, and of that over points.
    %whole = transform.structured.match ops{["func.func"]} in %root : (!op) -> !op
    %once = transform.include @peel failures(propagate) (%whole) : (!op) -> !op
    %twice = transform.include @peel failures(propagate) (%once) : (!op) -> !op
    // All sizes of a tile are known now.
    %parts = transform.structured.match attributes{own.depthwise} in %root
        : (!op) -> !op
    transform.structured.vectorize %parts : !op
    transform.apply_patterns to %twice {
      transform.apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers
      transform.apply_patterns.canonicalization
    } : !op
    transform.apply_cse to %twice : !op
    transform.yield
  }
}
