// What computes in front of a shuffle keeps its rows: 24 numbers, not 2.
// CHECK-LABEL: func.func @main
// CHECK:       linalg.generic {{.*}}ins(%{{.*}} : tensor<9x24xf32>)
// CHECK:       arith.maximumf
// CHECK:       tensor.expand_shape {{.*}} into tensor<9x12x2xf32>
#rows = affine_map<(d0, d1) -> (d0, d1)>
#in = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
#out = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @main(%a: tensor<9x24xf32>) -> tensor<9x2x12xf32> {
  %zero = arith.constant 0.0 : f32
  %rows = tensor.empty() : tensor<9x24xf32>
  %clipped = linalg.generic {indexing_maps = [#rows, #rows],
      iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<9x24xf32>) outs(%rows : tensor<9x24xf32>) {
  ^bb0(%x: f32, %unused: f32):
    %most = arith.maximumf %x, %zero : f32
    linalg.yield %most : f32
  } -> tensor<9x24xf32>
  %parts = tensor.expand_shape %clipped [[0], [1, 2]] output_shape [9, 12, 2]
      : tensor<9x24xf32> into tensor<9x12x2xf32>
  %other = tensor.empty() : tensor<9x2x12xf32>
  %shuffled = linalg.generic {indexing_maps = [#in, #out],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%parts : tensor<9x12x2xf32>) outs(%other : tensor<9x2x12xf32>) {
  ^bb0(%x: f32, %unused: f32):
    linalg.yield %x : f32
  } -> tensor<9x2x12xf32>
  return %shuffled : tensor<9x2x12xf32>
}
