// Fewer columns than the rule asks for: widened, not packed.
// WORDS-LABEL: func.func @main
// WORDS-NOT:   lh.product
// WORDS:       linalg.generic {{.*}} ins({{.*}} : tensor<13x20xi32>, tensor<20x7xi32>)
// DOTS-LABEL: func.func @main
// DOTS-NOT:   llvm.call_intrinsic
func.func @main(%a: tensor<13x20xi8>, %b: tensor<20x7xi8>) -> tensor<13x7xi32> {
  %zero = arith.constant 0 : i32
  %out = tensor.empty() : tensor<13x7xi32>
  %init = linalg.fill ins(%zero : i32) outs(%out : tensor<13x7xi32>)
      -> tensor<13x7xi32>
  %product = linalg.matmul ins(%a, %b : tensor<13x20xi8>, tensor<20x7xi8>)
                           outs(%init : tensor<13x7xi32>) -> tensor<13x7xi32>
  return %product : tensor<13x7xi32>
}
