func.func @main(%a: tensor<13x17xf32> {lh.name = "a"},
                %b: tensor<17x11xf32> {lh.name = "b"}) -> tensor<13x11xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<13x11xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<13x11xf32>)
      -> tensor<13x11xf32>
  %product = linalg.matmul ins(%a, %b : tensor<13x17xf32>, tensor<17x11xf32>)
      outs(%init : tensor<13x11xf32>) -> tensor<13x11xf32>
  return %product : tensor<13x11xf32>
}
