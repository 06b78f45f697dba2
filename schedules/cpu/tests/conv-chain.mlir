// A padded convolution with a bias, a rectifier, a depthwise convolution, a
// maximum pool, a concatenation: turned once at either end, no pad left for
// the first.
// CHECK-LABEL:     func.func @main
// CHECK-COUNT-1:   linalg.transpose ins(%{{.*}} : tensor<1x5x9x7xf32>)
// CHECK:           linalg.matmul
// CHECK-NOT:       tensor<1x18x9x7xf32>
// CHECK:           tensor.concat dim(3)
// CHECK-COUNT-1:   linalg.transpose {{.*}} outs(%{{.*}} : tensor<1x36x4x3xf32>)
#id = affine_map<(n, c, y, x) -> (n, c, y, x)>
func.func @main(%x: tensor<1x5x9x7xf32>, %w: tensor<18x5x3x3xf32>,
                %bias: tensor<18xf32>, %d: tensor<18x3x3xf32>)
    -> tensor<1x36x4x3xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %padded = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x5x9x7xf32> to tensor<1x5x11x9xf32>
  %e0 = tensor.empty() : tensor<1x18x9x7xf32>
  %b = linalg.broadcast ins(%bias : tensor<18xf32>)
      outs(%e0 : tensor<1x18x9x7xf32>) dimensions = [0, 2, 3]
  %y0 = linalg.conv_2d_nchw_fchw
      {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%padded, %w : tensor<1x5x11x9xf32>, tensor<18x5x3x3xf32>)
      outs(%b : tensor<1x18x9x7xf32>) -> tensor<1x18x9x7xf32>
  %y1 = linalg.generic {indexing_maps = [#id, #id],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y0 : tensor<1x18x9x7xf32>) outs(%e0 : tensor<1x18x9x7xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = arith.maximumf %in, %zero : f32
    linalg.yield %r : f32
  } -> tensor<1x18x9x7xf32>
  %e1 = tensor.empty() : tensor<1x18x4x3xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1x18x4x3xf32>)
      -> tensor<1x18x4x3xf32>
  %y2 = linalg.depthwise_conv_2d_nchw_chw
      {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
      ins(%y1, %d : tensor<1x18x9x7xf32>, tensor<18x3x3xf32>)
      outs(%z1 : tensor<1x18x4x3xf32>) -> tensor<1x18x4x3xf32>
  %l1 = linalg.fill ins(%lowest : f32) outs(%e1 : tensor<1x18x4x3xf32>)
      -> tensor<1x18x4x3xf32>
  %shape = tensor.empty() : tensor<3x3xf32>
  %y3 = linalg.pooling_nchw_max
      {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
      ins(%y1, %shape : tensor<1x18x9x7xf32>, tensor<3x3xf32>)
      outs(%l1 : tensor<1x18x4x3xf32>) -> tensor<1x18x4x3xf32>
  %y4 = tensor.concat dim(1) %y2, %y3
      : (tensor<1x18x4x3xf32>, tensor<1x18x4x3xf32>) -> tensor<1x36x4x3xf32>
  return %y4 : tensor<1x36x4x3xf32>
}
