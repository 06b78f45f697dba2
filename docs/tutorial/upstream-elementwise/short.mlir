// Rows of seven numbers: y = max(a b, 0).
#each = affine_map<(m, n) -> (m, n)>
func.func @chain(%a: tensor<4099x7xf32>, %b: tensor<4099x7xf32>) -> tensor<4099x7xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4099x7xf32>
  %y = linalg.generic {
      indexing_maps = [#each, #each, #each], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<4099x7xf32>, tensor<4099x7xf32>)
      outs(%empty : tensor<4099x7xf32>) {
  ^bb0(%p: f32, %q: f32, %old: f32):
    %product = arith.mulf %p, %q : f32
    %positive = arith.maximumf %product, %zero : f32
    linalg.yield %positive : f32
  } -> tensor<4099x7xf32>
  return %y : tensor<4099x7xf32>
}
