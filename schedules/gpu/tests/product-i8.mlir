// Bytes go to warps where warps multiply, and to loops elsewhere.
// CHOOSE:     lh.types = "i8 x i8 -> i32"
// TILE:       lh
// MAP-LABEL:  func.func @main
func.func @main(%a: tensor<33x70xi8>, %b: tensor<70x65xi8>)
    -> tensor<33x65xi32> {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<33x65xi32>
  %zeros = linalg.fill ins(%zero : i32) outs(%empty : tensor<33x65xi32>)
      -> tensor<33x65xi32>
  %product = linalg.matmul
      ins(%a, %b : tensor<33x70xi8>, tensor<70x65xi8>)
      outs(%zeros : tensor<33x65xi32>) -> tensor<33x65xi32>
  return %product : tensor<33x65xi32>
}
