// No size fills a tile.
// CHECK-LABEL: func.func @main
// CHECK:       linalg.pack %arg1
// CHECK:       call @"{{[^"]*}}.product"(
// CHECK-NOT:   linalg.generic
func.func @main(%a: tensor<5x13xf32>, %b: tensor<13x17xf32>)
    -> tensor<5x17xf32> {
  %zero = arith.constant 0.0 : f32
  %out = tensor.empty() : tensor<5x17xf32>
  %start = linalg.fill ins(%zero : f32) outs(%out : tensor<5x17xf32>) -> tensor<5x17xf32>
  %product = linalg.matmul ins(%a, %b : tensor<5x13xf32>, tensor<13x17xf32>)
      outs(%start : tensor<5x17xf32>) -> tensor<5x17xf32>
  return %product : tensor<5x17xf32>
}
