// The sum of a sparse vector times a dense one.
#V = #sparse_tensor.encoding<{ map = (i) -> (i : compressed), posWidth = 32, crdWidth = 32 }>
func.func @main(%a: tensor<75xf32, #V> {lh.name = "a"}, %x: tensor<75xf32> {lh.name = "x"})
    -> (tensor<f32> {lh.name = "y"}) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %y = linalg.dot ins(%a, %x : tensor<75xf32, #V>, tensor<75xf32>) outs(%init : tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}
