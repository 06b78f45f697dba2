// Data layout of contractions: operands in panels.
//
// Expects: linalg on tensors, with lh.choice (choose); elementwise chains fused
//   (fuse-elementwise).
// Result:  each product whose strategy is "tile" or "amx", with loops (m, n, k) or (batch, m,
//   n, k), as a linalg.generic with the same choice, on B packed as
//   [N/columns][K][columns] and C as [M][N/columns][columns], between linalg.pack
//   and linalg.unpack. A stays as it is: its rows are read a scalar at a time,
//   and packing it costs more than it saves. An elementwise op that follows is
//   marked lh.epilogue. Where the target has outer products, each product whose
//   strategy is "outer" as a linalg.generic marked lh.outer on [M/panel][K][panel]
//   and [N/panel][K][panel]. What doesn't fill a panel is padded with zeros, so
//   that later steps of outer products need no mask.
// Parameters: columns, the width of a panel and of the register tile: two
//   vector registers of f32; half of it or twice as much where a choice has
//   "columns", which may be nothing else. On AVX-512 (1024^3, packing included) 64 columns
//   with 6 rows are as fast as 32 with 12, but waste more at the edges.
//   outer_products, whether the target has them (SME); panel, rows and columns of
//   a panel of theirs, as in outer-products.mlir.
// Source:  Goto & van de Geijn, "Anatomy of high-performance matrix
//   multiplication"; BLIS' micro-kernels for the shape of the register tile.
!op = !transform.any_op
!generic = !transform.op<"linalg.generic">
!flag = !transform.param<i1>
!size = !transform.param<i64>
!choice = !transform.any_param
#matrices = ["mnk", "bmnk", "mmnk", "nmnk"]
module attributes {transform.with_named_sequence} {
  // Of panels.mlir:
  transform.named_sequence private @turn_panels(
      !op {transform.readonly}, !flag {transform.readonly}) -> !op

  transform.named_sequence @is_tiled(%op: !op {transform.readonly}) -> (!op, !choice) {
    %choice = transform.lh.match.choice %op ["tile", "amx"] : (!op) -> !choice
    %sizes:4 = transform.lh.match.product %op loops #matrices {any_body} : !op
    transform.yield %op, %choice : !op, !choice
  }

  transform.named_sequence @is_outer(%op: !op {transform.readonly}) -> !op {
    %choice = transform.lh.match.choice %op ["outer"] : (!op) -> !choice
    %sizes:4 = transform.lh.match.product %op loops #matrices {types = [f32, f64]} : !op
    transform.yield %op : !op
  }

  // Whether each element of the batch has its own left-hand, or right-hand, matrix.
  transform.named_sequence @has_left_batch(%op: !op {transform.readonly}) -> !flag {
    %sizes:4 = transform.lh.match.product %op loops ["bmnk", "mmnk"] {any_body} : !op
    %yes = transform.param.constant true -> !flag
    transform.yield %yes : !flag
  }

  transform.named_sequence @has_right_batch(%op: !op {transform.readonly}) -> !flag {
    %sizes:4 = transform.lh.match.product %op loops ["bmnk", "nmnk"] {any_body} : !op
    %yes = transform.param.constant true -> !flag
    transform.yield %yes : !flag
  }

  transform.named_sequence @epilogue_of(%op: !op {transform.readonly}) -> !op {
    %epilogue = transform.lh.match.identity_consumer %op : (!op) -> !op
    transform.yield %epilogue : !op
  }

  // The columns of a panel that an op's choice asks for.
  transform.named_sequence @has_half(%op: !op {transform.readonly}) -> !flag {
    %size = transform.param.constant 16 : i64 {lh.bind = {value = "half"}} -> !size
    %yes = transform.include @has_columns failures(propagate) (%op, %size)
        : (!op, !size) -> !flag
    transform.yield %yes : !flag
  }

  transform.named_sequence @has_double(%op: !op {transform.readonly}) -> !flag {
    %size = transform.param.constant 64 : i64 {lh.bind = {value = "double"}} -> !size
    %yes = transform.include @has_columns failures(propagate) (%op, %size)
        : (!op, !size) -> !flag
    transform.yield %yes : !flag
  }

  transform.named_sequence @has_columns(
      %op: !op {transform.readonly}, %size: !size {transform.readonly}) -> !flag {
    %none = transform.param.constant 0 : i64 -> !size
    %columns = transform.lh.match.choice %op ["tile", "amx"] key "columns" or %none
        : (!op, !size) -> !size
    transform.match.param.cmpi eq %columns, %size : !size
    %yes = transform.param.constant true -> !flag
    transform.yield %yes : !flag
  }

  // It asks for nothing, or for what is usual.
  transform.named_sequence @has_usual(%op: !op {transform.readonly}) {
    %usual = transform.param.constant 32 : i64 {lh.bind = {value = "columns"}} -> !size
    %columns = transform.lh.match.choice %op ["tile", "amx"] key "columns" or %usual
        : (!op, !size) -> !size
    transform.match.param.cmpi eq %columns, %usual : !size
    transform.yield
  }

