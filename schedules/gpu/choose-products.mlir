// Which kernel computes a product or a convolution: by what it multiplies, its
// sizes, and what the GPU has.
//
// Expects: linalg on tensors; products, and convolutions of images with channels
//   last, that start at zero, with lh.types, lh.thin and lh.batched
//   (lh-normalize-products); lh.gathered on those whose A is windows of an image.
// Leaves:  on each product that a kernel takes: lh.kernel, its name;
//   lh.instruction, what its code must have ("": nothing by which to know it);
//   lh.tile, what a block of threads computes at a time (rows, columns, along the
//   sum), to which operands are padded;
//   lh.rounds, how many tiles along the sum there must be (a pipeline's stages);
//   lh.turned, whether B is read by columns. @choose below is the whole choice;
//   where two lines fit, the later one holds. What no line fits has no lh.kernel,
//   and is computed like any other op, by loops.
// Parameters: mma_sync, wgmma, mfma, wmma: what the GPU has; mfma_bytes, how many
//   bytes along the sum one MFMA multiplies; tf32, whether f32 may be rounded to
//   10 bits on matrix units.
// Source:  the shapes of mma.sync, wgmma (PTX ISA 8.0) and of the matrix
//   instructions of CDNA 2, CDNA 3 and RDNA 3.
!op = !transform.any_op
!param = !transform.any_param
!flag = !transform.param<i1>
module attributes {transform.with_named_sequence} {
  // MFMA, and how many bytes along the sum one of them multiplies.
  transform.named_sequence @with_mfma_k16(
      %op: !op {transform.readonly}) -> !op {
    transform.match.operation_name %op ["builtin.module"] : !op
    %fact = transform.param.constant 0 : i64 {lh.bind = {value = "mfma_bytes"}}
        -> !transform.param<i64>
    %bytes = transform.param.constant 16 : i64 -> !transform.param<i64>
    transform.match.param.cmpi eq %fact, %bytes : !transform.param<i64>
    transform.yield %op : !op
  }

  transform.named_sequence @with_mfma_k32(
      %op: !op {transform.readonly}) -> !op {
    transform.match.operation_name %op ["builtin.module"] : !op
    %fact = transform.param.constant 0 : i64 {lh.bind = {value = "mfma_bytes"}}
        -> !transform.param<i64>
    %bytes = transform.param.constant 32 : i64 -> !transform.param<i64>
    transform.match.param.cmpi eq %fact, %bytes : !transform.param<i64>
    transform.yield %op : !op
  }

  transform.named_sequence @take(
      %products: !op {transform.readonly},
      %kernel: !param {transform.readonly},
      %instruction: !param {transform.readonly},
      %tile: !param {transform.readonly},
      %rounds: !param {transform.readonly},
      %turned: !param {transform.readonly}) {
    transform.annotate %products "lh.kernel" = %kernel : !op, !param
    transform.annotate %products "lh.instruction" = %instruction : !op, !param
    transform.annotate %products "lh.tile" = %tile : !op, !param
    transform.annotate %products "lh.rounds" = %rounds : !op, !param
    transform.annotate %products "lh.turned" = %turned : !op, !param
    transform.yield
  }

