// ReLU as a selection that NaN passes.
// CHECK-LABEL: func.func @main
// CHECK:       call @"{{[^"]*}}.product-relu"(
// CHECK-NOT:   linalg.generic
func.func @main(%a: tensor<29x20xf32>, %b: tensor<20x70xf32>)
    -> tensor<29x70xf32> {
  %zero = arith.constant 0.0 : f32
  %out = tensor.empty() : tensor<29x70xf32>
  %start = linalg.fill ins(%zero : f32) outs(%out : tensor<29x70xf32>) -> tensor<29x70xf32>
  %product = linalg.matmul ins(%a, %b : tensor<29x20xf32>, tensor<20x70xf32>)
      outs(%start : tensor<29x70xf32>) -> tensor<29x70xf32>
  %result = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%product : tensor<29x70xf32>) outs(%out : tensor<29x70xf32>) {
  ^bb0(%x: f32, %o: f32):
    %above = arith.cmpf ugt, %x, %zero : f32
    %r = arith.select %above, %x, %zero : f32
    linalg.yield %r : f32
  } -> tensor<29x70xf32>
  return %result : tensor<29x70xf32>
}
