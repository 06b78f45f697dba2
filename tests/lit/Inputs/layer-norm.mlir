// Rows less their mean, by the root of their variance.
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @main(%x: tensor<5x43xf32>) -> tensor<5x43xf32> {
  %zero = arith.constant 0.0 : f32
  %size = arith.constant 43.0 : f32
  %little = arith.constant 1.0e-5 : f32
  %e = tensor.empty() : tensor<5x43xf32>
  %r = tensor.empty() : tensor<5xf32>
  %z = linalg.fill ins(%zero : f32) outs(%r : tensor<5xf32>) -> tensor<5xf32>
  %s = linalg.generic {indexing_maps = [#id, #row],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<5x43xf32>) outs(%z : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32):
    %v = arith.addf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<5xf32>
  %d = linalg.generic {indexing_maps = [#id, #row, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<5x43xf32>, tensor<5xf32>)
      outs(%e : tensor<5x43xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %mean = arith.divf %b, %size : f32
    %v = arith.subf %a, %mean : f32
    linalg.yield %v : f32
  } -> tensor<5x43xf32>
  %q = linalg.generic {indexing_maps = [#id, #row],
      iterator_types = ["parallel", "reduction"]}
      ins(%d : tensor<5x43xf32>) outs(%z : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32):
    %square = arith.mulf %a, %a : f32
    %v = arith.addf %b, %square : f32
    linalg.yield %v : f32
  } -> tensor<5xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%d, %q : tensor<5x43xf32>, tensor<5xf32>)
      outs(%e : tensor<5x43xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %variance = arith.divf %b, %size : f32
    %more = arith.addf %variance, %little : f32
    %root = math.sqrt %more : f32
    %v = arith.divf %a, %root : f32
    linalg.yield %v : f32
  } -> tensor<5x43xf32>
  return %y : tensor<5x43xf32>
}
