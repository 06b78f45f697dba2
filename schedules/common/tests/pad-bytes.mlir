// CHECK-LABEL: func.func @main
// CHECK:       linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<64x12xi8>, tensor<12x64xi8>) outs(%{{.*}} : tensor<64x64xi32>)
func.func @main(%a: tensor<40x9xi8>, %b: tensor<9x50xi8>) -> tensor<40x50xi32> {
  %zero = arith.constant 0 : i32
  %out = tensor.empty() : tensor<40x50xi32>
  %start = linalg.fill ins(%zero : i32) outs(%out : tensor<40x50xi32>) -> tensor<40x50xi32>
  %product = linalg.matmul ins(%a, %b : tensor<40x9xi8>, tensor<9x50xi8>)
      outs(%start : tensor<40x50xi32>) -> tensor<40x50xi32>
  return %product : tensor<40x50xi32>
}
