func.func @main(%x: tensor<64x64xi32>, %w: tensor<64x64xi32>)
    -> tensor<64x64xi32> {
  %empty = tensor.empty() : tensor<64x64xi32>
  %y = linalg.matmul ins(%x, %w : tensor<64x64xi32>, tensor<64x64xi32>)
      outs(%empty : tensor<64x64xi32>) -> tensor<64x64xi32>
  return %y : tensor<64x64xi32>
}
