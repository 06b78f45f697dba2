#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
func.func @main(%a: tensor<5x11xf32>, %b: tensor<11xf32>) -> tensor<5x11xf32> {
  %zero = arith.constant 0.0 : f32
  %out = tensor.empty() : tensor<5x11xf32>
  %0 = linalg.generic {indexing_maps = [#id, #row, #id],
                       iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<5x11xf32>, tensor<11xf32>)
      outs(%out : tensor<5x11xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %1 = arith.addf %x, %y : f32
    %2 = arith.maximumf %1, %zero : f32
    linalg.yield %2 : f32
  } -> tensor<5x11xf32>
  return %0 : tensor<5x11xf32>
}
