// Data layout of contractions: the right-hand operand in panels.
//
// Expects: linalg on tensors, contractions as named ops or generics, products of
//   words marked lh.product (pack-words); elementwise chains fused
//   (fuse-elementwise).
// Leaves:  each product of numbers of one wide type, and of words, with loops
//   (m, n, k) or (batch, m, n, k)
//   as a linalg.generic with the attribute lh.contraction, on B packed as
//   [N/columns][K][columns] and C as [M][N/columns][columns], between linalg.pack
//   and linalg.unpack. A stays as it is: its rows are read a scalar at a time,
//   and packing it costs more than it saves. What doesn't fill a panel is padded
//   with zeros. An elementwise op that follows is marked lh.epilogue.
//   Products of a few rows with a matrix that is used once are marked lh.thin
//   (thin-contractions). All else is left alone: other orders and numbers of
//   loops, few columns (a panel would be mostly padding), an empty sum.
// Parameters: columns, the width of a panel and of the register tile: two
//   vector registers of f32. On AVX-512 (1024^3, packing included) 64 columns
//   with 6 rows are as fast as 32 with 12, but waste more at the edges.
//   fewest_columns; thin_rows, thin_columns, thin_sum: pack-contractions.yaml.
// Source:  Goto & van de Geijn, "Anatomy of high-performance matrix
//   multiplication"; BLIS' micro-kernels for the shape of the register tile.
!op = !transform.any_op
!flag = !transform.param<i1>
module attributes {transform.with_named_sequence} {
  // Of panels.mlir:
  transform.named_sequence private @has_right_batch(
      !op {transform.readonly}) -> !flag
  transform.named_sequence private @turn_panels(
      !op {transform.readonly}, !flag {transform.readonly}) -> !op

  // Each number of B takes part in few products, and B is packed each time.
  transform.named_sequence @is_thin(%op: !op {transform.readonly}) -> !op {
    %sizes:4 = transform.lh.match.product %op loops ["mnk"]
        {operands = "mk,kn->mn", types = [f32, f64], right_varies,
         at_least = array<i64: -1, -1, 64, 16>,
         at_most = array<i64: -1, 4, -1, -1>,
         lh.bind = {at_least = [-1, -1, "thin_columns", "thin_sum"],
                    at_most = [-1, "thin_rows", -1, -1]}} : !op
    transform.yield %op : !op
  }

  // C[m, n] += A[m, k] * B[k, n], for each element of a batch or with a matrix that
  // all elements share: B's, or A's as im2col gives it.
  transform.named_sequence @is_wide(%op: !op {transform.readonly}) -> !op {
    %sizes:4 = transform.lh.match.product %op
        loops ["mnk", "bmnk", "mmnk", "nmnk"]
        {types = [f32, f64, i32, i64], at_least = array<i64: -1, -1, 8, -1>,
         unknown_is_large,
         lh.bind = {at_least = [-1, -1, "fewest_columns", -1]}} : !op
    transform.yield %op : !op
  }

  transform.named_sequence @mark_thin(%op: !op {transform.readonly}) {
    transform.annotate %op "lh.thin" : !op
    transform.yield
  }

  transform.named_sequence @mark_product(%op: !op {transform.readonly}) {
    transform.annotate %op "lh.product" : !op
    transform.yield
  }

  // What has been marked here, or as a product of words.
  transform.named_sequence @is_product(%op: !op {transform.readonly}) -> !op {
    %sizes:4 = transform.lh.match.product %op
        loops ["mnk", "bmnk", "mmnk", "nmnk"] {any_body} : !op
    transform.yield %op : !op
  }

  transform.named_sequence @epilogue_of(%op: !op {transform.readonly}) -> !op {
    %epilogue = transform.lh.match.identity_consumer %op : (!op) -> !op
    transform.yield %epilogue : !op
  }

  // Panels only: A isn't touched. The columns of one panel lie side by side
  // along K: panels at a large power-of-two stride fall into few cache sets.
  transform.named_sequence @pack(%product: !op {transform.consumed}) {
    %batched = transform.collect_matching @has_right_batch in %product
        {lh.optional = "all may share one matrix"} : (!op) -> !flag
    %packed = transform.structured.pack_greedily %product
        matmul_packed_sizes = [0, 32, 0] matmul_inner_dims_order = [0, 2, 1]
        {lh.bind = {static_matmul_packed_sizes = [0, "columns", 0]}}
        : (!op) -> !transform.op<"linalg.generic">
    transform.annotate %packed "lh.contraction"
        : !transform.op<"linalg.generic">
    %panels = transform.get_producer_of_operand %packed[1]
        : (!transform.op<"linalg.generic">) -> !op
    %turned = transform.include @turn_panels failures(propagate)
        (%panels, %batched) : (!op, !flag) -> !op
    transform.annotate %turned "lh.contraction" : !op
    transform.yield
  }

  transform.named_sequence @pack_contractions(%root: !op {transform.readonly}) {
    %unmarked = transform.structured.match ops{["func.func"]} in %root
        : (!op) -> !op
    %functions = transform.foreach_match in %unmarked
        @is_thin -> @mark_thin, @is_wide -> @mark_product
        {lh.optional = "there may be no products"} : (!op) -> !op
    %marked = transform.structured.match attributes{lh.product} in %root
        {lh.optional = "there may be no products"} : (!op) -> !op
    %products = transform.collect_matching @is_product in %marked
        {lh.optional = "there may be no products"} : (!op) -> !op
    %epilogues = transform.collect_matching @epilogue_of in %products
        {lh.optional = "nothing may follow"} : (!op) -> !op
    transform.annotate %epilogues "lh.epilogue" : !op
    transform.foreach %products : !op {
    ^bb0(%product: !op):
      transform.include @pack failures(propagate) (%product) : (!op) -> ()
    }
    transform.apply_patterns to %functions {
      transform.apply_patterns.canonicalization
    } : !op
    transform.apply_cse to %functions : !op
    transform.yield
  }
}
