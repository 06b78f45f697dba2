// An activation that others read, too, stays outside of the loop over blocks.
// CHECK: arith.maximumf
// CHECK: scf.forall ({{.*}}) in ({{2|4}})
// CHECK-NOT: linalg.depthwise
// CHECK: vector.shuffle
#id = affine_map<(n, c, h, w) -> (n, c, h, w)>
func.func @main(%x: tensor<1x32x9x20xf32>, %w: tensor<32x3x3xf32>) -> (tensor<1x32x9x20xf32>, tensor<1x32x9x20xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x32x9x20xf32>
  %rectified = linalg.generic {indexing_maps = [#id, #id],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<1x32x9x20xf32>) outs(%empty : tensor<1x32x9x20xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.maximumf %in, %zero : f32
    linalg.yield %m : f32
  } -> tensor<1x32x9x20xf32>
  %padded = tensor.pad %rectified low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%n: index, %c: index, %h: index, %v: index):
    tensor.yield %zero : f32
  } : tensor<1x32x9x20xf32> to tensor<1x32x11x22xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x32x9x20xf32>)
      -> tensor<1x32x9x20xf32>
  %0 = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : tensor<2xi64>,
      strides = dense<1> : tensor<2xi64>}
      ins(%padded, %w : tensor<1x32x11x22xf32>, tensor<32x3x3xf32>)
      outs(%start : tensor<1x32x9x20xf32>) -> tensor<1x32x9x20xf32>
  return %0, %rectified : tensor<1x32x9x20xf32>, tensor<1x32x9x20xf32>
}
