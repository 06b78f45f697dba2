// A product with what often follows one; no size is a multiple of a vector's.
func.func @main(%a: tensor<37x19xf32>, %b: tensor<19x145xf32>, %bias: tensor<145xf32>) -> tensor<37x145xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<37x145xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<37x145xf32>) -> tensor<37x145xf32>
  %c = linalg.matmul ins(%a, %b : tensor<37x19xf32>, tensor<19x145xf32>)
                     outs(%f : tensor<37x145xf32>) -> tensor<37x145xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,
                                        affine_map<(i, j) -> (j)>,
                                        affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%c, %bias : tensor<37x145xf32>, tensor<145xf32>)
      outs(%e : tensor<37x145xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %1 = arith.addf %x, %y : f32
    %2 = arith.maximumf %1, %zero : f32
    linalg.yield %2 : f32
  } -> tensor<37x145xf32>
  return %r : tensor<37x145xf32>
}
