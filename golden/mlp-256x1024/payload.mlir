// Three layers of a perceptron: 256 rows, 1024 columns, a bias and ReLU.
#rows_columns = affine_map<(i, j) -> (i, j)>
#columns = affine_map<(i, j) -> (j)>
func.func @main(%a: tensor<256x1024xf32>,
    %w1: tensor<1024x1024xf32>, %d1: tensor<1024xf32>,
    %w2: tensor<1024x1024xf32>, %d2: tensor<1024xf32>,
    %w3: tensor<1024x1024xf32>, %d3: tensor<1024xf32>) -> tensor<256x1024xf32> {
  %zero = arith.constant 0.0 : f32
  %out = tensor.empty() : tensor<256x1024xf32>
  %start = linalg.fill ins(%zero : f32) outs(%out : tensor<256x1024xf32>)
      -> tensor<256x1024xf32>
  %p1 = linalg.matmul ins(%a, %w1 : tensor<256x1024xf32>, tensor<1024x1024xf32>)
      outs(%start : tensor<256x1024xf32>) -> tensor<256x1024xf32>
  %r1 = linalg.generic {
      indexing_maps = [#rows_columns, #columns, #rows_columns],
      iterator_types = ["parallel", "parallel"]}
      ins(%p1, %d1 : tensor<256x1024xf32>, tensor<1024xf32>)
      outs(%out : tensor<256x1024xf32>) {
  ^bb0(%x: f32, %d: f32, %o: f32):
    %s = arith.addf %x, %d : f32
    %r = arith.maximumf %s, %zero : f32
    linalg.yield %r : f32
  } -> tensor<256x1024xf32>
  %p2 = linalg.matmul ins(%r1, %w2 : tensor<256x1024xf32>, tensor<1024x1024xf32>)
      outs(%start : tensor<256x1024xf32>) -> tensor<256x1024xf32>
  %r2 = linalg.generic {
      indexing_maps = [#rows_columns, #columns, #rows_columns],
      iterator_types = ["parallel", "parallel"]}
      ins(%p2, %d2 : tensor<256x1024xf32>, tensor<1024xf32>)
      outs(%out : tensor<256x1024xf32>) {
  ^bb0(%x: f32, %d: f32, %o: f32):
    %s = arith.addf %x, %d : f32
    %r = arith.maximumf %s, %zero : f32
    linalg.yield %r : f32
  } -> tensor<256x1024xf32>
  %p3 = linalg.matmul ins(%r2, %w3 : tensor<256x1024xf32>, tensor<1024x1024xf32>)
      outs(%start : tensor<256x1024xf32>) -> tensor<256x1024xf32>
  %r3 = linalg.generic {
      indexing_maps = [#rows_columns, #columns, #rows_columns],
      iterator_types = ["parallel", "parallel"]}
      ins(%p3, %d3 : tensor<256x1024xf32>, tensor<1024xf32>)
      outs(%out : tensor<256x1024xf32>) {
  ^bb0(%x: f32, %d: f32, %o: f32):
    %s = arith.addf %x, %d : f32
    %r = arith.maximumf %s, %zero : f32
    linalg.yield %r : f32
  } -> tensor<256x1024xf32>
  return %r3 : tensor<256x1024xf32>
}
