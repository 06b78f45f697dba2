// Loops over nothing stay as they are, whatever they read: only the negation of
// what there is becomes strips.
// VECTOR-LABEL: func.func @main
// VECTOR-NOT: scf.for
// VECTOR:     tensor.extract
// VECTOR:     vector.transfer_write
#three = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#four = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#turned = affine_map<(d0, d1, d2, d3) -> (d3, d2, d1, d0)>
func.func @main(%a: tensor<2x3x4xf32>, %b: tensor<5x0x3x2xf32>)
    -> (tensor<2x3x0xf32>, tensor<2x3x0x5xf32>, tensor<2x3x4xf32>) {
  %c4 = arith.constant 4 : index
  %e0 = tensor.empty() : tensor<2x3x0xf32>
  %0 = linalg.generic {indexing_maps = [#three],
      iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%e0 : tensor<2x3x0xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %l = arith.addi %k, %c4 : index
    %x = tensor.extract %a[%i, %j, %l] : tensor<2x3x4xf32>
    linalg.yield %x : f32
  } -> tensor<2x3x0xf32>
  %e1 = tensor.empty() : tensor<2x3x0x5xf32>
  %1 = linalg.generic {indexing_maps = [#turned, #four],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%b : tensor<5x0x3x2xf32>) outs(%e1 : tensor<2x3x0x5xf32>) {
  ^bb0(%in: f32, %out: f32):
    %x = arith.negf %in : f32
    linalg.yield %x : f32
  } -> tensor<2x3x0x5xf32>
  %e2 = tensor.empty() : tensor<2x3x4xf32>
  %2 = linalg.generic {indexing_maps = [#three, #three],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a : tensor<2x3x4xf32>) outs(%e2 : tensor<2x3x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %x = arith.negf %in : f32
    linalg.yield %x : f32
  } -> tensor<2x3x4xf32>
  return %0, %1, %2
      : tensor<2x3x0xf32>, tensor<2x3x0x5xf32>, tensor<2x3x4xf32>
}
