// Products to kernels: threads, vectors, registers, pipelines.
//
// Expects: what tile-products leaves, on buffers: scf.forall over blocks of
//   threads with lh.kernel and lh.threads; in it the copies of A's and B's tiles to
//   workgroup memory, in this order, or a gather of A's with lh.gather, and an
//   scf.forall over warps or threads.
// Leaves:  a gpu.launch for each, with lh.product_launch. Tiles are copied 16 bytes a
//   thread; accumulators are carried in registers over the sum. NVIDIA's kernels
//   have three buffers for each operand and copy asynchronously: while one tile
//   is multiplied, the next two are on their way. Rows of matrices that ldmatrix
//   reads are swizzled. All else is untouched.
// Parameters: async, whether there are asynchronous copies to workgroup memory
//   (sm_80 and later).
// Source:  MLIR's nvgpu transform ops; CUTLASS' multistage pipeline. A kernel is
//   taken into a function of its own (loop.outline), since blocks are mapped for
//   one loop of a function, and patterns should leave other kernels alone.
!op = !transform.any_op
module attributes {transform.with_named_sequence} {
  // Of map-kernels.mlir:
  transform.named_sequence private @map_simt(!op {transform.consumed})
  transform.named_sequence private @map_mma_f16(!op {transform.consumed})
  transform.named_sequence private @map_mma_tf32(!op {transform.consumed})
  transform.named_sequence private @map_mma_kernel(!op {transform.consumed})
  transform.named_sequence private @map_mfma(!op {transform.consumed})
  transform.named_sequence private @map_wmma(!op {transform.consumed})

  transform.named_sequence @map_products(%root: !op {transform.consumed}) {
    %simt = transform.structured.match ops{["scf.forall"]} attributes{lh.kernel = "simt"}
        in %root {lh.optional = "none of these"} : (!op) -> !op
    transform.foreach %simt : !op {
    ^bb0(%blocks: !op):
      transform.include @map_simt failures(propagate) (%blocks) : (!op) -> ()
    }
    %mma_f16 = transform.structured.match ops{["scf.forall"]} attributes{lh.kernel = "mma-f16"}
        in %root {lh.optional = "none of these"} : (!op) -> !op
    transform.foreach %mma_f16 : !op {
    ^bb0(%blocks: !op):
      transform.include @map_mma_f16 failures(propagate) (%blocks) : (!op) -> ()
    }
    %mma_tf32 = transform.structured.match ops{["scf.forall"]} attributes{lh.kernel = "mma-tf32"}
        in %root {lh.optional = "none of these"} : (!op) -> !op
    transform.foreach %mma_tf32 : !op {
    ^bb0(%blocks: !op):
      transform.include @map_mma_tf32 failures(propagate) (%blocks) : (!op) -> ()
    }
    %mma_bf16 = transform.structured.match ops{["scf.forall"]} attributes{lh.kernel = "mma-bf16"}
        in %root {lh.optional = "none of these"} : (!op) -> !op
    %mma_bf16_thin = transform.structured.match ops{["scf.forall"]} attributes{lh.kernel = "mma-bf16-thin"}
        in %root {lh.optional = "none of these"} : (!op) -> !op
    %mma_s8 = transform.structured.match ops{["scf.forall"]} attributes{lh.kernel = "mma-s8"}
        in %root {lh.optional = "none of these"} : (!op) -> !op
    %mma = transform.merge_handles %mma_bf16, %mma_bf16_thin, %mma_s8 : !op
    transform.foreach %mma : !op {
    ^bb0(%blocks: !op):
      transform.include @map_mma_kernel failures(propagate) (%blocks) : (!op) -> ()
    }
    %mfma_f16 = transform.structured.match ops{["scf.forall"]} attributes{lh.kernel = "mfma-f16"}
        in %root {lh.optional = "none of these"} : (!op) -> !op
    %mfma_bf16 = transform.structured.match ops{["scf.forall"]} attributes{lh.kernel = "mfma-bf16"}
        in %root {lh.optional = "none of these"} : (!op) -> !op
    %mfma_s8_k16 = transform.structured.match ops{["scf.forall"]} attributes{lh.kernel = "mfma-s8-k16"}
        in %root {lh.optional = "none of these"} : (!op) -> !op
    %mfma_s8_k32 = transform.structured.match ops{["scf.forall"]} attributes{lh.kernel = "mfma-s8-k32"}
        in %root {lh.optional = "none of these"} : (!op) -> !op
    %mfma = transform.merge_handles %mfma_f16, %mfma_bf16, %mfma_s8_k16, %mfma_s8_k32 : !op
    transform.foreach %mfma : !op {
    ^bb0(%blocks: !op):
      transform.include @map_mfma failures(propagate) (%blocks) : (!op) -> ()
    }
    %wmma_f16 = transform.structured.match ops{["scf.forall"]} attributes{lh.kernel = "wmma-f16"}
        in %root {lh.optional = "none of these"} : (!op) -> !op
    %wmma_bf16 = transform.structured.match ops{["scf.forall"]} attributes{lh.kernel = "wmma-bf16"}
        in %root {lh.optional = "none of these"} : (!op) -> !op
    %wmma_s8 = transform.structured.match ops{["scf.forall"]} attributes{lh.kernel = "wmma-s8"}
        in %root {lh.optional = "none of these"} : (!op) -> !op
    %wmma = transform.merge_handles %wmma_f16, %wmma_bf16, %wmma_s8 : !op
    transform.foreach %wmma : !op {
    ^bb0(%blocks: !op):
      transform.include @map_wmma failures(propagate) (%blocks) : (!op) -> ()
    }
    %whole = transform.apply_registered_pass "inline" to %root : (!op) -> !op
    transform.yield
  }
}
