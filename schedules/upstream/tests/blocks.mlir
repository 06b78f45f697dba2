// All of a block of channels is in one loop; sums of a pixel stay in a register
// over the window, whose loops are gone.
// CHECK: scf.forall ({{.*}}) in (2, {{3|6}})
// CHECK: arith.maximumf
// CHECK: vector.shuffle
// CHECK-NOT: linalg.depthwise
// CHECK: arith.mulf {{.*}} vector<{{8|16}}xf32>
// CHECK: arith.maximumf {{.*}} vector<1x1x1x{{.*}}xf32>
// CHECK: vector.shuffle
#id = affine_map<(n, c, h, w) -> (n, c, h, w)>
func.func @main(%x: tensor<2x48x13x37xf32>, %w: tensor<48x3x3xf32>, %b: tensor<48xf32>) -> tensor<2x48x7x19xf32> {
  %zero = arith.constant 0.0 : f32
  %before = tensor.empty() : tensor<2x48x13x37xf32>
  %rectified = linalg.generic {indexing_maps = [#id, #id],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<2x48x13x37xf32>) outs(%before : tensor<2x48x13x37xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.maximumf %in, %zero : f32
    linalg.yield %m : f32
  } -> tensor<2x48x13x37xf32>
  %padded = tensor.pad %rectified low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%n: index, %c: index, %h: index, %v: index):
    tensor.yield %zero : f32
  } : tensor<2x48x13x37xf32> to tensor<2x48x15x39xf32>
  %empty = tensor.empty() : tensor<2x48x7x19xf32>
  %start = linalg.broadcast ins(%b : tensor<48xf32>)
      outs(%empty : tensor<2x48x7x19xf32>) dimensions = [0, 2, 3]
  %sums = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : tensor<2xi64>,
      strides = dense<2> : tensor<2xi64>}
      ins(%padded, %w : tensor<2x48x15x39xf32>, tensor<48x3x3xf32>)
      outs(%start : tensor<2x48x7x19xf32>) -> tensor<2x48x7x19xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%sums : tensor<2x48x7x19xf32>) outs(%empty : tensor<2x48x7x19xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.maximumf %in, %zero : f32
    linalg.yield %m : f32
  } -> tensor<2x48x7x19xf32>
  return %0 : tensor<2x48x7x19xf32>
}
