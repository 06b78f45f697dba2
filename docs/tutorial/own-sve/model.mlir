// A product of which no size is a multiple of a vector, at any length.
func.func @main(%a: tensor<61x127xf32>, %b: tensor<127x259xf32>)
    -> tensor<61x259xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<61x259xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<61x259xf32>)
      -> tensor<61x259xf32>
  %c = linalg.matmul ins(%a, %b : tensor<61x127xf32>, tensor<127x259xf32>)
      outs(%start : tensor<61x259xf32>) -> tensor<61x259xf32>
  return %c : tensor<61x259xf32>
}
