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
//   (sm_80 and later); warp_size, the threads of a warp (AMD: a wave).
// Source:  MLIR's nvgpu transform ops; CUTLASS' multistage pipeline. A kernel is
//   taken into a function of its own (loop.outline), since blocks are mapped for
//   one loop of a function, and patterns should leave other kernels alone.
!op = !transform.any_op
module attributes {transform.with_named_sequence} {
  // Of map-kernels.mlir:
  transform.named_sequence private @map_simt(!op {transform.consumed})
  transform.named_sequence private @map_mma_f16(!op {transform.consumed})
  transform.named_sequence private @map_mma_tf32(!op {transform.consumed})
  transform.named_sequence private @map_instructions(!op {transform.consumed})

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
    %instructions = transform.structured.match ops{["scf.forall"]}
        attributes{lh.kernel = "instruction"} in %root {lh.optional = "none of these"} : (!op) -> !op
    transform.foreach %instructions : !op {
    ^bb0(%blocks: !op):
      transform.include @map_instructions failures(propagate) (%blocks) : (!op) -> ()
    }
    %whole = transform.apply_registered_pass "inline" to %root : (!op) -> !op
    transform.yield
  }
}
