// Converts math ops to LLVM intrinsics if LLVM has one.
//
// Expects: scalars or vectors of f32 and f64 (smaller floats extended), any mix
//   of other dialects.
// Result:  math ops without an intrinsic (erf, cbrt, asinh, ...), expm1 and log1p
//   for convert-math-to-libm. That pass must run after this schedule, because it
//   refuses copysign and ctpop, which libm does not have. The stock convert-math-to-llvm
//   must not come first: it turns log1p and expm1 into log(1 + x) and
//   exp(x) - 1, which lose all digits near zero.
// Parameters: none.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @lower_math(%root: !transform.any_op {transform.readonly}) {
    %functions = transform.structured.match ops{["func.func"]} in %root
        : (!transform.any_op) -> !transform.any_op
    transform.apply_conversion_patterns to %functions {
      transform.apply_conversion_patterns.dialect_to_llvm "math"
    } with type_converter {
      transform.apply_conversion_patterns.memref.memref_to_llvm_type_converter
    } {
      legal_dialects = ["builtin", "arith", "llvm"],
      legal_ops = ["math.expm1", "math.log1p"],
      illegal_ops = [
        "math.absf", "math.absi", "math.ceil", "math.copysign", "math.ctlz",
        "math.ctpop", "math.cttz", "math.floor", "math.fma", "math.round",
        "math.roundeven", "math.rsqrt", "math.sqrt", "math.trunc"
      ],
      partial_conversion,
      preserve_handles
    } : !transform.any_op
    transform.yield
  }
}
