// Rows of softmax: e = exp(x - max(x)), y = e / sum(e).
#each = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
func.func @rows(%x: tensor<61x1003xf32>) -> tensor<61x1003xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %empty = tensor.empty() : tensor<61x1003xf32>
  %numbers = tensor.empty() : tensor<61xf32>
  %least = linalg.fill ins(%lowest : f32) outs(%numbers : tensor<61xf32>)
      -> tensor<61xf32>
  %largest = linalg.generic {
      indexing_maps = [#each, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<61x1003xf32>) outs(%least : tensor<61xf32>) {
  ^bb0(%number: f32, %so_far: f32):
    %next = arith.maximumf %so_far, %number : f32
    linalg.yield %next : f32
  } -> tensor<61xf32>
  %e = linalg.generic {
      indexing_maps = [#each, #row, #each], iterator_types = ["parallel", "parallel"]}
      ins(%x, %largest : tensor<61x1003xf32>, tensor<61xf32>)
      outs(%empty : tensor<61x1003xf32>) {
  ^bb0(%number: f32, %most: f32, %old: f32):
    %difference = arith.subf %number, %most : f32
    %exp = math.exp %difference : f32
    linalg.yield %exp : f32
  } -> tensor<61x1003xf32>
  %start = linalg.fill ins(%zero : f32) outs(%numbers : tensor<61xf32>)
      -> tensor<61xf32>
  %sum = linalg.generic {
      indexing_maps = [#each, #row], iterator_types = ["parallel", "reduction"]}
      ins(%e : tensor<61x1003xf32>) outs(%start : tensor<61xf32>) {
  ^bb0(%number: f32, %so_far: f32):
    %next = arith.addf %so_far, %number : f32
    linalg.yield %next : f32
  } -> tensor<61xf32>
  %y = linalg.generic {
      indexing_maps = [#each, #row, #each], iterator_types = ["parallel", "parallel"]}
      ins(%e, %sum : tensor<61x1003xf32>, tensor<61xf32>)
      outs(%empty : tensor<61x1003xf32>) {
  ^bb0(%number: f32, %s: f32, %old: f32):
    %part = arith.divf %number, %s : f32
    linalg.yield %part : f32
  } -> tensor<61x1003xf32>
  return %y : tensor<61x1003xf32>
}
