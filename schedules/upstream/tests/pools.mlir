// A maximum over windows that move by two, rectified, and a sum over 2 x 3 windows: blocks
// of channels, as a depthwise convolution's; of 20 channels, which fill no blocks, loops.
// CHECK-LABEL: func.func @main
// CHECK:       scf.forall ({{.*}}) in (2, {{2|4}})
// CHECK:         arith.maximumf {{.*}} : vector<{{16|8}}xf32>
// CHECK:       scf.forall ({{.*}}) in (2, {{2|4}})
// CHECK:         arith.addf {{.*}} : vector<{{16|8}}xf32>
// CHECK:       linalg.pooling_nchw_max
#id = affine_map<(n, c, h, w) -> (n, c, h, w)>
func.func @main(%x: tensor<2x32x13x21xf32>, %y: tensor<1x20x9x9xf32>)
    -> (tensor<2x32x7x11xf32>, tensor<2x32x12x19xf32>, tensor<1x20x7x7xf32>) {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %padded = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%n: index, %c: index, %h: index, %w: index):
    tensor.yield %least : f32
  } : tensor<2x32x13x21xf32> to tensor<2x32x15x23xf32>
  %e = tensor.empty() : tensor<2x32x7x11xf32>
  %start = linalg.fill ins(%least : f32) outs(%e : tensor<2x32x7x11xf32>) -> tensor<2x32x7x11xf32>
  %three = tensor.empty() : tensor<3x3xf32>
  %max = linalg.pooling_nchw_max {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
      ins(%padded, %three : tensor<2x32x15x23xf32>, tensor<3x3xf32>)
      outs(%start : tensor<2x32x7x11xf32>) -> tensor<2x32x7x11xf32>
  %rectified = linalg.generic {indexing_maps = [#id, #id],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%max : tensor<2x32x7x11xf32>) outs(%e : tensor<2x32x7x11xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.maximumf %in, %zero : f32
    linalg.yield %m : f32
  } -> tensor<2x32x7x11xf32>
  %f = tensor.empty() : tensor<2x32x12x19xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%f : tensor<2x32x12x19xf32>) -> tensor<2x32x12x19xf32>
  %two = tensor.empty() : tensor<2x3xf32>
  %sum = linalg.pooling_nchw_sum {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %two : tensor<2x32x13x21xf32>, tensor<2x3xf32>)
      outs(%zeros : tensor<2x32x12x19xf32>) -> tensor<2x32x12x19xf32>
  %g = tensor.empty() : tensor<1x20x7x7xf32>
  %low = linalg.fill ins(%least : f32) outs(%g : tensor<1x20x7x7xf32>) -> tensor<1x20x7x7xf32>
  %other = linalg.pooling_nchw_max {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%y, %three : tensor<1x20x9x9xf32>, tensor<3x3xf32>)
      outs(%low : tensor<1x20x7x7xf32>) -> tensor<1x20x7x7xf32>
  return %rectified, %sum, %other : tensor<2x32x7x11xf32>, tensor<2x32x12x19xf32>, tensor<1x20x7x7xf32>
}
