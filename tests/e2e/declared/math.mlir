// erf, which polynomials approximate to a few units in the last place.
func.func @main(%x: tensor<4099xf32>) -> tensor<4099xf32> {
  %empty = tensor.empty() : tensor<4099xf32>
  %result = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]}
      ins(%x : tensor<4099xf32>) outs(%empty : tensor<4099xf32>) {
  ^bb0(%value: f32, %unused: f32):
    %erf = math.erf %value : f32
    linalg.yield %erf : f32
  } -> tensor<4099xf32>
  return %result : tensor<4099xf32>
}
