// A product of pixels with a bias, then a rectifier on the image: the rectifier
// takes the product's shape and is computed with the bias.
// CHECK-LABEL: func.func @main
// CHECK:       %[[P:.*]] = linalg.matmul
// CHECK:       %[[E:.*]] = linalg.generic {{.*}}%[[P]]
// CHECK:         arith.addf
// CHECK-NEXT:    arith.maximumf
// CHECK-NEXT:    arith.minimumf
// CHECK:       tensor.expand_shape %[[E]]
// CHECK-NOT:   linalg.generic
#pixels = affine_map<(i, j) -> (i, j)>
#columns = affine_map<(i, j) -> (j)>
#image = affine_map<(n, y, x, c) -> (n, y, x, c)>
func.func @main(%a: tensor<35x18xf32>, %b: tensor<18x33xf32>,
                %bias: tensor<33xf32>) -> tensor<1x5x7x33xf32> {
  %zero = arith.constant 0.0 : f32
  %six = arith.constant 6.0 : f32
  %e = tensor.empty() : tensor<35x33xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<35x33xf32>)
      -> tensor<35x33xf32>
  %p = linalg.matmul ins(%a, %b : tensor<35x18xf32>, tensor<18x33xf32>)
                     outs(%zeros : tensor<35x33xf32>) -> tensor<35x33xf32>
  %biased = linalg.generic {indexing_maps = [#pixels, #columns, #pixels],
      iterator_types = ["parallel", "parallel"]}
      ins(%p, %bias : tensor<35x33xf32>, tensor<33xf32>)
      outs(%e : tensor<35x33xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<35x33xf32>
  %image = tensor.expand_shape %biased [[0, 1, 2], [3]]
      output_shape [1, 5, 7, 33] : tensor<35x33xf32> into tensor<1x5x7x33xf32>
  %out = tensor.empty() : tensor<1x5x7x33xf32>
  %clipped = linalg.generic {indexing_maps = [#image, #image],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%image : tensor<1x5x7x33xf32>) outs(%out : tensor<1x5x7x33xf32>) {
  ^bb0(%x: f32, %old: f32):
    %m = arith.maximumf %x, %zero : f32
    %n = arith.minimumf %m, %six : f32
    linalg.yield %n : f32
  } -> tensor<1x5x7x33xf32>
  return %clipped : tensor<1x5x7x33xf32>
}
