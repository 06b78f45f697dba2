// A convolution with one block of columns: threads share its rows, a tile at a time,
// each with windows of its own. 169 rows leave one tile of one row.
// SHARED-LABEL: func.func @main
// SHARED:         omp.parallel num_threads(
// SHARED-NEXT:      omp.wsloop {
// SHARED:             memref.alloc() {{.*}} : memref<{{12|6}}x144xf32>
// SHARED:             vector.contract
// SHARED:             memref.dealloc
// SHARED-NOT:     memref.alloca_scope
// PRIVATE-LABEL: func.func @main
// ALONE-LABEL: func.func @main
// ALONE-NOT:     omp.
#id = affine_map<(n, c, y, x) -> (n, c, y, x)>
func.func @main(%x: tensor<1x16x13x13xf32>, %w: tensor<32x16x3x3xf32>)
    -> tensor<1x32x13x13xf32> {
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x16x13x13xf32> to tensor<1x16x15x15xf32>
  %e = tensor.empty() : tensor<1x32x13x13xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<1x32x13x13xf32>)
      -> tensor<1x32x13x13xf32>
  %y = linalg.conv_2d_nchw_fchw
      {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%padded, %w : tensor<1x16x15x15xf32>, tensor<32x16x3x3xf32>)
      outs(%zeros : tensor<1x32x13x13xf32>) -> tensor<1x32x13x13xf32>
  %r = linalg.generic {indexing_maps = [#id, #id],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y : tensor<1x32x13x13xf32>) outs(%e : tensor<1x32x13x13xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.maximumf %in, %zero : f32
    linalg.yield %m : f32
  } -> tensor<1x32x13x13xf32>
  return %r : tensor<1x32x13x13xf32>
}
