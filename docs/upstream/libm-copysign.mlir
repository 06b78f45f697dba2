// Kind: refusal
// Fault: `convert-math-to-libm` fails on a module that holds a `math.copysign` or a `math.ctpop`, as it has no pattern for either and says that none of the dialect's ops may stay. Both have LLVM intrinsics, which another pass would make of them.
// Expected: They stay, for `convert-math-to-llvm` afterwards. The other order of the two passes isn't an alternative: it makes `exp(x) - 1` of `expm1` (`expm1-of-small.mlir`).
// Ours: `lh-call-libm`
// Change: `ConvertMathToLibmPass::runOnOperation` in `mlir/lib/Conversion/MathToLibm/MathToLibm.cpp` calls `target.addIllegalDialect<math::MathDialect>()` and `applyPartialConversion`. Make only those ops illegal for which the pass has patterns.
// Upstream: No report known
//
// RUN: split-file %s %t
// RUN: not mlir-opt %t/copysign.mlir -convert-math-to-libm 2>&1 | FileCheck %t/copysign.mlir
// RUN: not mlir-opt %t/ctpop.mlir -convert-math-to-libm 2>&1 | FileCheck %t/ctpop.mlir

//--- copysign.mlir
// CHECK: error: failed to legalize operation 'math.copysign' that was explicitly marked illegal
func.func @copysign(%x: f32, %y: f32) -> f32 {
  %e = math.erf %x : f32
  %z = math.copysign %e, %y : f32
  return %z : f32
}

//--- ctpop.mlir
// CHECK: error: failed to legalize operation 'math.ctpop' that was explicitly marked illegal
func.func @ctpop(%x: i32) -> i32 {
  %y = math.ctpop %x : i32
  return %y : i32
}
