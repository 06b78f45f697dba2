// The channels of each pixel are turned as a matrix of 6 x 5, in registers. One of
// 18 x 17 is more than registers hold, and a slice of a tensor isn't a pixel's.
// VECTOR-LABEL: func.func @main
// VECTOR:       vector.transfer_read {{.*}} tensor<35x5x6xf32>, vector<1x5x6xf32>
// VECTOR:       vector.shuffle {{.*}} : vector<30xf32>, vector<30xf32>
// VECTOR:       vector.transfer_write {{.*}} vector<1x6x5xf32>, tensor<35x6x5xf32>
// VECTOR-NOT:   vector<1x18x17xf32>
// VECTOR-NOT:   vector<1x5x35xf32>
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#slices = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
#planes = affine_map<(d0, d1, d2) -> (d1, d0, d2)>
#kinds = ["parallel", "parallel", "parallel"]
func.func @main(%a: tensor<35x30xf32>, %b: tensor<3x17x18xf32>, %c: tensor<5x6x35xf32>)
    -> (tensor<35x30xf32>, tensor<3x18x17xf32>, tensor<6x5x35xf32>) {
  %pixels = tensor.expand_shape %a [[0], [1, 2]] output_shape [35, 5, 6]
      : tensor<35x30xf32> into tensor<35x5x6xf32>
  %e = tensor.empty() : tensor<35x6x5xf32>
  %turned = linalg.generic {indexing_maps = [#slices, #id], iterator_types = #kinds}
      ins(%pixels : tensor<35x5x6xf32>) outs(%e : tensor<35x6x5xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  } -> tensor<35x6x5xf32>
  %r = tensor.collapse_shape %turned [[0], [1, 2]]
      : tensor<35x6x5xf32> into tensor<35x30xf32>
  %f = tensor.empty() : tensor<3x18x17xf32>
  %large = linalg.generic {indexing_maps = [#slices, #id], iterator_types = #kinds}
      ins(%b : tensor<3x17x18xf32>) outs(%f : tensor<3x18x17xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  } -> tensor<3x18x17xf32>
  %g = tensor.empty() : tensor<6x5x35xf32>
  %swapped = linalg.generic {indexing_maps = [#planes, #id], iterator_types = #kinds}
      ins(%c : tensor<5x6x35xf32>) outs(%g : tensor<6x5x35xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  } -> tensor<6x5x35xf32>
  return %r, %large, %swapped : tensor<35x30xf32>, tensor<3x18x17xf32>, tensor<6x5x35xf32>
}
