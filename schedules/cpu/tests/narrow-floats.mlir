// The operands are widened once each, and what was narrow is summed up in f32.
// WIDE-LABEL: func.func @main
// WIDE:       [[A:%.*]] = linalg.generic {{.*}} ins(%arg0 : tensor<13x21xf16>)
// WIDE:         arith.extf
// WIDE:       [[B:%.*]] = linalg.generic {{.*}} ins(%arg1 : tensor<21x40xf16>)
// WIDE:         arith.extf
// WIDE:       [[SUM:%.*]] = linalg.generic {{.*}} ins([[A]], [[B]] : tensor<13x21xf32>, tensor<21x40xf32>)
// WIDE-NOT:     arith.extf
// WIDE:       linalg.generic {{.*}} ins([[SUM]] : tensor<13x40xf32>)
// WIDE:         arith.truncf {{.*}} : f32 to f16
func.func @main(%a: tensor<13x21xf16>, %b: tensor<21x40xf16>) -> tensor<13x40xf16> {
  %zero = arith.constant 0.0 : f16
  %out = tensor.empty() : tensor<13x40xf16>
  %init = linalg.fill ins(%zero : f16) outs(%out : tensor<13x40xf16>)
      -> tensor<13x40xf16>
  %product = linalg.matmul ins(%a, %b : tensor<13x21xf16>, tensor<21x40xf16>)
                           outs(%init : tensor<13x40xf16>) -> tensor<13x40xf16>
  return %product : tensor<13x40xf16>
}
