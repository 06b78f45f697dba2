// Products to kernels: threads, vectors, registers, pipelines.
//
// Expects: what tile-products leaves, on buffers: scf.forall over blocks of
//   threads with lh.kernel and lh.side; in it the copies of A's and B's tiles to workgroup
//   memory, in this order, or a gather of A's with lh.gather, and an scf.forall
//   over warps or threads.
// Leaves:  a gpu.launch for each, with lh.product. Tiles are copied 16 bytes a
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
!param = !transform.any_param
!size = !transform.param<i64>
!flag = !transform.param<i1>
module attributes {transform.with_named_sequence} {
  // Of map-kernels.mlir: blocks; rows and columns of threads for A, and for B.
  transform.named_sequence private @map_mma_f16(!op {transform.consumed},
      !size {transform.readonly}, !size {transform.readonly},
      !size {transform.readonly}, !size {transform.readonly})
  transform.named_sequence private @map_mma_tf32(!op {transform.consumed},
      !size {transform.readonly}, !size {transform.readonly},
      !size {transform.readonly}, !size {transform.readonly})
  transform.named_sequence private @map_mma_kernel(!op {transform.consumed},
      !size {transform.readonly}, !size {transform.readonly},
      !size {transform.readonly}, !size {transform.readonly})
  transform.named_sequence private @map_mfma(!op {transform.consumed},
      !size {transform.readonly}, !size {transform.readonly},
      !size {transform.readonly}, !size {transform.readonly})
  transform.named_sequence private @map_wmma(!op {transform.consumed},
      !size {transform.readonly}, !size {transform.readonly},
      !size {transform.readonly}, !size {transform.readonly})
  transform.named_sequence private @map_simt_kernel(!op {transform.consumed},
      !size {transform.readonly}, !size {transform.readonly},
      !size {transform.readonly}, !size {transform.readonly}) -> !op

