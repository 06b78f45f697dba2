// What only a kernel can say, said by what is in it.
//
// Expects: gpu.func kernels; loops in them may have lh.resident_blocks, which
//   map-products gives to kernels that do well with it. Outlining takes no
//   attribute of a launch along, so that a loop has to carry it.
// Result:  nvvm.minctasm on those kernels (.minnctapersm in PTX): ptxas gives a
//   thread so few registers that as many blocks fit a multiprocessor.
// Parameters: none.
// Source:  PTX ISA, performance-tuning directives.
!op = !transform.any_op
module attributes {transform.with_named_sequence} {
  transform.named_sequence @ask_for_resident_blocks(%root: !op {transform.readonly}) {
    %loops = transform.structured.match ops{["scf.for"]}
        attributes{lh.resident_blocks = 2 : i64} in %root
        {lh.optional = "kernels take what registers they like"} : (!op) -> !op
    %kernels = transform.get_parent_op %loops {op_name = "gpu.func", deduplicate}
        : (!op) -> !op
    %two = transform.param.constant 2 : i32 -> !transform.param<i32>
    transform.annotate %kernels "nvvm.minctasm" = %two
        : !op, !transform.param<i32>
    transform.yield
  }
}
