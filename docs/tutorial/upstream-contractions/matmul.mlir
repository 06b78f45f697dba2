// y = max(a b, 0)
func.func @product(%a: tensor<512x512xf32>, %b: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<512x512xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<512x512xf32>) -> tensor<512x512xf32>
  %product = linalg.matmul
      ins(%a, %b : tensor<512x512xf32>, tensor<512x512xf32>)
      outs(%start : tensor<512x512xf32>) -> tensor<512x512xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%product : tensor<512x512xf32>) outs(%empty : tensor<512x512xf32>) {
  ^bb0(%p: f32, %unused: f32):
    %max = arith.maximumf %p, %zero : f32
    linalg.yield %max : f32
  } -> tensor<512x512xf32>
  return %y : tensor<512x512xf32>
}
