// What is one instruction becomes an intrinsic, the rest a call of libm; log1p
// and expm1 must not be taken apart, which loses all digits near zero.
// LLVM-LABEL: llvm.func @main
// LLVM-DAG:   llvm.intr.sqrt
// LLVM-DAG:   llvm.intr.exp(
// LLVM-DAG:   llvm.intr.tanh(
// LLVM-DAG:   llvm.call @erff
// LLVM-DAG:   llvm.call @log1pf
// LLVM-DAG:   llvm.call @expm1f
// LLVM-NOT:   math.
//
// As polynomials only the root is left, which is one instruction.
// MATH-LABEL: func.func @main
// MATH-NOT:   math.{{exp|tanh|erf|expm1|log1p}} 
// MATH:       math.sqrt
#id = affine_map<(i) -> (i)>
func.func @main(%a: tensor<11xf32>) -> tensor<11xf32> {
  %out = tensor.empty() : tensor<11xf32>
  %y = linalg.generic
      {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<11xf32>) outs(%out : tensor<11xf32>) {
  ^bb0(%x: f32, %unused: f32):
    %magnitude = math.absf %x : f32
    %root = math.sqrt %magnitude : f32
    %e = math.exp %x : f32
    %t = math.tanh %e : f32
    %erf = math.erf %t : f32
    %less = math.expm1 %erf : f32
    %more = math.log1p %magnitude : f32
    %sum0 = arith.addf %root, %less : f32
    %sum1 = arith.addf %sum0, %more : f32
    linalg.yield %sum1 : f32
  } -> tensor<11xf32>
  return %y : tensor<11xf32>
}
