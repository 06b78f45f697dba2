// Which library of vector functions code may call, noted on the module.
//
// Expects: a module in any form.
// Result:  lh.vector_library on it, as LLVM's `opt` and `llc` take it for
//   -vector-library: a function of several numbers, which LLVM's vectorizers make
//   of calls of libm side by side, becomes a call of that library.
// Parameters: library, LLVM's name of it; none.
// Measured (f32, 512 x 1024, one core with AMX): with LIBMVEC a softmax takes 1.5
//   times as long as with cpu/optimize, without it 10 times.
!op = !transform.any_op
!param = !transform.any_param
module attributes {transform.with_named_sequence} {
  transform.named_sequence @name_library(%root: !op {transform.readonly}) {
    %library = transform.param.constant "none" {lh.bind = {value = "library"}} -> !param
    transform.annotate %root "lh.vector_library" = %library : !op, !param
    transform.yield
  }
}
