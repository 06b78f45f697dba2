// A gather as im2col makes it: tiling would take the quotient for linear.
// VECTOR-LABEL: func.func @main
// VECTOR:       linalg.generic
func.func @main(%a: tensor<3x70xf32>) -> tensor<6x70xf32> {
  %out = tensor.empty() : tensor<6x70xf32>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i floordiv 2, j)>,
                       affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<3x70xf32>) outs(%out : tensor<6x70xf32>) {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  } -> tensor<6x70xf32>
  return %0 : tensor<6x70xf32>
}
