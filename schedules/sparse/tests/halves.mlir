// In halves, which vectors gather too.
// CHECK: vector.gather {{.*}} vector<{{.*}}xf16>
#A = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32 }>
func.func @main(%a: tensor<52x36xf16, #A> {lh.name = "a"}, %x: tensor<36xf16> {lh.name = "x"})
    -> (tensor<52xf16> {lh.name = "y"}) {
  %zero = arith.constant 0.0 : f16
  %empty = tensor.empty() : tensor<52xf16>
  %init = linalg.fill ins(%zero : f16) outs(%empty : tensor<52xf16>) -> tensor<52xf16>
  %y = linalg.matvec ins(%a, %x : tensor<52x36xf16, #A>, tensor<36xf16>)
      outs(%init : tensor<52xf16>) -> tensor<52xf16>
  return %y : tensor<52xf16>
}
