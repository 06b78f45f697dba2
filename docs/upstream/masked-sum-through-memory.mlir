// Kind: slow code
// Fault: The partial sums of a row whose length is no multiple of the vector go through a slice of unknown size in each iteration: read under a mask, written under it, inserted. The loop carries a tensor, so the sums are stored and loaded each time. With a known length, `hoist_loop_invariant_subsets` makes the loop carry the vector.
// Expected: The loop carries `vector<8x16xf32>`, and adds only lanes under the mask.
// Ours: `lh-vectorize-rows`
// Change: Masked vectorization (`VectorizationState::maskOperation` in `mlir/lib/Dialect/Linalg/Transforms/Vectorization.cpp`) masks all reads and writes of an op by one mask of its iteration space. For a tiled reduction into partial sums the output could be read and written whole, with an `arith.select` by the mask between the old and the new sum; `tile_reduction_using_for` (partial reductions in `mlir/lib/Dialect/SCF/Transforms/TileUsingInterface.cpp`) would have to pass the whole accumulator for that.
// Upstream: No report known
//
// RUN: mlir-opt %s -transform-interpreter | FileCheck %s

#row = affine_map<(i, j) -> (i)>
#id = affine_map<(i, j) -> (i, j)>
module attributes {transform.with_named_sequence} {
  // CHECK-LABEL: func.func @unknown_length
  //       CHECK:   scf.for {{.*}} iter_args(%[[SUMS:.*]] = %{{.*}}) -> (tensor<8x16xf32>) {
  //       CHECK:     %[[PART:.*]] = tensor.extract_slice %[[SUMS]]
  //       CHECK:     %[[OLD:.*]] = vector.transfer_read %[[PART]]{{.*}}, %[[MASK:[0-9a-z_]+]] {
  //       CHECK:     arith.addf %[[OLD]]
  //       CHECK:     vector.transfer_write {{.*}}, %[[MASK]] {
  //       CHECK:     tensor.insert_slice {{.*}} into %[[SUMS]]
  func.func @unknown_length(%x: tensor<8x?xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
    %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<8x?xf32>) outs(%o : tensor<8xf32>) {
    ^bb0(%a: f32, %s: f32):
      %t = arith.addf %s, %a : f32
      linalg.yield %t : f32
    } -> tensor<8xf32>
    return %r : tensor<8xf32>
  }

  // CHECK-LABEL: func.func @known_length
  //       CHECK:   scf.for {{.*}} iter_args({{.*}} -> (tensor<8x16xf32>, vector<8x16xf32>) {
  func.func @known_length(%x: tensor<8x64xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
    %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<8x64xf32>) outs(%o : tensor<8xf32>) {
    ^bb0(%a: f32, %s: f32):
      %t = arith.addf %s, %a : f32
      linalg.yield %t : f32
    } -> tensor<8xf32>
    return %r : tensor<8xf32>
  }

  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %sums = transform.structured.match ops{["linalg.generic"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.foreach %sums : !transform.any_op {
    ^bb0(%sum: !transform.any_op):
      %fill, %part, %merge, %loop = transform.structured.tile_reduction_using_for %sum by tile_sizes = [0, 16]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
      transform.structured.vectorize %part vector_sizes [8, 16] : !transform.any_op
    }
    %functions = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %functions {
      transform.apply_patterns.vector.lower_masked_transfers
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    %loops = transform.structured.match ops{["scf.for"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.loop.hoist_loop_invariant_subsets %loops : !transform.any_op
    transform.yield
  }
}
