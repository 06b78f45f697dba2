// Between two convolutions everything has its channels last; what goes in and
// comes out is turned, the bytes before they become numbers.
// CHECK-LABEL: func.func @main
// CHECK:       linalg.transpose ins(%{{.*}} : tensor<1x5x9x8xi8>)
// CHECK:       arith.uitofp
// CHECK:       linalg.generic {{.*}}tensor<1x9x8x5xf32>
// CHECK:       math.exp
// CHECK-NOT:   linalg.transpose
// CHECK:       tensor.pad {{.*}} low[0, 1, 1, 0] high[0, 1, 1, 0]
// CHECK:       linalg.transpose {{.*}}permutation = [0, 3, 1, 2]
// CHECK-NOT:   linalg.transpose
#id = affine_map<(n, c, y, x) -> (n, c, y, x)>
func.func @main(%bytes: tensor<1x5x9x8xi8>, %w: tensor<9x5x3x3xf32>,
                %v: tensor<6x9x3x3xf32>) -> tensor<1x6x7x6xf32> {
  %zero = arith.constant 0.0 : f32
  %x.out = tensor.empty() : tensor<1x5x9x8xf32>
  %x = linalg.generic {indexing_maps = [#id, #id], iterator_types =
      ["parallel", "parallel", "parallel", "parallel"]}
      ins(%bytes : tensor<1x5x9x8xi8>) outs(%x.out : tensor<1x5x9x8xf32>) {
  ^bb0(%byte: i8, %old: f32):
    %number = arith.uitofp %byte : i8 to f32
    linalg.yield %number : f32
  } -> tensor<1x5x9x8xf32>
  %y.out = tensor.empty() : tensor<1x9x7x6xf32>
  %y.init = linalg.fill ins(%zero : f32) outs(%y.out : tensor<1x9x7x6xf32>)
      -> tensor<1x9x7x6xf32>
  %y = linalg.conv_2d_nchw_fchw
      {dilations = dense<1> : tensor<2xi64>,
       strides = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<1x5x9x8xf32>, tensor<9x5x3x3xf32>)
      outs(%y.init : tensor<1x9x7x6xf32>) -> tensor<1x9x7x6xf32>
  %scale = arith.constant 0.001 : f32
  %exp = linalg.generic {indexing_maps = [#id, #id], iterator_types =
      ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y : tensor<1x9x7x6xf32>) outs(%y.out : tensor<1x9x7x6xf32>) {
  ^bb0(%number: f32, %old: f32):
    %small = arith.mulf %number, %scale : f32
    %power = math.exp %small : f32
    linalg.yield %power : f32
  } -> tensor<1x9x7x6xf32>
  %padded = tensor.pad %exp low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x9x7x6xf32> to tensor<1x9x9x8xf32>
  %z.out = tensor.empty() : tensor<1x6x7x6xf32>
  %z.init = linalg.fill ins(%zero : f32) outs(%z.out : tensor<1x6x7x6xf32>)
      -> tensor<1x6x7x6xf32>
  %z = linalg.conv_2d_nchw_fchw
      {dilations = dense<1> : tensor<2xi64>,
       strides = dense<1> : tensor<2xi64>}
      ins(%padded, %v : tensor<1x9x9x8xf32>, tensor<6x9x3x3xf32>)
      outs(%z.init : tensor<1x6x7x6xf32>) -> tensor<1x6x7x6xf32>
  return %z : tensor<1x6x7x6xf32>
}
