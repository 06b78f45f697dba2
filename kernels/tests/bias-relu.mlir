// CHECK-LABEL: func.func @main
// CHECK:       call @"{{[^"]*}}.product-bias-relu"(
// CHECK-NOT:   linalg.generic
func.func @main(%a: tensor<100x200xf32>, %b: tensor<200x130xf32>, %bias: tensor<130xf32>)
    -> tensor<100x130xf32> {
  %zero = arith.constant 0.0 : f32
  %out = tensor.empty() : tensor<100x130xf32>
  %start = linalg.fill ins(%zero : f32) outs(%out : tensor<100x130xf32>) -> tensor<100x130xf32>
  %product = linalg.matmul ins(%a, %b : tensor<100x200xf32>, tensor<200x130xf32>)
      outs(%start : tensor<100x130xf32>) -> tensor<100x130xf32>
  %result = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                       affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%product, %bias : tensor<100x130xf32>, tensor<130xf32>) outs(%out : tensor<100x130xf32>) {
  ^bb0(%x: f32, %d: f32, %o: f32):
    %s = arith.addf %x, %d : f32
    %r = arith.maximumf %s, %zero : f32
    linalg.yield %r : f32
  } -> tensor<100x130xf32>
  return %result : tensor<100x130xf32>
}
