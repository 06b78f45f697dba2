// 40 x 32 pixels of 24 channels, 20 filters, a bias, a sum and a rectifier before
// a 1 x 1 convolution: two blocks of tiles, and what follows them over the whole.
// CHECK-LABEL: func.func @main
// CHECK:       scf.forall
// CHECK:         linalg.winograd_output_transform fmr(F_4_3)
// CHECK:       linalg.generic
#image = affine_map<(n, f, h, w) -> (n, f, h, w)>
#filter = affine_map<(n, f, h, w) -> (f)>
func.func @main(%x: tensor<1x24x42x34xf32>, %w: tensor<20x24x3x3xf32>,
                %bias: tensor<20xf32>, %more: tensor<1x20x40x32xf32>,
                %v: tensor<9x20x1x1xf32>) -> tensor<1x9x40x32xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x20x40x32xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x20x40x32xf32>)
      -> tensor<1x20x40x32xf32>
  %y = linalg.conv_2d_nchw_fchw
      {dilations = dense<1> : tensor<2xi64>,
       strides = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<1x24x42x34xf32>, tensor<20x24x3x3xf32>)
      outs(%start : tensor<1x20x40x32xf32>) -> tensor<1x20x40x32xf32>
  %z = linalg.generic
      {indexing_maps = [#image, #filter, #image, #image],
       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y, %bias, %more
          : tensor<1x20x40x32xf32>, tensor<20xf32>, tensor<1x20x40x32xf32>)
      outs(%empty : tensor<1x20x40x32xf32>) {
  ^bb0(%sum: f32, %b: f32, %m: f32, %out: f32):
    %biased = arith.addf %sum, %b : f32
    %added = arith.addf %biased, %m : f32
    %rectified = arith.maximumf %added, %zero : f32
    linalg.yield %rectified : f32
  } -> tensor<1x20x40x32xf32>
  %few = tensor.empty() : tensor<1x9x40x32xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%few : tensor<1x9x40x32xf32>)
      -> tensor<1x9x40x32xf32>
  %result = linalg.conv_2d_nchw_fchw
      {dilations = dense<1> : tensor<2xi64>,
       strides = dense<1> : tensor<2xi64>}
      ins(%z, %v : tensor<1x20x40x32xf32>, tensor<9x20x1x1xf32>)
      outs(%zeros : tensor<1x9x40x32xf32>) -> tensor<1x9x40x32xf32>
  return %result : tensor<1x9x40x32xf32>
}
