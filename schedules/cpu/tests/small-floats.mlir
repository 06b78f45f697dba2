// bf16 has no instructions and no functions of its own: it is computed in f32
// and rounded after every op.
// LLVM-LABEL: llvm.func @main
// LLVM:       llvm.intr.exp({{.*}}) : (f32) -> f32
// LLVM:       llvm.fadd {{.*}} : f32
// LLVM-NOT:   {{fadd|fptrunc|fpext}} {{.*}}bf16
func.func @main(%a: tensor<3x5xbf16>, %b: tensor<3x5xbf16>) -> tensor<3x5xbf16> {
  %out = tensor.empty() : tensor<3x5xbf16>
  %e = linalg.exp ins(%a : tensor<3x5xbf16>) outs(%out : tensor<3x5xbf16>)
      -> tensor<3x5xbf16>
  %y = linalg.add ins(%e, %b : tensor<3x5xbf16>, tensor<3x5xbf16>)
                  outs(%out : tensor<3x5xbf16>) -> tensor<3x5xbf16>
  return %y : tensor<3x5xbf16>
}
