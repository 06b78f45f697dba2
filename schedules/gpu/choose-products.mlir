// Which kernel computes a product or a convolution: by what it multiplies and
// what the GPU has.
//
// Expects: linalg on tensors; products, and convolutions of images with channels
//   last, that start at zero, with lh.types (lh-type-products); lh.gathered on
//   those whose A is windows of an image.
// Leaves:  on each product that a kernel takes: lh.kernel, its name; lh.tile, to
//   what its operands are padded (rows, columns, along the sum); lh.rounds, how
//   many tiles along the sum there must be (a pipeline's stages); lh.turned,
//   whether B is read by columns. @choose below is the whole choice; where two
//   lines fit, the later one holds. What no line fits has no lh.kernel, and is
//   computed like any other op, by loops.
// Parameters: mma_sync, wgmma, mfma, wmma, async: what the GPU has; tf32, whether
//   f32 may be rounded to 10 bits on matrix units.
// Source:  the shapes of mma.sync, wgmma (PTX ISA 8.0) and of the matrix
//   instructions of CDNA 2, CDNA 3 and RDNA 3.
module attributes {transform.with_named_sequence} {
  // The module when the fact holds, nothing otherwise.
  transform.named_sequence @with_mma_sync(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    transform.match.operation_name %op ["builtin.module"] : !transform.any_op
    %fact = transform.param.constant true {lh.bind = {value = "mma_sync"}}
        -> !transform.param<i1>
    %true = transform.param.constant true -> !transform.param<i1>
    transform.match.param.cmpi eq %fact, %true : !transform.param<i1>
    transform.yield %op : !transform.any_op
  }

  transform.named_sequence @with_wgmma(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    transform.match.operation_name %op ["builtin.module"] : !transform.any_op
    %fact = transform.param.constant true {lh.bind = {value = "wgmma"}}
        -> !transform.param<i1>
    %true = transform.param.constant true -> !transform.param<i1>
    transform.match.param.cmpi eq %fact, %true : !transform.param<i1>
    transform.yield %op : !transform.any_op
  }

  transform.named_sequence @with_mfma(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    transform.match.operation_name %op ["builtin.module"] : !transform.any_op
    %fact = transform.param.constant true {lh.bind = {value = "mfma"}}
        -> !transform.param<i1>
    %true = transform.param.constant true -> !transform.param<i1>
    transform.match.param.cmpi eq %fact, %true : !transform.param<i1>
    transform.yield %op : !transform.any_op
  }

  transform.named_sequence @with_wmma(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    transform.match.operation_name %op ["builtin.module"] : !transform.any_op
    %fact = transform.param.constant true {lh.bind = {value = "wmma"}}
        -> !transform.param<i1>
    %true = transform.param.constant true -> !transform.param<i1>
    transform.match.param.cmpi eq %fact, %true : !transform.param<i1>
    transform.yield %op : !transform.any_op
  }

  // mma.sync, where f32 may be rounded.
  transform.named_sequence @with_tf32(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    transform.match.operation_name %op ["builtin.module"] : !transform.any_op
    %fact = transform.param.constant true {lh.bind = {value = "mma_sync"}}
        -> !transform.param<i1>
    %allowed = transform.param.constant true {lh.bind = {value = "tf32"}}
        -> !transform.param<i1>
    %true = transform.param.constant true -> !transform.param<i1>
    transform.match.param.cmpi eq %fact, %true : !transform.param<i1>
    transform.match.param.cmpi eq %allowed, %true : !transform.param<i1>
    transform.yield %op : !transform.any_op
  }

  transform.named_sequence @take(
      %products: !transform.any_op {transform.readonly},
      %kernel: !transform.any_param {transform.readonly},
      %tile: !transform.any_param {transform.readonly},
      %rounds: !transform.any_param {transform.readonly},
      %turned: !transform.any_param {transform.readonly}) {
    transform.annotate %products "lh.kernel" = %kernel
        : !transform.any_op, !transform.any_param
    transform.annotate %products "lh.tile" = %tile
        : !transform.any_op, !transform.any_param
    transform.annotate %products "lh.rounds" = %rounds
        : !transform.any_op, !transform.any_param
    transform.annotate %products "lh.turned" = %turned
        : !transform.any_op, !transform.any_param
    transform.yield
  }

