func.func @main(%a: tensor<5x7xf64>) -> tensor<5x7xf64> {
  %out = tensor.empty() : tensor<5x7xf64>
  %sum = linalg.add ins(%a, %a : tensor<5x7xf64>, tensor<5x7xf64>)
      outs(%out : tensor<5x7xf64>) -> tensor<5x7xf64>
  return %sum : tensor<5x7xf64>
}
