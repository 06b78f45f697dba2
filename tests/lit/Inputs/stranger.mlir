func.func private @nobody_has_this(f32) -> f32
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %out = tensor.empty() : tensor<4xf32>
  %r = linalg.map ins(%x : tensor<4xf32>) outs(%out : tensor<4xf32>)
    (%a: f32, %o: f32) {
      %s = func.call @nobody_has_this(%a) : (f32) -> f32
      linalg.yield %s : f32
    }
  return %r : tensor<4xf32>
}
