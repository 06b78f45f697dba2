func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {
  %y = tensor.empty() : tensor<4xi32>
  return %y : tensor<4xi32>
}
