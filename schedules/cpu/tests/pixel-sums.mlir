// Sums of an image's pixels for each channel: strips of channels outside, the sums of
// a strip in registers; of one image and of several, a vector read beside the pixels.
// VECTOR-LABEL: func.func @main
// VECTOR-COUNT-2: scf.for {{.*}} -> (vector<{{16|32}}xf32>)
// VECTOR-NOT:   vector.transfer_write
// VECTOR:       lh.sum
// VECTOR-NOT:   linalg.generic
// VECTOR:       return
func.func @main(%x: tensor<5x7x43xf32>, %m: tensor<43xf32>, %y: tensor<2x3x5x70xf32>)
    -> (tensor<43xf32>, tensor<2x70xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<43xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<43xf32>) -> tensor<43xf32>
  %s = linalg.generic {
      indexing_maps = [affine_map<(h, w, c) -> (h, w, c)>, affine_map<(h, w, c) -> (c)>,
                       affine_map<(h, w, c) -> (c)>],
      iterator_types = ["reduction", "reduction", "parallel"]}
      ins(%x, %m : tensor<5x7x43xf32>, tensor<43xf32>) outs(%i : tensor<43xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %d = arith.subf %a, %b : f32
    %q = arith.mulf %d, %d : f32
    %n = arith.addf %sum, %q : f32
    linalg.yield %n : f32
  } -> tensor<43xf32>
  %f = tensor.empty() : tensor<2x70xf32>
  %j = linalg.fill ins(%zero : f32) outs(%f : tensor<2x70xf32>) -> tensor<2x70xf32>
  %t = linalg.generic {
      indexing_maps = [affine_map<(n, h, w, c) -> (n, h, w, c)>,
                       affine_map<(n, h, w, c) -> (n, c)>],
      iterator_types = ["parallel", "reduction", "reduction", "parallel"]}
      ins(%y : tensor<2x3x5x70xf32>) outs(%j : tensor<2x70xf32>) {
  ^bb0(%a: f32, %sum: f32):
    %n = arith.addf %sum, %a : f32
    linalg.yield %n : f32
  } -> tensor<2x70xf32>
  return %s, %t : tensor<43xf32>, tensor<2x70xf32>
}
