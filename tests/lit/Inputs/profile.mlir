#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%a: tensor<64x48xf32>, %b: tensor<48x80xf32>)
    -> tensor<64x80xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x80xf32> loc("product")
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x80xf32>)
    -> tensor<64x80xf32> loc("product")
  %c = linalg.matmul ins(%a, %b : tensor<64x48xf32>, tensor<48x80xf32>)
    outs(%f : tensor<64x80xf32>) -> tensor<64x80xf32> loc("product")
  %s = linalg.generic {indexing_maps = [#id, #id],
                       iterator_types = ["parallel", "parallel"]}
    ins(%c : tensor<64x80xf32>) outs(%e : tensor<64x80xf32>) {
  ^bb0(%x: f32, %y: f32):
    %t = math.tanh %x : f32
    linalg.yield %t : f32
  } -> tensor<64x80xf32> loc("squash")
  return %s : tensor<64x80xf32>
}
