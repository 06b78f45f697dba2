// SiLU of a product plus a bias: y = z sigmoid(z), z = a b + bias.
#each = affine_map<(m, n) -> (m, n)>
#column = affine_map<(m, n) -> (n)>
func.func @main(%a: tensor<37x50xf32>, %b: tensor<50x75xf32>,
                %bias: tensor<75xf32>) -> tensor<37x75xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %empty = tensor.empty() : tensor<37x75xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<37x75xf32>)
      -> tensor<37x75xf32>
  %product = linalg.matmul
      ins(%a, %b : tensor<37x50xf32>, tensor<50x75xf32>)
      outs(%start : tensor<37x75xf32>) -> tensor<37x75xf32>
  %biased = linalg.generic {
      indexing_maps = [#each, #column, #each],
      iterator_types = ["parallel", "parallel"]}
      ins(%product, %bias : tensor<37x75xf32>, tensor<75xf32>)
      outs(%empty : tensor<37x75xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %z = arith.addf %x, %y : f32
    linalg.yield %z : f32
  } -> tensor<37x75xf32>
  %sigmoid = linalg.generic {
      indexing_maps = [#each, #each], iterator_types = ["parallel", "parallel"]}
      ins(%biased : tensor<37x75xf32>) outs(%empty : tensor<37x75xf32>) {
  ^bb0(%x: f32, %old: f32):
    %minus = arith.negf %x : f32
    %power = math.exp %minus : f32
    %sum = arith.addf %power, %one : f32
    %y = arith.divf %one, %sum : f32
    linalg.yield %y : f32
  } -> tensor<37x75xf32>
  %silu = linalg.generic {
      indexing_maps = [#each, #each, #each],
      iterator_types = ["parallel", "parallel"]}
      ins(%biased, %sigmoid : tensor<37x75xf32>, tensor<37x75xf32>)
      outs(%empty : tensor<37x75xf32>) {
  ^bb0(%x: f32, %s: f32, %old: f32):
    %y = arith.mulf %x, %s : f32
    linalg.yield %y : f32
  } -> tensor<37x75xf32>
  return %silu : tensor<37x75xf32>
}
