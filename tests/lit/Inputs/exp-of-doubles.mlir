func.func @main(%a: tensor<5x7xf64>) -> tensor<5x7xf64> {
  %out = tensor.empty() : tensor<5x7xf64>
  %exp = linalg.exp ins(%a : tensor<5x7xf64>)
      outs(%out : tensor<5x7xf64>) -> tensor<5x7xf64>
  return %exp : tensor<5x7xf64>
}
