// A depthwise convolution: sums over a window of each channel.
#in = affine_map<(h, w, c, y, x) -> (h + y, w + x, c)>
#win = affine_map<(h, w, c, y, x) -> (y, x, c)>
#out = affine_map<(h, w, c, y, x) -> (h, w, c)>
func.func @main(%x: tensor<6x6x19xf32>, %w: tensor<3x3x19xf32>) -> tensor<4x4x19xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4x19xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4x4x19xf32>) -> tensor<4x4x19xf32>
  %r = linalg.generic {indexing_maps = [#in, #win, #out],
   iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
   ins(%x, %w : tensor<6x6x19xf32>, tensor<3x3x19xf32>) outs(%f : tensor<4x4x19xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x4x19xf32>
  return %r : tensor<4x4x19xf32>
}
