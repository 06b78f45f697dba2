// Kind: slow code
// Fault: The linalg vectorizer reads a `tensor.extract` as one row (`vector.transfer_read`) only where the index of the row is a `linalg.index` of a loop of one iteration or comes from outside of the op. If the index comes from an operand, as ONNX's Gather and an embedding have it, the op becomes a `vector.gather`, which loads each element by itself.
// Expected: `vector.transfer_read` of 16 elements of the row that the operand names, as that operand is the same for all lanes.
// Ours: `lh-slice-gathers`
// Change: `isLoopInvariantIdx` in `mlir/lib/Dialect/Linalg/Transforms/Vectorization.cpp` returns false for a block argument of the op. It can return true for one whose indexing map names only loops of one iteration, or loops that the vector's last dimension doesn't come from.
// Upstream: No report known
//
// RUN: mlir-opt %s -transform-interpreter -canonicalize | FileCheck %s

#row = affine_map<(i, c) -> (i)>
#id = affine_map<(i, c) -> (i, c)>
module attributes {transform.with_named_sequence} {
  // CHECK-LABEL: func.func @by_operand
  //   CHECK-NOT:   vector.transfer_read %{{.*}} : tensor<10x16xf32>
  //       CHECK:   vector.gather
  func.func @by_operand(%table: tensor<10x16xf32>, %rows: tensor<1xindex>, %out: tensor<1x16xf32>) -> tensor<1x16xf32> {
    %r = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}
        ins(%rows : tensor<1xindex>) outs(%out : tensor<1x16xf32>) {
    ^bb0(%row: index, %o: f32):
      %column = linalg.index 1 : index
      %e = tensor.extract %table[%row, %column] : tensor<10x16xf32>
      linalg.yield %e : f32
    } -> tensor<1x16xf32>
    return %r : tensor<1x16xf32>
  }

  // The same with an index from outside.
  // CHECK-LABEL: func.func @from_outside
  //   CHECK-NOT:   vector.gather
  //       CHECK:   vector.transfer_read %{{.*}} : tensor<10x16xf32>, vector<1x16xf32>
  func.func @from_outside(%table: tensor<10x16xf32>, %row: index, %out: tensor<1x16xf32>) -> tensor<1x16xf32> {
    %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]}
        outs(%out : tensor<1x16xf32>) {
    ^bb0(%o: f32):
      %column = linalg.index 1 : index
      %e = tensor.extract %table[%row, %column] : tensor<10x16xf32>
      linalg.yield %e : f32
    } -> tensor<1x16xf32>
    return %r : tensor<1x16xf32>
  }

  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %ops = transform.structured.match ops{["linalg.generic"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.structured.vectorize %ops {vectorize_nd_extract} : !transform.any_op
    transform.yield
  }
}
