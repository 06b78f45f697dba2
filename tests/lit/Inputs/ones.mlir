// One kernel on one buffer, which a driver that stands for another can run.
func.func @main() -> tensor<64xf32> {
  %one = arith.constant 1.0 : f32
  %empty = tensor.empty() : tensor<64xf32>
  %y = linalg.fill ins(%one : f32) outs(%empty : tensor<64xf32>) -> tensor<64xf32>
  return %y : tensor<64xf32>
}
