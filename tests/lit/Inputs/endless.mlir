func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %true = arith.constant true
  %r = scf.while (%t = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    scf.condition(%true) %t : tensor<4xf32>
  } do {
  ^bb0(%t: tensor<4xf32>):
    %out = tensor.empty() : tensor<4xf32>
    %s = linalg.add ins(%t, %x : tensor<4xf32>, tensor<4xf32>)
      outs(%out : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
