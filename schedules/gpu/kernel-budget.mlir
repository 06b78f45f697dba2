// What kernels may use and must have, noted on the module: the backends cuda and
// rocm hold the chip's own assembly against it.
//
// Expects: a module with kernels, in any form.
// Result:  lh.kernel_budget.registers, .spills and .shared_bytes (-1: any number)
//   and lh.kernel_budget.instructions (with commas between them).
// Parameters: these four.
!op = !transform.any_op
!param = !transform.any_param
module attributes {transform.with_named_sequence} {
  transform.named_sequence @limit_kernels(%root: !op {transform.readonly}) {
    %registers = transform.param.constant -1 : i64 {lh.bind = {value = "registers"}} -> !param
    transform.annotate %root "lh.kernel_budget.registers" = %registers : !op, !param
    %spills = transform.param.constant -1 : i64 {lh.bind = {value = "spills"}} -> !param
    transform.annotate %root "lh.kernel_budget.spills" = %spills : !op, !param
    %shared = transform.param.constant -1 : i64 {lh.bind = {value = "shared_bytes"}} -> !param
    transform.annotate %root "lh.kernel_budget.shared_bytes" = %shared : !op, !param
    %instructions = transform.param.constant "" {lh.bind = {value = "instructions"}} -> !param
    transform.annotate %root "lh.kernel_budget.instructions" = %instructions : !op, !param
    transform.yield
  }
}
