func.func @main(%scores: tensor<4x5xf32>) -> (tensor<4x1xi64> {lh.name = "where"}) {
  %empty = tensor.empty() : tensor<4xi64>
  %found = linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%scores : tensor<4x5xf32>) outs(%empty : tensor<4xi64>)
      attrs = {lh.picks = 1 : i64} {
  ^bb0(%score: f32, %best: i64):
    linalg.yield %best : i64
  } -> tensor<4xi64>
  %kept = tensor.expand_shape %found [[0, 1]] output_shape [4, 1]
      : tensor<4xi64> into tensor<4x1xi64>
  return %kept : tensor<4x1xi64>
}
func.func @unmarked(%positions: tensor<4xi64>) -> (tensor<4xi64> {lh.name = "where"}) {
  return %positions : tensor<4xi64>
}
