// The sums of rows that are long enough for the order to matter.
func.func @main(%rows: tensor<7x4099xf32>) -> tensor<7xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<7xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<7xf32>)
      -> tensor<7xf32>
  %sums = linalg.reduce { arith.addf }
      ins(%rows : tensor<7x4099xf32>) outs(%init : tensor<7xf32>)
      dimensions = [1]
  return %sums : tensor<7xf32>
}
