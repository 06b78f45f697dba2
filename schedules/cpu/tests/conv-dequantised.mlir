// A convolution of dequantised bytes: unsigned ones less 7, padded with zeros
// (7 as bytes), and filters with a scale for each. What it adds to stays f32.
// WORDS-LABEL: func.func @main
// WORDS:       linalg.generic {{.*}} ins({{.*}} : tensor<1x8x9x2xi32>, tensor<10x2x3x3xi32>) {{.*}}lh.product
// WORDS:       arith.sitofp {{.*}} : i32 to f32
// WORDS-NOT:   arith.mulf {{.*}}reduction
// DOTS-LABEL: func.func @main
// DOTS:       llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
#x = affine_map<(i, j, k, l) -> (i, j, k, l)>
#filter = affine_map<(i, j, k, l) -> (i, 0, 0, 0)>
func.func @main(%x: tensor<1x5x6x7xi8>, %w: tensor<10x5x3x3xi8>,
                %scales: tensor<10x1x1x1xf32>, %bias: tensor<10xf32>)
    -> tensor<1x10x6x7xf32> {
  %zero = arith.constant 0.0 : f32
  %point = arith.constant 7 : i32
  %scale = arith.constant 0.05 : f32
  %x.out = tensor.empty() : tensor<1x5x6x7xf32>
  %x.read = linalg.generic {indexing_maps = [#x, #x], iterator_types =
      ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<1x5x6x7xi8>) outs(%x.out : tensor<1x5x6x7xf32>) {
  ^bb0(%a: i8, %old: f32):
    %wide = arith.extui %a : i8 to i32
    %centred = arith.subi %wide, %point : i32
    %number = arith.sitofp %centred : i32 to f32
    %y = arith.mulf %number, %scale : f32
    linalg.yield %y : f32
  } -> tensor<1x5x6x7xf32>
  %padded = tensor.pad %x.read low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x5x6x7xf32> to tensor<1x5x8x9xf32>
  %points = arith.constant dense<0> : tensor<10x1x1x1xi8>
  %w.out = tensor.empty() : tensor<10x5x3x3xf32>
  %w.read = linalg.generic {indexing_maps = [#x, #filter, #filter, #x],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%w, %scales, %points : tensor<10x5x3x3xi8>, tensor<10x1x1x1xf32>,
          tensor<10x1x1x1xi8>) outs(%w.out : tensor<10x5x3x3xf32>) {
  ^bb0(%a: i8, %s: f32, %p: i8, %old: f32):
    %wide = arith.extsi %a : i8 to i32
    %none = arith.extsi %p : i8 to i32
    %centred = arith.subi %wide, %none : i32
    %number = arith.sitofp %centred : i32 to f32
    %y = arith.mulf %number, %s : f32
    linalg.yield %y : f32
  } -> tensor<10x5x3x3xf32>
  %out = tensor.empty() : tensor<1x10x6x7xf32>
  %init = linalg.broadcast ins(%bias : tensor<10xf32>)
      outs(%out : tensor<1x10x6x7xf32>) dimensions = [0, 2, 3]
  %y = linalg.conv_2d_nchw_fchw
      {dilations = dense<1> : tensor<2xi64>,
       strides = dense<1> : tensor<2xi64>}
      ins(%padded, %w.read : tensor<1x5x8x9xf32>, tensor<10x5x3x3xf32>)
      outs(%init : tensor<1x10x6x7xf32>) -> tensor<1x10x6x7xf32>
  return %y : tensor<1x10x6x7xf32>
}
