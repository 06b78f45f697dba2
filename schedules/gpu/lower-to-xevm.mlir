// How many lanes run in step, which Intel's compiler would choose by itself.
//
// Expects: gpu.func kernels.
// Result:  intel_reqd_sub_group_size on each: as many as fill a register, so that
//   each thread has the most of them. launch-kernels writes shuffles for as many.
// Parameters: lanes, how many fill a register.
// Source:  OpenCL, cl_intel_required_subgroup_size.
!op = !transform.any_op
!size = !transform.param<i32>
module attributes {transform.with_named_sequence} {
  transform.named_sequence @ask_for_lanes(%root: !op {transform.readonly}) {
    %kernels = transform.structured.match ops{["gpu.func"]} in %root
        {lh.optional = "results without elements have no kernels"} : (!op) -> !op
    %lanes = transform.param.constant 16 : i32 {lh.bind = {value = "lanes"}} -> !size
    transform.annotate %kernels "intel_reqd_sub_group_size" = %lanes : !op, !size
    transform.yield
  }
}
