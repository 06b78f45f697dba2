func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf16>) {
  %one = arith.constant dense<1.0> : tensor<2x3xf32>
  %empty = tensor.empty() : tensor<2x3xf32>
  %sum = linalg.add ins(%x, %one : tensor<2x3xf32>, tensor<2x3xf32>)
                    outs(%empty : tensor<2x3xf32>) -> tensor<2x3xf32>
  %narrow_empty = tensor.empty() : tensor<2x3xf16>
  %narrow = linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%sum : tensor<2x3xf32>) outs(%narrow_empty : tensor<2x3xf16>) {
  ^bb0(%wide: f32, %old: f16):
    %rounded = arith.truncf %wide : f32 to f16
    linalg.yield %rounded : f16
  } -> tensor<2x3xf16>
  return %sum, %narrow : tensor<2x3xf32>, tensor<2x3xf16>
}
