// A convolution of signed bytes padded with their zero point, 6 channels: their
// sign bits are turned over, the padding's too, and two bytes fill up a word.
// WORDS-LABEL: func.func @main
// WORDS:       tensor.pad {{.*}} low[0, 1, 1, 0] high[0, 0, 2, 0]
// WORDS:       tensor.yield {{.*}} : i32
// WORDS:       linalg.generic {{.*}} ins({{.*}} : tensor<2x8x10x2xi32>, tensor<9x2x3x2xi32>) {{.*}}lh.product
// WORDS:       linalg.generic {{.*}} ins({{.*}} : tensor<2x6x5x9xi32>, tensor<9xi32>)
// DOTS-LABEL: func.func @main
// DOTS:       llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
#x = affine_map<(i, j, k, l) -> (i, j, k, l)>
func.func @main(%x: tensor<2x6x7x7xi8>, %w: tensor<9x6x3x2xi8>)
    -> tensor<2x9x6x5xi32> {
  %zero = arith.constant 0 : i32
  %point = arith.constant -3 : i8
  %centre = arith.constant -3 : i32
  %padded = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 0, 2] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %point : i8
  } : tensor<2x6x7x7xi8> to tensor<2x6x8x10xi8>
  %x.out = tensor.empty() : tensor<2x6x8x10xi32>
  %x.wide = linalg.generic {indexing_maps = [#x, #x], iterator_types =
      ["parallel", "parallel", "parallel", "parallel"]}
      ins(%padded : tensor<2x6x8x10xi8>) outs(%x.out : tensor<2x6x8x10xi32>) {
  ^bb0(%a: i8, %old: i32):
    %wide = arith.extsi %a : i8 to i32
    %y = arith.subi %wide, %centre : i32
    linalg.yield %y : i32
  } -> tensor<2x6x8x10xi32>
  %w.out = tensor.empty() : tensor<9x6x3x2xi32>
  %w.wide = linalg.generic {indexing_maps = [#x, #x], iterator_types =
      ["parallel", "parallel", "parallel", "parallel"]}
      ins(%w : tensor<9x6x3x2xi8>) outs(%w.out : tensor<9x6x3x2xi32>) {
  ^bb0(%a: i8, %old: i32):
    %wide = arith.extsi %a : i8 to i32
    linalg.yield %wide : i32
  } -> tensor<9x6x3x2xi32>
  %out = tensor.empty() : tensor<2x9x6x5xi32>
  %init = linalg.fill ins(%zero : i32) outs(%out : tensor<2x9x6x5xi32>)
      -> tensor<2x9x6x5xi32>
  %y = linalg.conv_2d_nchw_fchw
      {dilations = dense<1> : tensor<2xi64>,
       strides = dense<[1, 2]> : tensor<2xi64>}
      ins(%x.wide, %w.wide : tensor<2x6x8x10xi32>, tensor<9x6x3x2xi32>)
      outs(%init : tensor<2x9x6x5xi32>) -> tensor<2x9x6x5xi32>
  return %y : tensor<2x9x6x5xi32>
}