  // Panels only: A isn't touched. The columns of one panel lie side by side
  // along K: panels at a large power-of-two stride fall into few cache sets.
  transform.named_sequence @pack(
      %product: !op {transform.consumed}, %choice: !choice {transform.readonly}) {
    %batched = transform.collect_matching @has_right_batch in %product : (!op) -> !flag
    %half = transform.collect_matching @has_half in %product : (!op) -> !flag
    %double = transform.collect_matching @has_double in %product : (!op) -> !flag
    %packed = transform.lh.if %half : !flag -> !generic {
      %narrow = transform.structured.pack_greedily %product
          matmul_packed_sizes = [0, 16, 0] matmul_inner_dims_order = [0, 2, 1]
          {lh.bind = {static_matmul_packed_sizes = [0, "half", 0]}} : (!op) -> !generic
      transform.yield %narrow : !generic
    } else {
      %others = transform.lh.if %double : !flag -> !generic {
        %wide = transform.structured.pack_greedily %product
            matmul_packed_sizes = [0, 64, 0] matmul_inner_dims_order = [0, 2, 1]
            {lh.bind = {static_matmul_packed_sizes = [0, "double", 0]}} : (!op) -> !generic
        transform.yield %wide : !generic
      } else {
        transform.include @has_usual failures(propagate) (%product) : (!op) -> ()
        %usual = transform.structured.pack_greedily %product
            matmul_packed_sizes = [0, 32, 0] matmul_inner_dims_order = [0, 2, 1]
            {lh.bind = {static_matmul_packed_sizes = [0, "columns", 0]}} : (!op) -> !generic
        transform.yield %usual : !generic
      }
      transform.yield %others : !generic
    }
    transform.annotate %packed "lh.choice" = %choice : !generic, !choice
    %panels = transform.get_producer_of_operand %packed[1] : (!generic) -> !op
    %turned = transform.include @turn_panels failures(propagate)
        (%panels, %batched) : (!op, !flag) -> !op
    transform.annotate %turned "lh.choice" = %choice : !op, !choice
    // For who vectorizes it in @prepare.
    %pack = transform.get_producer_of_operand %turned[1] : (!op) -> !op
    transform.annotate %pack "lh.choice" = %choice : !op, !choice
    transform.yield
  }

  transform.named_sequence @pack_both(%product: !op {transform.consumed}) {
    %left_batched = transform.collect_matching @has_left_batch in %product
        : (!op) -> !flag
    %right_batched = transform.collect_matching @has_right_batch in %product
        : (!op) -> !flag
    %packed = transform.structured.pack_greedily %product
        matmul_packed_sizes = [128, 128, 0] matmul_inner_dims_order = [0, 1, 2]
        {lh.bind = {static_matmul_packed_sizes = ["panel", "panel", 0]}} : (!op) -> !generic
    transform.annotate %packed "lh.outer" : !generic
    %left = transform.get_producer_of_operand %packed[0] : (!generic) -> !op
    %right = transform.get_producer_of_operand %packed[1] : (!generic) -> !op
    %once = transform.include @turn_panels failures(propagate)
        (%left, %left_batched) : (!op, !flag) -> !op
    transform.annotate %once "lh.outer" : !op
    %twice = transform.include @turn_panels failures(propagate)
        (%right, %right_batched) : (!op, !flag) -> !op
    transform.annotate %twice "lh.outer" : !op
    transform.yield
  }

  transform.named_sequence @pack_outer_products(%root: !op {transform.readonly}) {
    %products = transform.collect_matching @is_outer in %root : (!op) -> !op
    transform.foreach %products : !op {
    ^bb0(%product: !op):
      transform.include @pack_both failures(propagate) (%product) : (!op) -> ()
    }
    %packed = transform.structured.match ops{["linalg.generic"]}
        attributes{lh.outer} in %root : (!op) -> !op
    %left = transform.get_producer_of_operand %packed[0] : (!op) -> !op
    %right = transform.get_producer_of_operand %packed[1] : (!op) -> !op
    %packs = transform.merge_handles %left, %right : !op
    transform.annotate %packs "lh.outer" : !op
    transform.yield
  }

  transform.named_sequence @pack_contractions(%root: !op {transform.readonly}) {
    %has = transform.param.constant false {lh.bind = {value = "outer_products"}} -> !flag
    transform.lh.if %has : !flag {
      transform.include @pack_outer_products failures(propagate) (%root) : (!op) -> ()
    }
    %functions = transform.structured.match ops{["func.func"]} in %root : (!op) -> !op
    %products, %choices = transform.collect_matching @is_tiled in %functions
        : (!op) -> (!op, !choice)
    %epilogues = transform.collect_matching @epilogue_of in %products : (!op) -> !op
    transform.annotate %epilogues "lh.epilogue" : !op
    transform.foreach %products, %choices : !op, !choice {
    ^bb0(%product: !op, %choice: !choice):
      transform.include @pack failures(propagate) (%product, %choice)
          : (!op, !choice) -> ()
    }
    transform.apply_patterns to %functions {
      transform.apply_patterns.canonicalization
    } : !op
    transform.apply_cse to %functions : !op
    transform.yield
  }
}
