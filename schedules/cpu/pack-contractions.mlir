// Data layout of contractions: the right-hand operand in panels.
//
// Expects: linalg on tensors, with lh.choice (choose); elementwise chains fused
//   (fuse-elementwise).
// Leaves:  each product whose strategy is "tile", with loops (m, n, k) or (batch, m,
//   n, k), as a linalg.generic with the same choice, on B packed as
//   [N/columns][K][columns] and C as [M][N/columns][columns], between linalg.pack
//   and linalg.unpack. A stays as it is: its rows are read a scalar at a time,
//   and packing it costs more than it saves. What doesn't fill a panel is padded
//   with zeros. An elementwise op that follows is marked lh.epilogue.
// Parameters: columns, the width of a panel and of the register tile: two
//   vector registers of f32. On AVX-512 (1024^3, packing included) 64 columns
//   with 6 rows are as fast as 32 with 12, but waste more at the edges.
// Source:  Goto & van de Geijn, "Anatomy of high-performance matrix
//   multiplication"; BLIS' micro-kernels for the shape of the register tile.
!op = !transform.any_op
!flag = !transform.param<i1>
!choice = !transform.any_param
module attributes {transform.with_named_sequence} {
  // Of panels.mlir:
  transform.named_sequence private @has_right_batch(!op {transform.readonly}) -> !flag
  transform.named_sequence private @turn_panels(
      !op {transform.readonly}, !flag {transform.readonly}) -> !op

  transform.named_sequence @is_tiled(%op: !op {transform.readonly}) -> (!op, !choice) {
    %choice = transform.lh.match.choice %op ["tile"] : (!op) -> !choice
    %sizes:4 = transform.lh.match.product %op
        loops ["mnk", "bmnk", "mmnk", "nmnk"] {any_body} : !op
    transform.yield %op, %choice : !op, !choice
  }

  transform.named_sequence @epilogue_of(%op: !op {transform.readonly}) -> !op {
    %epilogue = transform.lh.match.identity_consumer %op : (!op) -> !op
    transform.yield %epilogue : !op
  }

  // Panels only: A isn't touched. The columns of one panel lie side by side
  // along K: panels at a large power-of-two stride fall into few cache sets.
  transform.named_sequence @pack(
      %product: !op {transform.consumed}, %choice: !choice {transform.readonly}) {
    %batched = transform.collect_matching @has_right_batch in %product
        {lh.optional = "all may share one matrix"} : (!op) -> !flag
    %packed = transform.structured.pack_greedily %product
        matmul_packed_sizes = [0, 32, 0] matmul_inner_dims_order = [0, 2, 1]
        {lh.bind = {static_matmul_packed_sizes = [0, "columns", 0]}}
        : (!op) -> !transform.op<"linalg.generic">
    transform.annotate %packed "lh.choice" = %choice
        : !transform.op<"linalg.generic">, !choice
    %panels = transform.get_producer_of_operand %packed[1]
        : (!transform.op<"linalg.generic">) -> !op
    %turned = transform.include @turn_panels failures(propagate)
        (%panels, %batched) : (!op, !flag) -> !op
    transform.annotate %turned "lh.choice" = %choice : !op, !choice
    transform.yield
  }

  transform.named_sequence @pack_contractions(%root: !op {transform.readonly}) {
    %functions = transform.structured.match ops{["func.func"]} in %root : (!op) -> !op
    %products, %choices = transform.collect_matching @is_tiled in %functions
        {lh.optional = "there may be no products"} : (!op) -> (!op, !choice)
    %epilogues = transform.collect_matching @epilogue_of in %products
        {lh.optional = "nothing may follow"} : (!op) -> !op
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
