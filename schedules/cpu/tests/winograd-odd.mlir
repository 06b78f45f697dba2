// Two images of 13 x 9, padded on two sides, 20 channels, 24 filters: tiles
// that reach beyond the result, vectors that get shorter, a start that isn't 0.
// CHECK-LABEL: func.func @main
// CHECK:       tensor.pad {{.*}} low[0, 1, 1, 0] high[0, {{[0-9]+}}, {{[0-9]+}}, 0]
// CHECK:       scf.forall
// CHECK:         linalg.winograd_input_transform fmr(F_4_3)
// CHECK:         linalg.batch_matmul {{.*}} tensor<36x{{[0-9]+}}x20xf32>, tensor<36x20x24xf32>
// CHECK:         linalg.winograd_output_transform fmr(F_4_3)
func.func @main(%x: tensor<2x20x13x9xf32>, %w: tensor<24x20x3x3xf32>,
                %start: tensor<2x24x12x8xf32>) -> tensor<2x24x12x8xf32> {
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 0, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<2x20x13x9xf32> to tensor<2x20x14x10xf32>
  %y = linalg.conv_2d_nchw_fchw
      {dilations = dense<1> : tensor<2xi64>,
       strides = dense<1> : tensor<2xi64>}
      ins(%padded, %w : tensor<2x20x14x10xf32>, tensor<24x20x3x3xf32>)
      outs(%start : tensor<2x24x12x8xf32>) -> tensor<2x24x12x8xf32>
  return %y : tensor<2x24x12x8xf32>
}
