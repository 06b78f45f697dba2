// Kind: wrong code
// Fault: `convert-math-to-llvm` makes `exp(x) - 1` of `math.expm1 x`, which is 0 for all small `x`. `expm1` exists for these.
// Expected: A call of `expm1`, or an option against the approximation, as `approximate-log1p=false` is for `log1p`.
// Ours: `lh-call-libm`
// Change: `ExpM1OpLowering` in `mlir/lib/Conversion/MathToLLVM/MathToLLVM.cpp` is added to the patterns always. Add it only under an option `approximate-expm1`, as `populateMathToLLVMConversionPatterns` does for `Log1pOpLowering`; `convert-math-to-libm` then calls the function.
// Upstream: No report known
//
// RUN: mlir-opt %s -convert-math-to-llvm | FileCheck %s
// RUN: mlir-opt %s %{to-llvm} | mlir-runner %{runner} | FileCheck %s --check-prefix=WRONG
// RUN: mlir-opt %s -convert-math-to-libm %{to-llvm} | mlir-runner %{runner} | FileCheck %s --check-prefix=RIGHT

// CHECK-LABEL: func.func @power_less_one
//       CHECK:   %[[EXP:.*]] = llvm.intr.exp
//       CHECK:   llvm.fsub %[[EXP]]
func.func @power_less_one(%x: f64) -> f64 {
  %y = math.expm1 %x : f64
  return %y : f64
}

// RIGHT: 1e-20
// WRONG: 0
func.func @main() {
  %small = arith.constant 1.0e-20 : f64
  %y = call @power_less_one(%small) : (f64) -> f64
  vector.print %y : f64
  return
}
