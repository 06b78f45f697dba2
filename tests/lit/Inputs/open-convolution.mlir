#input = affine_map<(n, y, x, f, i, j, c) -> (n, y + i, x + j, c)>
#filter = affine_map<(n, y, x, f, i, j, c) -> (i, j, c, f)>
#result = affine_map<(n, y, x, f, i, j, c) -> (n, y, x, f)>
func.func @main(%x: tensor<?x6x5x8xf32>, %w: tensor<3x3x8x8xf32>)
    -> tensor<?x4x3x8xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %images = tensor.dim %x, %c0 : tensor<?x6x5x8xf32>
  %empty = tensor.empty(%images) : tensor<?x4x3x8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x4x3x8xf32>)
      -> tensor<?x4x3x8xf32>
  %sums = linalg.generic {
      indexing_maps = [#input, #filter, #result],
      iterator_types = ["parallel", "parallel", "parallel", "parallel",
                        "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<?x6x5x8xf32>, tensor<3x3x8x8xf32>)
      outs(%zeros : tensor<?x4x3x8xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %product = arith.mulf %a, %b : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<?x4x3x8xf32>
  return %sums : tensor<?x4x3x8xf32>
}
