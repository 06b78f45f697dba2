// Which kernel computes a product or a convolution: by what it multiplies, its
// sizes, and what the GPU has.
//
// Expects: linalg on tensors; products, and convolutions of images with channels
//   last, that start at zero, with what lh-normalize-products says of them: lh.types,
//   lh.small (few rows or columns: it is thin), lh.batched, lh.gathered (A is
//   windows of an image).
// Result:  lh.choice on each product that a rule fits; the later one holds where two
//   do. What no rule fits is computed like any other op, by loops. A choice from a
//   bubble in front of this one stays (it has no lh.types).
// Parameters: mma_sync, wgmma, mfma, mfma_k16, mfma_k32, wmma, dpas: what the GPU has;
//   tf32: whether f32 may be rounded to 10 bits on matrix units; few_registers:
//   whether a thread has half as many as on most GPUs.
// Source:  the shapes of mma.sync, wgmma (PTX ISA 8.0) and of the matrix
//   instructions of CDNA 2, CDNA 3, RDNA 3 and Xe HPC.
!op = !transform.any_op
!param = !transform.any_param
!flag = !transform.param<i1>

// Rows and columns of threads that copy a tile of A, and one of B: 16 bytes of a row
// to each thread. resident: how many blocks should have their registers on one
// multiprocessor; 0: as many as do.
#simt_threads = #dlti.map<"left_rows" = 128, "left_columns" = 2, "right_rows" = 8, "right_columns" = 32, "resident" = 2>
#simt_small_threads = #dlti.map<"left_rows" = 32, "left_columns" = 8, "right_rows" = 32, "right_columns" = 8, "resident" = 0>
#simt_few_threads = #dlti.map<"left_rows" = 64, "left_columns" = 4, "right_rows" = 16, "right_columns" = 16, "resident" = 0>
#simt_few_small_threads = #dlti.map<"left_rows" = 32, "left_columns" = 4, "right_rows" = 16, "right_columns" = 8, "resident" = 0>
#t64x4_64x4 = #dlti.map<"left_rows" = 64, "left_columns" = 4, "right_rows" = 64, "right_columns" = 4>
#t32x8_32x8 = #dlti.map<"left_rows" = 32, "left_columns" = 8, "right_rows" = 32, "right_columns" = 8>
#t16x4_16x4 = #dlti.map<"left_rows" = 16, "left_columns" = 4, "right_rows" = 16, "right_columns" = 4>
#t32x4_32x4 = #dlti.map<"left_rows" = 32, "left_columns" = 4, "right_rows" = 32, "right_columns" = 4>
#t32x4_16x8 = #dlti.map<"left_rows" = 32, "left_columns" = 4, "right_rows" = 16, "right_columns" = 8>
#t32x4_8x16 = #dlti.map<"left_rows" = 32, "left_columns" = 4, "right_rows" = 8, "right_columns" = 16>
#t32x4_4x32 = #dlti.map<"left_rows" = 32, "left_columns" = 4, "right_rows" = 4, "right_columns" = 32>

// The choices. strategy names the kernel; instruction is what its code must have;
// rows, columns, sum are what a block of threads computes at a time, to which operands
// are padded; rounds, how many tiles along the sum there must be (a pipeline's
// stages); turned, whether B is read by columns. What is thin would leave most of a
// large tile empty.
//
// Any GPU: threads multiply.
#simt = #dlti.map<
    "large" = #dlti.map<"strategy" = "simt", "rule" = "f32", "rows" = 128, "columns" = 128,
        "sum" = 8, "rounds" = 3, "threads" = #simt_threads>,
    "small" = #dlti.map<"strategy" = "simt", "rule" = "thin f32", "rows" = 32,
        "columns" = 32, "sum" = 32, "rounds" = 3, "threads" = #simt_small_threads>>

// ... and hold fewer numbers where they have half as many registers.
#simt_few = #dlti.map<
    "large" = #dlti.map<"strategy" = "simt", "rule" = "f32, few_registers", "rows" = 64,
        "columns" = 64, "sum" = 16, "rounds" = 3, "threads" = #simt_few_threads>,
    "small" = #dlti.map<"strategy" = "simt", "rule" = "thin f32, few_registers", "rows" = 32,
        "columns" = 32, "sum" = 16, "rounds" = 3, "threads" = #simt_few_small_threads>>

