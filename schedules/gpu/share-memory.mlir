// Buffers of kernels in workgroup memory get their place: globals of the module.
//
// Expects: gpu.launch; what is allocated in it, is in workgroup memory, of known
//   size, and freed where it was allocated.
// Leaves:  a memref.global for each buffer, on a bound that 16-byte copies, matrix
//   loads and tensor copies all can work with. A kernel that needs more than it
//   may declare (48 KiB on NVIDIA's GPUs) asks for it at launch, in its text, as
//   kernels/wgmma.mlir does.
// Parameters: none.
!op = !transform.any_op
!buffer = !transform.op<"memref.alloca">
module attributes {transform.with_named_sequence} {
  transform.named_sequence @share_memory(%root: !op {transform.readonly}) {
    %launches = transform.structured.match ops{["gpu.launch"]} in %root
        {lh.optional = "there may be no products"} : (!op) -> !op
    %bytes = transform.param.constant 128 : i64 -> !transform.param<i64>
    transform.foreach %launches : !op {
    ^bb0(%launch: !op):
      transform.apply_patterns to %launch {
        transform.apply_patterns.memref.alloc_to_alloca
      } : !op
      %buffers = transform.structured.match ops{["memref.alloca"]} in %launch
          {lh.optional = "kernels in text have places already"}
          : (!op) -> !buffer
      %uses, %globals = transform.memref.alloca_to_global %buffers
          : (!buffer) -> (!op, !op)
      transform.annotate %globals "alignment" = %bytes
          : !op, !transform.param<i64>
      // Without it, they would be somebody else's.
      transform.annotate %globals "initial_value" : !op
    }
    transform.yield
  }
}