  transform.named_sequence @choose(%root: !transform.any_op {transform.readonly}) {
    %once = transform.param.constant 1 -> !transform.any_param
    %stages = transform.param.constant 3 -> !transform.any_param
    %rows = transform.param.constant false -> !transform.any_param
    %columns = transform.param.constant true -> !transform.any_param

    // Any GPU: threads multiply.
    %simt = transform.param.constant "simt" -> !transform.any_param
    %simt_tile = transform.param.constant [128, 128, 8] -> !transform.any_param
    %f32 = transform.structured.match attributes{lh.types = "f32 x f32 -> f32"}
        in %root {lh.optional = "none of these"} : (!transform.any_op) -> !transform.any_op
    transform.include @take failures(propagate) (%f32, %simt, %simt_tile, %stages, %rows)
        : (!transform.any_op, !transform.any_param, !transform.any_param, !transform.any_param, !transform.any_param) -> ()

    // mma.sync: m16n8k16 of f16 and bf16, m16n8k32 of bytes, m16n8k8 of tf32.
    %mma_sync = transform.collect_matching @with_mma_sync in %root
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %mma_sync : !transform.any_op {
    ^bb0(%module: !transform.any_op):
      %mma_f16 = transform.param.constant "mma-f16" -> !transform.any_param
      %mma_bf16 = transform.param.constant "mma-bf16" -> !transform.any_param
      %mma_s8 = transform.param.constant "mma-s8" -> !transform.any_param
      %halves = transform.param.constant [128, 128, 32] -> !transform.any_param
      %bytes = transform.param.constant [128, 128, 64] -> !transform.any_param
      %f16 = transform.structured.match attributes{lh.types = "f16 x f16 -> f32"}
          in %module {lh.optional = "none of these"} : (!transform.any_op) -> !transform.any_op
      transform.include @take failures(propagate) (%f16, %mma_f16, %halves, %stages, %rows)
          : (!transform.any_op, !transform.any_param, !transform.any_param, !transform.any_param, !transform.any_param) -> ()
      %bf16 = transform.structured.match attributes{lh.types = "bf16 x bf16 -> f32"}
          in %module {lh.optional = "none of these"} : (!transform.any_op) -> !transform.any_op
      transform.include @take failures(propagate) (%bf16, %mma_bf16, %halves, %stages, %rows)
          : (!transform.any_op, !transform.any_param, !transform.any_param, !transform.any_param, !transform.any_param) -> ()
      %i8 = transform.structured.match attributes{lh.types = "i8 x i8 -> i32"}
          in %module {lh.optional = "none of these"} : (!transform.any_op) -> !transform.any_op
      transform.include @take failures(propagate) (%i8, %mma_s8, %bytes, %stages, %columns)
          : (!transform.any_op, !transform.any_param, !transform.any_param, !transform.any_param, !transform.any_param) -> ()
    }
    %tf32 = transform.collect_matching @with_tf32 in %root
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %tf32 : !transform.any_op {
    ^bb0(%module: !transform.any_op):
      %mma_tf32 = transform.param.constant "mma-tf32" -> !transform.any_param
      %words = transform.param.constant [128, 128, 16] -> !transform.any_param
      %rounded = transform.structured.match attributes{lh.types = "f32 x f32 -> f32"}
          in %module {lh.optional = "none of these"} : (!transform.any_op) -> !transform.any_op
      transform.include @take failures(propagate) (%rounded, %mma_tf32, %words, %stages, %rows)
          : (!transform.any_op, !transform.any_param, !transform.any_param, !transform.any_param, !transform.any_param) -> ()
    }

    // wgmma: m64n128k16, from tiles that the tensor memory accelerator brings. A
    // batch stays with mma.sync, and so do windows: it brings boxes only.
    %wgmma = transform.collect_matching @with_wgmma in %root
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %wgmma : !transform.any_op {
    ^bb0(%module: !transform.any_op):
      %wgmma_f16 = transform.param.constant "wgmma-f16" -> !transform.any_param
      %wgmma_bf16 = transform.param.constant "wgmma-bf16" -> !transform.any_param
      %groups = transform.param.constant [128, 128, 64] -> !transform.any_param
      %f16 = transform.structured.match attributes{lh.types = "f16 x f16 -> f32", lh.batched = false, lh.gathered = false}
          in %module {lh.optional = "none of these"} : (!transform.any_op) -> !transform.any_op
      transform.include @take failures(propagate) (%f16, %wgmma_f16, %groups, %once, %rows)
          : (!transform.any_op, !transform.any_param, !transform.any_param, !transform.any_param, !transform.any_param) -> ()
      %bf16 = transform.structured.match attributes{lh.types = "bf16 x bf16 -> f32", lh.batched = false, lh.gathered = false}
          in %module {lh.optional = "none of these"} : (!transform.any_op) -> !transform.any_op
      transform.include @take failures(propagate) (%bf16, %wgmma_bf16, %groups, %once, %rows)
          : (!transform.any_op, !transform.any_param, !transform.any_param, !transform.any_param, !transform.any_param) -> ()
    }

    // MFMA of 16x16x16 on CDNA, WMMA of 16x16x16 on RDNA 3: lanes read B along
    // the sum.
    %mfma = transform.collect_matching @with_mfma in %root
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %mfma : !transform.any_op {
    ^bb0(%module: !transform.any_op):
      %mfma_f16 = transform.param.constant "mfma-f16" -> !transform.any_param
      %mfma_bf16 = transform.param.constant "mfma-bf16" -> !transform.any_param
      %tile = transform.param.constant [128, 128, 32] -> !transform.any_param
      %f16 = transform.structured.match attributes{lh.types = "f16 x f16 -> f32"}
          in %module {lh.optional = "none of these"} : (!transform.any_op) -> !transform.any_op
      transform.include @take failures(propagate) (%f16, %mfma_f16, %tile, %once, %columns)
          : (!transform.any_op, !transform.any_param, !transform.any_param, !transform.any_param, !transform.any_param) -> ()
      %bf16 = transform.structured.match attributes{lh.types = "bf16 x bf16 -> f32"}
          in %module {lh.optional = "none of these"} : (!transform.any_op) -> !transform.any_op
      transform.include @take failures(propagate) (%bf16, %mfma_bf16, %tile, %once, %columns)
          : (!transform.any_op, !transform.any_param, !transform.any_param, !transform.any_param, !transform.any_param) -> ()
    }
    %wmma = transform.collect_matching @with_wmma in %root
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %wmma : !transform.any_op {
    ^bb0(%module: !transform.any_op):
      %wmma_f16 = transform.param.constant "wmma-f16" -> !transform.any_param
      %wmma_bf16 = transform.param.constant "wmma-bf16" -> !transform.any_param
      %tile = transform.param.constant [128, 128, 32] -> !transform.any_param
      %f16 = transform.structured.match attributes{lh.types = "f16 x f16 -> f32"}
          in %module {lh.optional = "none of these"} : (!transform.any_op) -> !transform.any_op
      transform.include @take failures(propagate) (%f16, %wmma_f16, %tile, %once, %columns)
          : (!transform.any_op, !transform.any_param, !transform.any_param, !transform.any_param, !transform.any_param) -> ()
      %bf16 = transform.structured.match attributes{lh.types = "bf16 x bf16 -> f32"}
          in %module {lh.optional = "none of these"} : (!transform.any_op) -> !transform.any_op
      transform.include @take failures(propagate) (%bf16, %wmma_bf16, %tile, %once, %columns)
          : (!transform.any_op, !transform.any_param, !transform.any_param, !transform.any_param, !transform.any_param) -> ()
    }
    transform.yield
  }
}
