// 1600 MB.
func.func @main(%x: tensor<4xf32>) -> tensor<?xf32> {
  %n = arith.constant 400000000 : index
  %one = arith.constant 1.0 : f32
  %big = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.fill ins(%one : f32) outs(%big : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
