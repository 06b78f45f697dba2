func.func @main(%a: tensor<256x512xf32>, %b: tensor<512x384xf32>)
    -> tensor<256x384xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<256x384xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<256x384xf32>)
      -> tensor<256x384xf32>
  %product = linalg.matmul
      ins(%a, %b : tensor<256x512xf32>, tensor<512x384xf32>)
      outs(%zeros : tensor<256x384xf32>) -> tensor<256x384xf32>
  return %product : tensor<256x384xf32>
}