// mma.sync: m16n8k16 of f16 and bf16, m16n8k32 of bytes, m16n8k8 of tf32. The kernel
// in text for bf16 knows how far apart B's rows lie.
#m16n8k16_f16 = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
#m16n8k16_bf16 = "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"
#m16n8k32_s8 = "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32"
#m16n8k8_tf32 = "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"
#mma_f16 = #dlti.map<
    "large" = #dlti.map<"strategy" = "mma-f16", "rule" = "f16, mma_sync", "instruction" = #m16n8k16_f16,
        "rows" = 128, "columns" = 128, "sum" = 32, "rounds" = 3, "threads" = #t32x4_8x16>,
    "small" = #dlti.map<"strategy" = "mma-f16", "rule" = "thin f16, mma_sync", "instruction" = #m16n8k16_f16,
        "rows" = 32, "columns" = 32, "sum" = 32, "rounds" = 3, "threads" = #t32x4_32x4>>
#mma_bf16 = #dlti.map<
    "large" = #dlti.map<"strategy" = "mma-bf16", "rule" = "bf16, mma_sync", "instruction" = #m16n8k16_bf16,
        "rows" = 128, "columns" = 128, "sum" = 32, "rounds" = 3, "threads" = #t32x4_8x16>,
    "small" = #dlti.map<"strategy" = "mma-bf16-thin", "rule" = "thin bf16, mma_sync", "instruction" = #m16n8k16_bf16,
        "rows" = 32, "columns" = 32, "sum" = 32, "rounds" = 3, "threads" = #t32x4_32x4>>
#mma_s8 = #dlti.map<
    "large" = #dlti.map<"strategy" = "mma-s8", "rule" = "i8, mma_sync", "instruction" = #m16n8k32_s8,
        "rows" = 128, "columns" = 128, "sum" = 64, "rounds" = 3, "turned" = true, "threads" = #t32x4_32x4>,
    "small" = #dlti.map<"strategy" = "mma-s8", "rule" = "thin i8, mma_sync", "instruction" = #m16n8k32_s8,
        "rows" = 32, "columns" = 32, "sum" = 64, "rounds" = 3, "turned" = true, "threads" = #t32x4_32x4>>
#mma_tf32 = #dlti.map<
    "large" = #dlti.map<"strategy" = "mma-tf32", "rule" = "f32, tf32", "instruction" = #m16n8k8_tf32,
        "rows" = 128, "columns" = 128, "sum" = 16, "rounds" = 3, "threads" = #t32x4_4x32>,
    "small" = #dlti.map<"strategy" = "mma-tf32", "rule" = "thin f32, tf32", "instruction" = #m16n8k8_tf32,
        "rows" = 32, "columns" = 32, "sum" = 16, "rounds" = 3, "threads" = #t32x4_16x8>>

// wgmma: m64n128k16, from tiles that the tensor memory accelerator brings.
#m64n128k16_f16 = "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16"
#m64n128k16_bf16 = "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16"
#wgmma_f16 = #dlti.map<"strategy" = "wgmma-f16", "rule" = "f16, wgmma", "instruction" = #m64n128k16_f16,
    "rows" = 128, "columns" = 128, "sum" = 64>
#wgmma_bf16 = #dlti.map<"strategy" = "wgmma-bf16", "rule" = "bf16, wgmma", "instruction" = #m64n128k16_bf16,
    "rows" = 128, "columns" = 128, "sum" = 64>

// MFMA of 16x16x16 on CDNA, of bytes 16x16x32 on CDNA 3: lanes read B along the sum.
#v_mfma_floats = "v_mfma_f32_16x16x16"
#v_mfma_k16 = "v_mfma_i32_16x16x16i8"
#v_mfma_k32 = "v_mfma_i32_16x16x32_i8"
#mfma_f16 = #dlti.map<
    "large" = #dlti.map<"strategy" = "mfma-f16", "rule" = "f16, mfma", "instruction" = #v_mfma_floats,
        "rows" = 128, "columns" = 128, "sum" = 32, "turned" = true, "threads" = #t64x4_64x4>,
    "small" = #dlti.map<"strategy" = "mfma-f16", "rule" = "thin f16, mfma", "instruction" = #v_mfma_floats,
        "rows" = 32, "columns" = 32, "sum" = 64, "turned" = true, "threads" = #t32x8_32x8>>
