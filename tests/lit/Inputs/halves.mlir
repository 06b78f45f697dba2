// bf16, summed up in f32; 10 of them fill 2 words of 4 and a part of one.
func.func @main(%a: tensor<7x10xbf16>, %b: tensor<10x33xbf16>)
    -> tensor<7x33xf32> {
  %zero = arith.constant 0.0 : f32
  %out = tensor.empty() : tensor<7x33xf32>
  %init = linalg.fill ins(%zero : f32) outs(%out : tensor<7x33xf32>)
      -> tensor<7x33xf32>
  %y = linalg.matmul ins(%a, %b : tensor<7x10xbf16>, tensor<10x33xbf16>)
                     outs(%init : tensor<7x33xf32>) -> tensor<7x33xf32>
  return %y : tensor<7x33xf32>
}
