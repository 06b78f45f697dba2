// Kind: wrong code
// Fault: `transform.structured.tile_using_forall` reads the scalable tile size `[4]` as 4, without an error. `tile_using_for` makes steps of `4 * vscale` of it.
// Expected: Tiles of `4 * vscale` elements, or an error.
// Ours: Schedules for scalable vectors use `tile_using_for`
// Change: `TileUsingForallOp` in `mlir/include/mlir/Dialect/Linalg/TransformOps/LinalgTransformOps.td` has no `scalable_sizes`, and its list of sizes accepts the brackets and forgets them. Add the attribute, and multiply by `vector.vscale` in `tileToForallOpImpl` as `TileUsingForOp::apply` does; until then, refuse the brackets.
// Upstream: No report known
//
// RUN: mlir-opt %s -transform-interpreter | FileCheck %s

module attributes {transform.with_named_sequence} {
  // CHECK-LABEL: func.func @exp
  //   CHECK-NOT:   vscale
  //       CHECK:   scf.forall (%{{.*}}) in (16)
  //       CHECK:     linalg.exp {{.*}} -> tensor<4xf32>
  func.func @exp(%x: tensor<64xf32>) -> tensor<64xf32> {
    %r = linalg.exp ins(%x : tensor<64xf32>) outs(%x : tensor<64xf32>) -> tensor<64xf32>
    return %r : tensor<64xf32>
  }

  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %exp = transform.structured.match ops{["linalg.exp"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_forall %exp tile_sizes [[4]] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
