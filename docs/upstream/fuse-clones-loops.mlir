// Kind: slow compilation
// Fault: `transform.structured.fuse` clones a loop into the next one for each op that it fuses and that reads the loop's result. The clones are dead, but the next fusion clones them, too: of n normalizations in a row, each a loop by itself, the last has about 2ⁿ loops. A BERT of 12 layers took more than 12 GB.
// Expected: Two loops here, the second with two ops.
// Ours: `lib:upstream/rows` applies `transform.apply_dce` behind each fusion; `transform.lh.fuse_into`
// Change: `tileAndFuseProducerOfSlice` in `mlir/lib/Dialect/SCF/Transforms/TileUsingInterface.cpp` clones the owner of a slice's source, to fuse into the clone; where it then finds no tiling interface, it leaves the clone. Look for the interface before.
// Upstream: No report known
//
// RUN: mlir-opt %s -transform-interpreter | FileCheck %s

module attributes {transform.with_named_sequence} {
  // CHECK-LABEL: func.func @chain
  //       CHECK:   scf.forall
  //       CHECK:     linalg.exp
  //       CHECK:   scf.forall
  //  The clone:
  //       CHECK:     scf.forall
  //       CHECK:       linalg.exp
  //       CHECK:     linalg.negf
  //       CHECK:     linalg.abs
  func.func @chain(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
    %e = tensor.empty() : tensor<8x64xf32>
    %0 = linalg.exp {first} ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
    %1 = linalg.negf ins(%0 : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
    %2 = linalg.abs {second} ins(%1 : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
    return %2 : tensor<8x64xf32>
  }

  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %first = transform.structured.match attributes{first} in %root : (!transform.any_op) -> !transform.any_op
    %t1, %l1 = transform.structured.fuse %first tile_sizes [1] {use_forall}
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %second = transform.structured.match attributes{second} in %root : (!transform.any_op) -> !transform.any_op
    %t2, %l2 = transform.structured.fuse %second tile_sizes [1] {use_forall}
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