  transform.named_sequence @choose(%root: !op {transform.readonly}) {
    %once = transform.param.constant 1 -> !param
    %stages = transform.param.constant 3 -> !param
    %rows = transform.param.constant false -> !param
    %columns = transform.param.constant true -> !param

    // Any GPU: threads multiply. Each kernel has two tiles: 128 x 128, and 32 x 32
    // where most of that would lie empty (lh.thin).
    %nothing = transform.param.constant "" -> !param
    %wide = transform.param.constant
        #dlti.map<"rows" = 128 : i64, "columns" = 128 : i64, "sum" = 8 : i64> -> !param
    %small = transform.param.constant
        #dlti.map<"rows" = 32 : i64, "columns" = 32 : i64, "sum" = 32 : i64> -> !param
    %simt = transform.param.constant "simt" -> !param
    %is_simt = transform.structured.match attributes{lh.types = "f32 x f32 -> f32"}
        in %root {lh.optional = "none of these"} : (!op) -> !op
    transform.include @take failures(propagate) (%is_simt, %simt, %nothing, %wide, %stages, %rows)
        : (!op, !param, !param, !param, !param, !param) -> ()
    %is_simt_thin = transform.structured.match attributes{lh.types = "f32 x f32 -> f32", lh.thin = true}
        in %root {lh.optional = "none of these"} : (!op) -> !op
    transform.include @take failures(propagate) (%is_simt_thin, %simt, %nothing, %small, %stages, %rows)
        : (!op, !param, !param, !param, !param, !param) -> ()

    // mma.sync: m16n8k16 of f16 and bf16, m16n8k32 of bytes, m16n8k8 of tf32. The
    // kernel in text for bf16 knows how far apart B's rows lie.
    %mma_sync = transform.param.constant true {lh.bind = {value = "mma_sync"}} -> !flag
    transform.lh.if %mma_sync : !flag {
      %halves = transform.param.constant
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32" -> !param
      %brains = transform.param.constant
          "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32" -> !param
      %bytes = transform.param.constant
          "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32" -> !param
      %tile = transform.param.constant
          #dlti.map<"rows" = 128 : i64, "columns" = 128 : i64, "sum" = 32 : i64> -> !param
      %thin = transform.param.constant
          #dlti.map<"rows" = 32 : i64, "columns" = 32 : i64, "sum" = 32 : i64> -> !param
      %byte_tile = transform.param.constant
          #dlti.map<"rows" = 128 : i64, "columns" = 128 : i64, "sum" = 64 : i64> -> !param
      %thin_bytes = transform.param.constant
          #dlti.map<"rows" = 32 : i64, "columns" = 32 : i64, "sum" = 64 : i64> -> !param
      %mma_f16 = transform.param.constant "mma-f16" -> !param
      %is_mma_f16 = transform.structured.match attributes{lh.types = "f16 x f16 -> f32"}
          in %root {lh.optional = "none of these"} : (!op) -> !op
      transform.include @take failures(propagate) (%is_mma_f16, %mma_f16, %halves, %tile, %stages, %rows)
          : (!op, !param, !param, !param, !param, !param) -> ()
      %is_mma_f16_thin = transform.structured.match attributes{lh.types = "f16 x f16 -> f32", lh.thin = true}
          in %root {lh.optional = "none of these"} : (!op) -> !op
      transform.include @take failures(propagate) (%is_mma_f16_thin, %mma_f16, %halves, %thin, %stages, %rows)
          : (!op, !param, !param, !param, !param, !param) -> ()
      %mma_bf16 = transform.param.constant "mma-bf16" -> !param
      %is_mma_bf16 = transform.structured.match attributes{lh.types = "bf16 x bf16 -> f32"}
          in %root {lh.optional = "none of these"} : (!op) -> !op
      transform.include @take failures(propagate) (%is_mma_bf16, %mma_bf16, %brains, %tile, %stages, %rows)
          : (!op, !param, !param, !param, !param, !param) -> ()
      %mma_bf16_thin = transform.param.constant "mma-bf16-thin" -> !param
      %is_mma_bf16_thin = transform.structured.match attributes{lh.types = "bf16 x bf16 -> f32", lh.thin = true}
          in %root {lh.optional = "none of these"} : (!op) -> !op
      transform.include @take failures(propagate) (%is_mma_bf16_thin, %mma_bf16_thin, %brains, %thin, %stages, %rows)
          : (!op, !param, !param, !param, !param, !param) -> ()
      %mma_s8 = transform.param.constant "mma-s8" -> !param
      %is_mma_s8 = transform.structured.match attributes{lh.types = "i8 x i8 -> i32"}
          in %root {lh.optional = "none of these"} : (!op) -> !op
      transform.include @take failures(propagate) (%is_mma_s8, %mma_s8, %bytes, %byte_tile, %stages, %columns)
          : (!op, !param, !param, !param, !param, !param) -> ()
      %is_mma_s8_thin = transform.structured.match attributes{lh.types = "i8 x i8 -> i32", lh.thin = true}
          in %root {lh.optional = "none of these"} : (!op) -> !op
      transform.include @take failures(propagate) (%is_mma_s8_thin, %mma_s8, %bytes, %thin_bytes, %stages, %columns)
          : (!op, !param, !param, !param, !param, !param) -> ()
    }
    // Where f32 may be rounded.
    %tf32 = transform.param.constant true {lh.bind = {value = "tf32"}} -> !flag
    %rounds = transform.lh.if %mma_sync : !flag -> !flag {
      transform.yield %tf32 : !flag
    } else {
      transform.yield %mma_sync : !flag
    }
    transform.lh.if %rounds : !flag {
      %words = transform.param.constant
          "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32" -> !param
      %tile = transform.param.constant
          #dlti.map<"rows" = 128 : i64, "columns" = 128 : i64, "sum" = 16 : i64> -> !param
      %thin = transform.param.constant
          #dlti.map<"rows" = 32 : i64, "columns" = 32 : i64, "sum" = 16 : i64> -> !param
      %mma_tf32 = transform.param.constant "mma-tf32" -> !param
      %is_mma_tf32 = transform.structured.match attributes{lh.types = "f32 x f32 -> f32"}
          in %root {lh.optional = "none of these"} : (!op) -> !op
      transform.include @take failures(propagate) (%is_mma_tf32, %mma_tf32, %words, %tile, %stages, %rows)
          : (!op, !param, !param, !param, !param, !param) -> ()
      %is_mma_tf32_thin = transform.structured.match attributes{lh.types = "f32 x f32 -> f32", lh.thin = true}
          in %root {lh.optional = "none of these"} : (!op) -> !op
      transform.include @take failures(propagate) (%is_mma_tf32_thin, %mma_tf32, %words, %thin, %stages, %rows)
          : (!op, !param, !param, !param, !param, !param) -> ()
    }

    // wgmma: m64n128k16, from tiles that the tensor memory accelerator brings. A
    // batch and what is thin stay with mma.sync, and so do windows: it brings boxes
    // only.
    %wgmma = transform.param.constant true {lh.bind = {value = "wgmma"}} -> !flag
    transform.lh.if %wgmma : !flag {
      %halves = transform.param.constant
          "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16" -> !param
      %brains = transform.param.constant
          "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16" -> !param
      %tile = transform.param.constant
          #dlti.map<"rows" = 128 : i64, "columns" = 128 : i64, "sum" = 64 : i64> -> !param
      %wgmma_f16 = transform.param.constant "wgmma-f16" -> !param
      %is_wgmma_f16 = transform.structured.match attributes{lh.types = "f16 x f16 -> f32", lh.batched = false, lh.gathered = false, lh.thin = false}
          in %root {lh.optional = "none of these"} : (!op) -> !op
      transform.include @take failures(propagate) (%is_wgmma_f16, %wgmma_f16, %halves, %tile, %once, %rows)
          : (!op, !param, !param, !param, !param, !param) -> ()
      %wgmma_bf16 = transform.param.constant "wgmma-bf16" -> !param
      %is_wgmma_bf16 = transform.structured.match attributes{lh.types = "bf16 x bf16 -> f32", lh.batched = false, lh.gathered = false, lh.thin = false}
          in %root {lh.optional = "none of these"} : (!op) -> !op
      transform.include @take failures(propagate) (%is_wgmma_bf16, %wgmma_bf16, %brains, %tile, %once, %rows)
          : (!op, !param, !param, !param, !param, !param) -> ()
    }

    // MFMA of 16x16x16 on CDNA, of bytes 16x16x32 on CDNA 3; WMMA of 16x16x16 on
    // RDNA 3: lanes read B along the sum.
    %mfma = transform.param.constant true {lh.bind = {value = "mfma"}} -> !flag
    transform.lh.if %mfma : !flag {
      %floats = transform.param.constant "v_mfma_f32_16x16x16" -> !param
      %tile = transform.param.constant
          #dlti.map<"rows" = 128 : i64, "columns" = 128 : i64, "sum" = 32 : i64> -> !param
      %thin = transform.param.constant
          #dlti.map<"rows" = 32 : i64, "columns" = 32 : i64, "sum" = 64 : i64> -> !param
      %mfma_f16 = transform.param.constant "mfma-f16" -> !param
      %is_mfma_f16 = transform.structured.match attributes{lh.types = "f16 x f16 -> f32"}
          in %root {lh.optional = "none of these"} : (!op) -> !op
      transform.include @take failures(propagate) (%is_mfma_f16, %mfma_f16, %floats, %tile, %once, %columns)
          : (!op, !param, !param, !param, !param, !param) -> ()
      %is_mfma_f16_thin = transform.structured.match attributes{lh.types = "f16 x f16 -> f32", lh.thin = true}
          in %root {lh.optional = "none of these"} : (!op) -> !op
      transform.include @take failures(propagate) (%is_mfma_f16_thin, %mfma_f16, %floats, %thin, %once, %columns)
          : (!op, !param, !param, !param, !param, !param) -> ()
      %mfma_bf16 = transform.param.constant "mfma-bf16" -> !param
      %is_mfma_bf16 = transform.structured.match attributes{lh.types = "bf16 x bf16 -> f32"}
          in %root {lh.optional = "none of these"} : (!op) -> !op
      transform.include @take failures(propagate) (%is_mfma_bf16, %mfma_bf16, %floats, %tile, %once, %columns)
          : (!op, !param, !param, !param, !param, !param) -> ()
      %is_mfma_bf16_thin = transform.structured.match attributes{lh.types = "bf16 x bf16 -> f32", lh.thin = true}
          in %root {lh.optional = "none of these"} : (!op) -> !op
      transform.include @take failures(propagate) (%is_mfma_bf16_thin, %mfma_bf16, %floats, %thin, %once, %columns)
          : (!op, !param, !param, !param, !param, !param) -> ()
    }
    %mfma_k16 = transform.collect_matching @with_mfma_k16 in %root : (!op) -> !op
    transform.foreach %mfma_k16 : !op {
    ^bb0(%module: !op):
      %bytes = transform.param.constant "v_mfma_i32_16x16x16i8" -> !param
      %tile = transform.param.constant
          #dlti.map<"rows" = 128 : i64, "columns" = 128 : i64, "sum" = 64 : i64> -> !param
      %thin = transform.param.constant
          #dlti.map<"rows" = 32 : i64, "columns" = 32 : i64, "sum" = 128 : i64> -> !param
      %mfma_s8_k16 = transform.param.constant "mfma-s8-k16" -> !param
      %is_mfma_s8_k16 = transform.structured.match attributes{lh.types = "i8 x i8 -> i32"}
          in %module {lh.optional = "none of these"} : (!op) -> !op
      transform.include @take failures(propagate) (%is_mfma_s8_k16, %mfma_s8_k16, %bytes, %tile, %once, %columns)
          : (!op, !param, !param, !param, !param, !param) -> ()
      %is_mfma_s8_k16_thin = transform.structured.match attributes{lh.types = "i8 x i8 -> i32", lh.thin = true}
          in %module {lh.optional = "none of these"} : (!op) -> !op
      transform.include @take failures(propagate) (%is_mfma_s8_k16_thin, %mfma_s8_k16, %bytes, %thin, %once, %columns)
          : (!op, !param, !param, !param, !param, !param) -> ()
    }
    %mfma_k32 = transform.collect_matching @with_mfma_k32 in %root : (!op) -> !op
    transform.foreach %mfma_k32 : !op {
    ^bb0(%module: !op):
      %bytes = transform.param.constant "v_mfma_i32_16x16x32_i8" -> !param
      %tile = transform.param.constant
          #dlti.map<"rows" = 128 : i64, "columns" = 128 : i64, "sum" = 64 : i64> -> !param
      %thin = transform.param.constant
          #dlti.map<"rows" = 32 : i64, "columns" = 32 : i64, "sum" = 128 : i64> -> !param
      %mfma_s8_k32 = transform.param.constant "mfma-s8-k32" -> !param
      %is_mfma_s8_k32 = transform.structured.match attributes{lh.types = "i8 x i8 -> i32"}
          in %module {lh.optional = "none of these"} : (!op) -> !op
      transform.include @take failures(propagate) (%is_mfma_s8_k32, %mfma_s8_k32, %bytes, %tile, %once, %columns)
          : (!op, !param, !param, !param, !param, !param) -> ()
      %is_mfma_s8_k32_thin = transform.structured.match attributes{lh.types = "i8 x i8 -> i32", lh.thin = true}
          in %module {lh.optional = "none of these"} : (!op) -> !op
      transform.include @take failures(propagate) (%is_mfma_s8_k32_thin, %mfma_s8_k32, %bytes, %thin, %once, %columns)
          : (!op, !param, !param, !param, !param, !param) -> ()
    }
    %wmma = transform.param.constant true {lh.bind = {value = "wmma"}} -> !flag
    transform.lh.if %wmma : !flag {
      %halves = transform.param.constant "v_wmma_f32_16x16x16_f16" -> !param
      %brains = transform.param.constant "v_wmma_f32_16x16x16_bf16" -> !param
      %bytes = transform.param.constant "v_wmma_i32_16x16x16_iu8" -> !param
      %tile = transform.param.constant
          #dlti.map<"rows" = 128 : i64, "columns" = 128 : i64, "sum" = 32 : i64> -> !param
      %thin = transform.param.constant
          #dlti.map<"rows" = 32 : i64, "columns" = 32 : i64, "sum" = 32 : i64> -> !param
      %byte_tile = transform.param.constant
          #dlti.map<"rows" = 128 : i64, "columns" = 128 : i64, "sum" = 64 : i64> -> !param
      %thin_bytes = transform.param.constant
          #dlti.map<"rows" = 32 : i64, "columns" = 32 : i64, "sum" = 64 : i64> -> !param
      %wmma_f16 = transform.param.constant "wmma-f16" -> !param
      %is_wmma_f16 = transform.structured.match attributes{lh.types = "f16 x f16 -> f32"}
          in %root {lh.optional = "none of these"} : (!op) -> !op
      transform.include @take failures(propagate) (%is_wmma_f16, %wmma_f16, %halves, %tile, %once, %columns)
          : (!op, !param, !param, !param, !param, !param) -> ()
      %is_wmma_f16_thin = transform.structured.match attributes{lh.types = "f16 x f16 -> f32", lh.thin = true}
          in %root {lh.optional = "none of these"} : (!op) -> !op
      transform.include @take failures(propagate) (%is_wmma_f16_thin, %wmma_f16, %halves, %thin, %once, %columns)
          : (!op, !param, !param, !param, !param, !param) -> ()
      %wmma_bf16 = transform.param.constant "wmma-bf16" -> !param
      %is_wmma_bf16 = transform.structured.match attributes{lh.types = "bf16 x bf16 -> f32"}
          in %root {lh.optional = "none of these"} : (!op) -> !op
      transform.include @take failures(propagate) (%is_wmma_bf16, %wmma_bf16, %brains, %tile, %once, %columns)
          : (!op, !param, !param, !param, !param, !param) -> ()
      %is_wmma_bf16_thin = transform.structured.match attributes{lh.types = "bf16 x bf16 -> f32", lh.thin = true}
          in %root {lh.optional = "none of these"} : (!op) -> !op
      transform.include @take failures(propagate) (%is_wmma_bf16_thin, %wmma_bf16, %brains, %thin, %once, %columns)
          : (!op, !param, !param, !param, !param, !param) -> ()
      %wmma_s8 = transform.param.constant "wmma-s8" -> !param
      %is_wmma_s8 = transform.structured.match attributes{lh.types = "i8 x i8 -> i32"}
          in %root {lh.optional = "none of these"} : (!op) -> !op
      transform.include @take failures(propagate) (%is_wmma_s8, %wmma_s8, %bytes, %byte_tile, %once, %columns)
          : (!op, !param, !param, !param, !param, !param) -> ()
      %is_wmma_s8_thin = transform.structured.match attributes{lh.types = "i8 x i8 -> i32", lh.thin = true}
          in %root {lh.optional = "none of these"} : (!op) -> !op
      transform.include @take failures(propagate) (%is_wmma_s8_thin, %wmma_s8, %bytes, %thin_bytes, %once, %columns)
          : (!op, !param, !param, !param, !param, !param) -> ()
    }
    transform.yield
  }
}
