// Rows that strips of no length divide: their maximum, which watches for NaN;
// the sum of their sines, which are calls; the product of all their numbers.
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @main(%x: tensor<3x67xf32>)
    -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %r = tensor.empty() : tensor<3xf32>
  %m0 = linalg.fill ins(%lowest : f32) outs(%r : tensor<3xf32>) -> tensor<3xf32>
  %m = linalg.generic {indexing_maps = [#id, #row],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<3x67xf32>) outs(%m0 : tensor<3xf32>) {
  ^bb0(%a: f32, %b: f32):
    %v = arith.maximumf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<3xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%r : tensor<3xf32>) -> tensor<3xf32>
  %s = linalg.generic {indexing_maps = [#id, #row],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<3x67xf32>) outs(%s0 : tensor<3xf32>) {
  ^bb0(%a: f32, %b: f32):
    %sine = math.sin %a : f32
    %v = arith.addf %sine, %b : f32
    linalg.yield %v : f32
  } -> tensor<3xf32>
  %p0 = linalg.fill ins(%one : f32) outs(%r : tensor<3xf32>) -> tensor<3xf32>
  %p = linalg.generic {indexing_maps = [#id, #row],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<3x67xf32>) outs(%p0 : tensor<3xf32>) {
  ^bb0(%a: f32, %b: f32):
    %v = arith.mulf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<3xf32>
  return %m, %s, %p : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}
