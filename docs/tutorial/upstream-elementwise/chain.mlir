// A chain of elementwise ops: y = max(x scale + shift, 0) + x, where scale and
// shift have a number for each column.
#each = affine_map<(m, n) -> (m, n)>
#column = affine_map<(m, n) -> (n)>
func.func @chain(%x: tensor<61x1003xf32>, %scale: tensor<1003xf32>,
                %shift: tensor<1003xf32>) -> tensor<61x1003xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<61x1003xf32>
  %product = linalg.generic {
      indexing_maps = [#each, #column, #each], iterator_types = ["parallel", "parallel"]}
      ins(%x, %scale : tensor<61x1003xf32>, tensor<1003xf32>)
      outs(%empty : tensor<61x1003xf32>) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %r = arith.mulf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<61x1003xf32>
  %sum = linalg.generic {
      indexing_maps = [#each, #column, #each], iterator_types = ["parallel", "parallel"]}
      ins(%product, %shift : tensor<61x1003xf32>, tensor<1003xf32>)
      outs(%empty : tensor<61x1003xf32>) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<61x1003xf32>
  %y = linalg.generic {
      indexing_maps = [#each, #each, #each], iterator_types = ["parallel", "parallel"]}
      ins(%sum, %x : tensor<61x1003xf32>, tensor<61x1003xf32>)
      outs(%empty : tensor<61x1003xf32>) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %positive = arith.maximumf %a, %zero : f32
    %r = arith.addf %positive, %b : f32
    linalg.yield %r : f32
  } -> tensor<61x1003xf32>
  return %y : tensor<61x1003xf32>
}
