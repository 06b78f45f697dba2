// A sum of seven bytes fills no word of eight.
func.func @main(%a: tensor<5x7xi8>, %b: tensor<7x24xi8>) -> tensor<5x24xi32> {
  %zero = arith.constant 0 : i32
  %out = tensor.empty() : tensor<5x24xi32>
  %init = linalg.fill ins(%zero : i32) outs(%out : tensor<5x24xi32>)
      -> tensor<5x24xi32>
  %y = linalg.matmul ins(%a, %b : tensor<5x7xi8>, tensor<7x24xi8>)
                     outs(%init : tensor<5x24xi32>) -> tensor<5x24xi32>
  return %y : tensor<5x24xi32>
}