  // Each kernel with each of its tiles (lh.side), and the threads that copy A's and
  // B's: rows of threads, 16 bytes of a row to each.
  transform.named_sequence @map_products(%root: !op {transform.consumed}) {
    %c2 = transform.param.constant 2 : i64 -> !size
    %c4 = transform.param.constant 4 : i64 -> !size
    %c8 = transform.param.constant 8 : i64 -> !size
    %c16 = transform.param.constant 16 : i64 -> !size
    %c32 = transform.param.constant 32 : i64 -> !size
    %c64 = transform.param.constant 64 : i64 -> !size
    %c128 = transform.param.constant 128 : i64 -> !size
    // Where A's elements are takes registers to find: these have what they like.
    %gathers = transform.structured.match ops{["linalg.generic"]}
        attributes{lh.gather} in %root {lh.optional = "A is in memory"}
        : (!op) -> !op
    %gathering = transform.get_parent_op %gathers
        {op_name = "scf.forall", deduplicate} : (!op) -> !op
    transform.foreach %gathering : !op {
    ^bb0(%blocks: !op):
      %simt_windows = transform.structured.match ops{["scf.forall"]}
          attributes{lh.kernel = "simt", lh.side = 128 : i64} in %blocks
          {lh.optional = "another kernel"} : (!op) -> !op
      transform.foreach %simt_windows : !op {
      ^bb1(%windows: !op):
        %loop = transform.include @map_simt_kernel failures(propagate) (%windows, %c128, %c2, %c8, %c32)
            : (!op, !size, !size, !size, !size) -> !op
      }
    }
    %simt_128 = transform.structured.match ops{["scf.forall"]}
        attributes{lh.kernel = "simt", lh.side = 128 : i64} in %root
        {lh.optional = "none of these"} : (!op) -> !op
    transform.foreach %simt_128 : !op {
    ^bb0(%blocks: !op):
      %loop = transform.include @map_simt_kernel failures(propagate) (%blocks, %c128, %c2, %c8, %c32)
          : (!op, !size, !size, !size, !size) -> !op
      %async = transform.param.constant true {lh.bind = {value = "async"}} -> !flag
      transform.lh.if %async : !flag {
        transform.annotate %loop "lh.resident_blocks" = %c2 : !op, !size
      }
    }
    %simt_32 = transform.structured.match ops{["scf.forall"]}
        attributes{lh.kernel = "simt", lh.side = 32 : i64} in %root
        {lh.optional = "none of these"} : (!op) -> !op
    transform.foreach %simt_32 : !op {
    ^bb0(%blocks: !op):
      %loop = transform.include @map_simt_kernel failures(propagate) (%blocks, %c32, %c8, %c32, %c8)
          : (!op, !size, !size, !size, !size) -> !op
    }
    %mma_f16_128 = transform.structured.match ops{["scf.forall"]}
        attributes{lh.kernel = "mma-f16", lh.side = 128 : i64} in %root
        {lh.optional = "none of these"} : (!op) -> !op
    transform.foreach %mma_f16_128 : !op {
    ^bb0(%blocks: !op):
      transform.include @map_mma_f16 failures(propagate) (%blocks, %c32, %c4, %c8, %c16)
          : (!op, !size, !size, !size, !size) -> ()
    }
    %mma_f16_32 = transform.structured.match ops{["scf.forall"]}
        attributes{lh.kernel = "mma-f16", lh.side = 32 : i64} in %root
        {lh.optional = "none of these"} : (!op) -> !op
    transform.foreach %mma_f16_32 : !op {
    ^bb0(%blocks: !op):
      transform.include @map_mma_f16 failures(propagate) (%blocks, %c32, %c4, %c32, %c4)
          : (!op, !size, !size, !size, !size) -> ()
    }
    %mma_tf32_128 = transform.structured.match ops{["scf.forall"]}
        attributes{lh.kernel = "mma-tf32", lh.side = 128 : i64} in %root
        {lh.optional = "none of these"} : (!op) -> !op
    transform.foreach %mma_tf32_128 : !op {
    ^bb0(%blocks: !op):
      transform.include @map_mma_tf32 failures(propagate) (%blocks, %c32, %c4, %c4, %c32)
          : (!op, !size, !size, !size, !size) -> ()
    }
    %mma_tf32_32 = transform.structured.match ops{["scf.forall"]}
        attributes{lh.kernel = "mma-tf32", lh.side = 32 : i64} in %root
        {lh.optional = "none of these"} : (!op) -> !op
    transform.foreach %mma_tf32_32 : !op {
    ^bb0(%blocks: !op):
      transform.include @map_mma_tf32 failures(propagate) (%blocks, %c32, %c4, %c16, %c8)
          : (!op, !size, !size, !size, !size) -> ()
    }
    %mma_bf16 = transform.structured.match ops{["scf.forall"]}
        attributes{lh.kernel = "mma-bf16"} in %root
        {lh.optional = "none of these"} : (!op) -> !op
    transform.foreach %mma_bf16 : !op {
    ^bb0(%blocks: !op):
      transform.include @map_mma_kernel failures(propagate) (%blocks, %c32, %c4, %c8, %c16)
          : (!op, !size, !size, !size, !size) -> ()
    }
    %mma_bf16_thin = transform.structured.match ops{["scf.forall"]}
        attributes{lh.kernel = "mma-bf16-thin"} in %root
        {lh.optional = "none of these"} : (!op) -> !op
    %mma_s8 = transform.structured.match ops{["scf.forall"]}
        attributes{lh.kernel = "mma-s8"} in %root
        {lh.optional = "none of these"} : (!op) -> !op
    %mma_others = transform.merge_handles %mma_bf16_thin, %mma_s8 : !op
    transform.foreach %mma_others : !op {
    ^bb0(%blocks: !op):
      transform.include @map_mma_kernel failures(propagate) (%blocks, %c32, %c4, %c32, %c4)
          : (!op, !size, !size, !size, !size) -> ()
    }
    %mfma_f16 = transform.structured.match ops{["scf.forall"]}
        attributes{lh.kernel = "mfma-f16"} in %root
        {lh.optional = "none of these"} : (!op) -> !op
    %mfma_bf16 = transform.structured.match ops{["scf.forall"]}
        attributes{lh.kernel = "mfma-bf16"} in %root
        {lh.optional = "none of these"} : (!op) -> !op
    %mfma_s8_k16 = transform.structured.match ops{["scf.forall"]}
        attributes{lh.kernel = "mfma-s8-k16"} in %root
        {lh.optional = "none of these"} : (!op) -> !op
    %mfma_s8_k32 = transform.structured.match ops{["scf.forall"]}
        attributes{lh.kernel = "mfma-s8-k32"} in %root
        {lh.optional = "none of these"} : (!op) -> !op
    %mfma = transform.merge_handles %mfma_f16, %mfma_bf16,
        %mfma_s8_k16, %mfma_s8_k32 : !op
    transform.foreach %mfma : !op {
    ^bb0(%blocks: !op):
      %wide = transform.structured.match ops{["scf.forall"]}
          attributes{lh.side = 128 : i64} in %blocks
          {lh.optional = "or thin"} : (!op) -> !op
      transform.lh.if %wide : !op {
        transform.include @map_mfma failures(propagate) (%blocks, %c64, %c4, %c64, %c4)
            : (!op, !size, !size, !size, !size) -> ()
      } else {
        transform.include @map_mfma failures(propagate) (%blocks, %c32, %c8, %c32, %c8)
            : (!op, !size, !size, !size, !size) -> ()
      }
    }
    %wmma_f16 = transform.structured.match ops{["scf.forall"]}
        attributes{lh.kernel = "wmma-f16"} in %root
        {lh.optional = "none of these"} : (!op) -> !op
    %wmma_bf16 = transform.structured.match ops{["scf.forall"]}
        attributes{lh.kernel = "wmma-bf16"} in %root
        {lh.optional = "none of these"} : (!op) -> !op
    %wmma_s8 = transform.structured.match ops{["scf.forall"]}
        attributes{lh.kernel = "wmma-s8"} in %root
        {lh.optional = "none of these"} : (!op) -> !op
    %wmma = transform.merge_handles %wmma_f16, %wmma_bf16, %wmma_s8 : !op
    transform.foreach %wmma : !op {
    ^bb0(%blocks: !op):
      transform.include @map_wmma failures(propagate) (%blocks, %c32, %c4, %c32, %c4)
          : (!op, !size, !size, !size, !size) -> ()
    }
    %whole = transform.apply_registered_pass "inline" to %root : (!op) -> !op
    transform.yield
  }
}
