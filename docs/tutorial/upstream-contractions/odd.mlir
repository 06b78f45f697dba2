// y = max(a b + bias, 0), of sizes that no tile divides.
func.func @product(%a: tensor<127x259xf32>, %b: tensor<259x513xf32>,
    %bias: tensor<513xf32>) -> tensor<127x513xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<127x513xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<127x513xf32>)
      -> tensor<127x513xf32>
  %product = linalg.matmul
      ins(%a, %b : tensor<127x259xf32>, tensor<259x513xf32>)
      outs(%start : tensor<127x513xf32>) -> tensor<127x513xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                       affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%product, %bias : tensor<127x513xf32>, tensor<513xf32>)
      outs(%empty : tensor<127x513xf32>) {
  ^bb0(%p: f32, %c: f32, %unused: f32):
    %sum = arith.addf %p, %c : f32
    %max = arith.maximumf %sum, %zero : f32
    linalg.yield %max : f32
  } -> tensor<127x513xf32>
  return %y : tensor<127x513xf32>
}