#mfma_bf16 = #dlti.map<
    "large" = #dlti.map<"strategy" = "mfma-bf16", "rule" = "bf16, mfma", "instruction" = #v_mfma_floats,
        "rows" = 128, "columns" = 128, "sum" = 32, "turned" = true, "threads" = #t64x4_64x4>,
    "small" = #dlti.map<"strategy" = "mfma-bf16", "rule" = "thin bf16, mfma", "instruction" = #v_mfma_floats,
        "rows" = 32, "columns" = 32, "sum" = 64, "turned" = true, "threads" = #t32x8_32x8>>
#mfma_s8_k16 = #dlti.map<
    "large" = #dlti.map<"strategy" = "mfma-s8-k16", "rule" = "i8, mfma_k16", "instruction" = #v_mfma_k16,
        "rows" = 128, "columns" = 128, "sum" = 64, "turned" = true, "threads" = #t64x4_64x4>,
    "small" = #dlti.map<"strategy" = "mfma-s8-k16", "rule" = "thin i8, mfma_k16", "instruction" = #v_mfma_k16,
        "rows" = 32, "columns" = 32, "sum" = 128, "turned" = true, "threads" = #t32x8_32x8>>
#mfma_s8_k32 = #dlti.map<
    "large" = #dlti.map<"strategy" = "mfma-s8-k32", "rule" = "i8, mfma_k32", "instruction" = #v_mfma_k32,
        "rows" = 128, "columns" = 128, "sum" = 64, "turned" = true, "threads" = #t64x4_64x4>,
    "small" = #dlti.map<"strategy" = "mfma-s8-k32", "rule" = "thin i8, mfma_k32", "instruction" = #v_mfma_k32,
        "rows" = 32, "columns" = 32, "sum" = 128, "turned" = true, "threads" = #t32x8_32x8>>

// WMMA of 16x16x16 on RDNA 3: the same.
#v_wmma_f16 = "v_wmma_f32_16x16x16_f16"
#v_wmma_bf16 = "v_wmma_f32_16x16x16_bf16"
#v_wmma_s8 = "v_wmma_i32_16x16x16_iu8"
#wmma_f16 = #dlti.map<
    "large" = #dlti.map<"strategy" = "wmma-f16", "rule" = "f16, wmma", "instruction" = #v_wmma_f16,
        "rows" = 128, "columns" = 128, "sum" = 32, "turned" = true, "threads" = #t32x4_32x4>,
    "small" = #dlti.map<"strategy" = "wmma-f16", "rule" = "thin f16, wmma", "instruction" = #v_wmma_f16,
        "rows" = 32, "columns" = 32, "sum" = 32, "turned" = true, "threads" = #t32x4_32x4>>
#wmma_bf16 = #dlti.map<
    "large" = #dlti.map<"strategy" = "wmma-bf16", "rule" = "bf16, wmma", "instruction" = #v_wmma_bf16,
        "rows" = 128, "columns" = 128, "sum" = 32, "turned" = true, "threads" = #t32x4_32x4>,
    "small" = #dlti.map<"strategy" = "wmma-bf16", "rule" = "thin bf16, wmma", "instruction" = #v_wmma_bf16,
        "rows" = 32, "columns" = 32, "sum" = 32, "turned" = true, "threads" = #t32x4_32x4>>
#wmma_s8 = #dlti.map<
    "large" = #dlti.map<"strategy" = "wmma-s8", "rule" = "i8, wmma", "instruction" = #v_wmma_s8,
        "rows" = 128, "columns" = 128, "sum" = 64, "turned" = true, "threads" = #t32x4_32x4>,
    "small" = #dlti.map<"strategy" = "wmma-s8", "rule" = "thin i8, wmma", "instruction" = #v_wmma_s8,
        "rows" = 32, "columns" = 32, "sum" = 64, "turned" = true, "threads" = #t32x4_32x4>>

