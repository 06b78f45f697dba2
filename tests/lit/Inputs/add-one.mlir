func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %one = arith.constant dense<1.0> : tensor<2x3xf32>
  %empty = tensor.empty() : tensor<2x3xf32>
  %sum = linalg.add ins(%x, %one : tensor<2x3xf32>, tensor<2x3xf32>)
                    outs(%empty : tensor<2x3xf32>) -> tensor<2x3xf32>
  return %sum : tensor<2x3xf32>
}
