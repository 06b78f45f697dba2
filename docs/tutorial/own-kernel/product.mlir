func.func @main(%a: tensor<130x200xi8>, %b: tensor<200x150xi8>) -> tensor<130x150xi32> {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<130x150xi32>
  %start = linalg.fill ins(%zero : i32) outs(%empty : tensor<130x150xi32>) -> tensor<130x150xi32>
  %c = linalg.matmul ins(%a, %b : tensor<130x200xi8>, tensor<200x150xi8>)
      outs(%start : tensor<130x150xi32>) -> tensor<130x150xi32>
  return %c : tensor<130x150xi32>
}
