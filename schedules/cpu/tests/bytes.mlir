// WIDE-LABEL: func.func @main
// WIDE:         arith.extsi {{.*}} : i8 to i32
// WIDE:         arith.extsi {{.*}} : i8 to i32
// WIDE:       linalg.generic {{.*}} ins({{.*}} : tensor<13x21xi32>, tensor<21x40xi32>)
// WIDE-NOT:     arith.extsi
//
// Signed bytes on the left are moved up by 128, which comes out again at the end;
// 21 of them fill 5 words and a part of one.
// WORDS-LABEL: func.func @main
// WORDS:       linalg.generic {{.*}} ins({{.*}} : tensor<13x6xi32>, tensor<6x40xi32>) {{.*}}lh.product
// WORDS-COUNT-4: arith.muli
// WORDS:       linalg.generic {{.*}} ins({{.*}} : tensor<13x40xi32>, tensor<40xi32>)
// DOTS-LABEL: func.func @main
// DOTS-COUNT-24: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
func.func @main(%a: tensor<13x21xi8>, %b: tensor<21x40xi8>) -> tensor<13x40xi32> {
  %zero = arith.constant 0 : i32
  %out = tensor.empty() : tensor<13x40xi32>
  %init = linalg.fill ins(%zero : i32) outs(%out : tensor<13x40xi32>)
      -> tensor<13x40xi32>
  %product = linalg.matmul ins(%a, %b : tensor<13x21xi8>, tensor<21x40xi8>)
                           outs(%init : tensor<13x40xi32>) -> tensor<13x40xi32>
  return %product : tensor<13x40xi32>
}
