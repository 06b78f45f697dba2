// The sum over all images keeps them together.
// CHECK-NOT: scf.for
// CHECK: tensor<?x4x5x5xf32>
#all = affine_map<(n, c, h, w) -> (n, c, h, w)>
#pixel = affine_map<(n, c, h, w) -> (c, h, w)>
func.func @main(%x: tensor<?x3x7x7xf32>, %f: tensor<4x3x3x3xf32>) -> tensor<4x5x5xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x3x7x7xf32>
  %e = tensor.empty(%n) : tensor<?x4x5x5xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4x5x5xf32>) -> tensor<?x4x5x5xf32>
  %c = linalg.conv_2d_nchw_fchw ins(%x, %f : tensor<?x3x7x7xf32>, tensor<4x3x3x3xf32>) outs(%z : tensor<?x4x5x5xf32>) -> tensor<?x4x5x5xf32>
  %se = tensor.empty() : tensor<4x5x5xf32>
  %sz = linalg.fill ins(%zero : f32) outs(%se : tensor<4x5x5xf32>) -> tensor<4x5x5xf32>
  %s = linalg.generic {indexing_maps = [#all, #pixel], iterator_types = ["reduction", "parallel", "parallel", "parallel"]} ins(%c : tensor<?x4x5x5xf32>) outs(%sz : tensor<4x5x5xf32>) {
  ^bb0(%in: f32, %sum: f32):
    %v = arith.addf %in, %sum : f32
    linalg.yield %v : f32
  } -> tensor<4x5x5xf32>
  return %s : tensor<4x5x5xf32>
}
