// Each image by itself, with all sizes known.
// CHECK: scf.for
// CHECK: tensor.pad {{.*}}
// CHECK: tensor<1x3x7x7xf32> to tensor<1x3x9x9xf32>
// CHECK: linalg.conv_2d_nchw_fchw
// CHECK-SAME: tensor<1x3x9x9xf32>
// CHECK: linalg.matmul
// CHECK-SAME: tensor<1x196xf32>
// CHECK: scf.yield
#all = affine_map<(n, c, h, w) -> (n, c, h, w)>
func.func @main(%x: tensor<?x3x7x7xf32>, %f: tensor<4x3x3x3xf32>, %m: tensor<196x5xf32>) -> tensor<?x5xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x3x7x7xf32>
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<?x3x7x7xf32> to tensor<?x3x9x9xf32>
  %e = tensor.empty(%n) : tensor<?x4x7x7xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4x7x7xf32>) -> tensor<?x4x7x7xf32>
  %c = linalg.conv_2d_nchw_fchw ins(%p, %f : tensor<?x3x9x9xf32>, tensor<4x3x3x3xf32>) outs(%z : tensor<?x4x7x7xf32>) -> tensor<?x4x7x7xf32>
  %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%c : tensor<?x4x7x7xf32>) outs(%e : tensor<?x4x7x7xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.maximumf %in, %zero : f32
    linalg.yield %v : f32
  } -> tensor<?x4x7x7xf32>
  %flat = tensor.collapse_shape %r [[0], [1, 2, 3]] : tensor<?x4x7x7xf32> into tensor<?x196xf32>
  %o = tensor.empty(%n) : tensor<?x5xf32>
  %y = linalg.fill ins(%zero : f32) outs(%o : tensor<?x5xf32>) -> tensor<?x5xf32>
  %s = linalg.matmul ins(%flat, %m : tensor<?x196xf32>, tensor<196x5xf32>) outs(%y : tensor<?x5xf32>) -> tensor<?x5xf32>
  return %s : tensor<?x5xf32>
}
