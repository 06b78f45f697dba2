// Tensors to buffers, copies as linalg.copy.
//
// Expects: a module on tensors without leftover schedule handles; every op is
//   bufferizable (tensor.gather and tensor.scatter are not).
// Result:  memrefs everywhere, identity layout at function boundaries. Copies
//   are linalg.copy, so that a strided copy becomes a loop and not a call of
//   @memrefCopy (by finalize-memref-to-llvm).
//   Loops may yield buffers that they allocate, because ONNX loops grow tensors.
// Parameters: none.
// Source:  MLIR's One-Shot Bufferize; the pass has no option for memcpy_op.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @bufferize(%root: !transform.any_op {transform.consumed}) {
    transform.bufferization.eliminate_empty_tensors %root : !transform.any_op
    %buffers = transform.bufferization.one_shot_bufferize
        layout{IdentityLayoutMap} %root {
          bufferize_function_boundaries = true,
          allow_return_allocs_from_loops = true,
          memcpy_op = "linalg.copy"
        } : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
