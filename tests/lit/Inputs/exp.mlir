func.func @main(%x: tensor<40xf32>) -> tensor<40xf32> {
  %e = tensor.empty() : tensor<40xf32>
  %y = linalg.exp ins(%x : tensor<40xf32>) outs(%e : tensor<40xf32>)
    -> tensor<40xf32>
  return %y : tensor<40xf32>
}
