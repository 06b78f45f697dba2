func.func @main(%x: tensor<4xf32>) -> tensor<4xi32> {
  %e = tensor.empty() : tensor<4xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>,
                                        affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xi32>) {
  ^bb0(%in: f32, %out: i32):
    %v = arith.fptosi %in : f32 to i32
    linalg.yield %v : i32
  } -> tensor<4xi32>
  return %y : tensor<4xi32>
}