// DPAS of 8x16x16 on Xe HPC, of bytes 8x16x32: the same. Larger tiles' accumulators,
// operands and copies don't fit a subgroup's registers.
#dpas_f16 = #dlti.map<
    "large" = #dlti.map<"strategy" = "dpas-f16", "rule" = "f16, dpas", "instruction" = "dpas",
        "rows" = 32, "columns" = 64, "sum" = 32, "turned" = true, "threads" = #t16x4_16x4>,
    "small" = #dlti.map<"strategy" = "dpas-f16", "rule" = "thin f16, dpas", "instruction" = "dpas",
        "rows" = 32, "columns" = 32, "sum" = 32, "turned" = true, "threads" = #t16x4_16x4>>
#dpas_s8 = #dlti.map<
    "large" = #dlti.map<"strategy" = "dpas-s8", "rule" = "i8, dpas", "instruction" = "dpas",
        "rows" = 32, "columns" = 64, "sum" = 64, "turned" = true, "threads" = #t16x4_16x4>,
    "small" = #dlti.map<"strategy" = "dpas-s8", "rule" = "thin i8, dpas", "instruction" = "dpas",
        "rows" = 32, "columns" = 32, "sum" = 64, "turned" = true, "threads" = #t16x4_16x4>>
#dpas_bf16 = #dlti.map<
    "large" = #dlti.map<"strategy" = "dpas-bf16", "rule" = "bf16, dpas", "instruction" = "dpas",
        "rows" = 32, "columns" = 64, "sum" = 32, "turned" = true, "threads" = #t16x4_16x4>,
    "small" = #dlti.map<"strategy" = "dpas-bf16", "rule" = "thin bf16, dpas", "instruction" = "dpas",
        "rows" = 32, "columns" = 32, "sum" = 32, "turned" = true, "threads" = #t16x4_16x4>>

module attributes {transform.with_named_sequence} {
  // The large or the small one of two kernels for each of these ops.
  transform.named_sequence @choose_for(
      %ops: !op {transform.readonly}, %kernels: !param {transform.readonly}) {
    transform.foreach %ops : !op {
    ^bb0(%op: !op):
      transform.annotate %op "lh.choice" = %kernels : !op, !param
      %large = transform.dlti.query ["large"] at %op : (!op) -> !param
      %small = transform.dlti.query ["small"] at %op : (!op) -> !param
      transform.annotate %op "lh.choice" = %large : !op, !param
      %thin = transform.structured.match attributes{lh.small = true} in %op
          {lh.optional = "it may be large"} : (!op) -> !op
      transform.annotate %thin "lh.choice" = %small : !op, !param
    }
    transform.yield
  }

