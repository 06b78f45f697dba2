// Each channel less its mean, over its root: numbers that are repeated along rows,
// whose columns are of size 1.
#all = affine_map<(i, j, k, l) -> (i, j, k, l)>
#channel = affine_map<(i, j, k, l) -> (j)>
func.func @main(%x: tensor<3x2x11x1xf32>, %mean: tensor<2xf32>)
    -> tensor<3x2x11x1xf32> {
  %e = tensor.empty() : tensor<3x2x11x1xf32>
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %c = tensor.empty() : tensor<2xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%c : tensor<2xf32>) -> tensor<2xf32>
  %s = linalg.generic {indexing_maps = [#all, #channel],
      iterator_types = ["reduction", "parallel", "reduction", "reduction"]}
      ins(%x : tensor<3x2x11x1xf32>) outs(%s0 : tensor<2xf32>) {
  ^bb0(%a: f32, %b: f32):
    %q = arith.mulf %a, %a : f32
    %v = arith.addf %q, %b : f32
    linalg.yield %v : f32
  } -> tensor<2xf32>
  %y = linalg.generic {indexing_maps = [#all, #channel, #channel, #all],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %mean, %s : tensor<3x2x11x1xf32>, tensor<2xf32>, tensor<2xf32>)
      outs(%e : tensor<3x2x11x1xf32>) {
  ^bb0(%a: f32, %m: f32, %b: f32, %old: f32):
    %d = arith.subf %a, %m : f32
    %r = math.sqrt %b : f32
    %n = arith.addf %r, %one : f32
    %v = arith.divf %d, %n : f32
    linalg.yield %v : f32
  } -> tensor<3x2x11x1xf32>
  return %y : tensor<3x2x11x1xf32>
}
