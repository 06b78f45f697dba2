// Rows of a product, normalized: z = a b + bias, y = z rsqrt(mean(z z) + epsilon).
#each = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
#column = affine_map<(m, n) -> (n)>
func.func @main(%a: tensor<137x45xf32>, %b: tensor<45x83xf32>,
                %bias: tensor<83xf32>) -> tensor<137x83xf32> {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 83.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %empty = tensor.empty() : tensor<137x83xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<137x83xf32>)
      -> tensor<137x83xf32>
  %product = linalg.matmul ins(%a, %b : tensor<137x45xf32>, tensor<45x83xf32>)
      outs(%start : tensor<137x83xf32>) -> tensor<137x83xf32>
  %z = linalg.generic {
      indexing_maps = [#each, #column, #each],
      iterator_types = ["parallel", "parallel"]}
      ins(%product, %bias : tensor<137x83xf32>, tensor<83xf32>)
      outs(%empty : tensor<137x83xf32>) {
  ^bb0(%x: f32, %add: f32, %old: f32):
    %sum = arith.addf %x, %add : f32
    linalg.yield %sum : f32
  } -> tensor<137x83xf32>
  %none = tensor.empty() : tensor<137xf32>
  %nothing = linalg.fill ins(%zero : f32) outs(%none : tensor<137xf32>)
      -> tensor<137xf32>
  %squares = linalg.generic {
      indexing_maps = [#each, #row], iterator_types = ["parallel", "reduction"]}
      ins(%z : tensor<137x83xf32>) outs(%nothing : tensor<137xf32>) {
  ^bb0(%x: f32, %old: f32):
    %square = arith.mulf %x, %x : f32
    %sum = arith.addf %old, %square : f32
    linalg.yield %sum : f32
  } -> tensor<137xf32>
  %y = linalg.generic {
      indexing_maps = [#each, #row, #each],
      iterator_types = ["parallel", "parallel"]}
      ins(%z, %squares : tensor<137x83xf32>, tensor<137xf32>)
      outs(%empty : tensor<137x83xf32>) {
  ^bb0(%x: f32, %sum: f32, %old: f32):
    %mean = arith.divf %sum, %count : f32
    %shifted = arith.addf %mean, %epsilon : f32
    %root = math.rsqrt %shifted : f32
    %scaled = arith.mulf %x, %root : f32
    linalg.yield %scaled : f32
  } -> tensor<137x83xf32>
  return %y : tensor<137x83xf32>
}
