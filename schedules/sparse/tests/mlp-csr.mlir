// Two layers of a net, of which the first one's weights are pruned.
#W = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32 }>
#relu = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]
}
func.func @main(%w1: tensor<96x64xf32, #W> {lh.name = "w1"}, %b1: tensor<96xf32> {lh.name = "b1"},
    %w2: tensor<10x96xf32> {lh.name = "w2"}, %x: tensor<64x24xf32> {lh.name = "x"})
    -> (tensor<10x24xf32> {lh.name = "y"}) {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<96x24xf32>
  %i1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<96x24xf32>) -> tensor<96x24xf32>
  %p1 = linalg.matmul ins(%w1, %x : tensor<96x64xf32, #W>, tensor<64x24xf32>)
      outs(%i1 : tensor<96x24xf32>) -> tensor<96x24xf32>
  %h = linalg.generic #relu ins(%p1, %b1 : tensor<96x24xf32>, tensor<96xf32>)
      outs(%e1 : tensor<96x24xf32>) {
  ^bb0(%p: f32, %b: f32, %out: f32):
    %s = arith.addf %p, %b : f32
    %r = arith.maximumf %s, %zero : f32
    linalg.yield %r : f32
  } -> tensor<96x24xf32>
  %e2 = tensor.empty() : tensor<10x24xf32>
  %i2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<10x24xf32>) -> tensor<10x24xf32>
  %y = linalg.matmul ins(%w2, %h : tensor<10x96xf32>, tensor<96x24xf32>)
      outs(%i2 : tensor<10x24xf32>) -> tensor<10x24xf32>
  return %y : tensor<10x24xf32>
}