  transform.named_sequence @choose(%root: !op {transform.readonly}) {
    %f32 = transform.structured.match attributes{lh.types = "f32 x f32 -> f32"}
        in %root {lh.optional = "none of these"} : (!op) -> !op
    %f16 = transform.structured.match attributes{lh.types = "f16 x f16 -> f32"}
        in %root {lh.optional = "none of these"} : (!op) -> !op
    %bf16 = transform.structured.match attributes{lh.types = "bf16 x bf16 -> f32"}
        in %root {lh.optional = "none of these"} : (!op) -> !op
    %s8 = transform.structured.match attributes{lh.types = "i8 x i8 -> i32"}
        in %root {lh.optional = "none of these"} : (!op) -> !op

    %simt = transform.param.constant #simt -> !param
    transform.include @choose_for failures(propagate) (%f32, %simt) : (!op, !param) -> ()
    %few_registers = transform.param.constant true {lh.bind = {value = "few_registers"}} -> !flag
    transform.lh.if %few_registers : !flag {
      %simt_few = transform.param.constant #simt_few -> !param
      transform.include @choose_for failures(propagate) (%f32, %simt_few) : (!op, !param) -> ()
    }
    %mma_sync = transform.param.constant true {lh.bind = {value = "mma_sync"}} -> !flag
    transform.lh.if %mma_sync : !flag {
      %mma_f16 = transform.param.constant #mma_f16 -> !param
      transform.include @choose_for failures(propagate) (%f16, %mma_f16) : (!op, !param) -> ()
      %mma_bf16 = transform.param.constant #mma_bf16 -> !param
      transform.include @choose_for failures(propagate) (%bf16, %mma_bf16) : (!op, !param) -> ()
      %mma_s8 = transform.param.constant #mma_s8 -> !param
      transform.include @choose_for failures(propagate) (%s8, %mma_s8) : (!op, !param) -> ()
    }
    %tf32 = transform.param.constant true {lh.bind = {value = "tf32"}} -> !flag
    transform.lh.if %tf32 : !flag {
      %mma_tf32 = transform.param.constant #mma_tf32 -> !param
      transform.include @choose_for failures(propagate) (%f32, %mma_tf32) : (!op, !param) -> ()
    }
    // A batch and what is thin stay with mma.sync, and so do windows: the tensor
    // memory accelerator brings boxes only.
    %wgmma = transform.param.constant true {lh.bind = {value = "wgmma"}} -> !flag
    transform.lh.if %wgmma : !flag {
      %f16_boxes = transform.structured.match attributes{lh.types = "f16 x f16 -> f32", lh.batched = false,
          lh.gathered = false, lh.small = false}
          in %root {lh.optional = "none of these"} : (!op) -> !op
      %wgmma_f16 = transform.param.constant #wgmma_f16 -> !param
      transform.annotate %f16_boxes "lh.choice" = %wgmma_f16 : !op, !param
      %bf16_boxes = transform.structured.match attributes{lh.types = "bf16 x bf16 -> f32", lh.batched = false,
          lh.gathered = false, lh.small = false}
          in %root {lh.optional = "none of these"} : (!op) -> !op
      %wgmma_bf16 = transform.param.constant #wgmma_bf16 -> !param
      transform.annotate %bf16_boxes "lh.choice" = %wgmma_bf16 : !op, !param
    }
    %mfma = transform.param.constant true {lh.bind = {value = "mfma"}} -> !flag
    transform.lh.if %mfma : !flag {
      %mfma_f16 = transform.param.constant #mfma_f16 -> !param
      transform.include @choose_for failures(propagate) (%f16, %mfma_f16) : (!op, !param) -> ()
      %mfma_bf16 = transform.param.constant #mfma_bf16 -> !param
      transform.include @choose_for failures(propagate) (%bf16, %mfma_bf16) : (!op, !param) -> ()
    }
    %mfma_k16 = transform.param.constant true {lh.bind = {value = "mfma_k16"}} -> !flag
    transform.lh.if %mfma_k16 : !flag {
      %mfma_s8_k16 = transform.param.constant #mfma_s8_k16 -> !param
      transform.include @choose_for failures(propagate) (%s8, %mfma_s8_k16) : (!op, !param) -> ()
    }
    %mfma_k32 = transform.param.constant true {lh.bind = {value = "mfma_k32"}} -> !flag
    transform.lh.if %mfma_k32 : !flag {
      %mfma_s8_k32 = transform.param.constant #mfma_s8_k32 -> !param
      transform.include @choose_for failures(propagate) (%s8, %mfma_s8_k32) : (!op, !param) -> ()
    }
    %wmma = transform.param.constant true {lh.bind = {value = "wmma"}} -> !flag
    transform.lh.if %wmma : !flag {
      %wmma_f16 = transform.param.constant #wmma_f16 -> !param
      transform.include @choose_for failures(propagate) (%f16, %wmma_f16) : (!op, !param) -> ()
      %wmma_bf16 = transform.param.constant #wmma_bf16 -> !param
      transform.include @choose_for failures(propagate) (%bf16, %wmma_bf16) : (!op, !param) -> ()
      %wmma_s8 = transform.param.constant #wmma_s8 -> !param
      transform.include @choose_for failures(propagate) (%s8, %wmma_s8) : (!op, !param) -> ()
    }
    %dpas = transform.param.constant true {lh.bind = {value = "dpas"}} -> !flag
    transform.lh.if %dpas : !flag {
      %dpas_f16 = transform.param.constant #dpas_f16 -> !param
      transform.include @choose_for failures(propagate) (%f16, %dpas_f16) : (!op, !param) -> ()
      %dpas_bf16 = transform.param.constant #dpas_bf16 -> !param
      transform.include @choose_for failures(propagate) (%bf16, %dpas_bf16) : (!op, !param) -> ()
      %dpas_s8 = transform.param.constant #dpas_s8 -> !param
      transform.include @choose_for failures(propagate) (%s8, %dpas_s8) : (!op, !param) -> ()
    }
    transform.yield
  }
}
