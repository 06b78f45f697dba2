// Data layout of contractions: the right-hand operand in panels.
//
// Expects: linalg on tensors, contractions as named ops or generics, those of
//   one wide type that fill a panel marked (lh-mark-products); elementwise chains fused
//   (fuse-elementwise).
// Leaves:  each marked contraction with loops (m, n, k) or (batch, m, n, k)
//   as a linalg.generic with the attribute lh.contraction, on B packed as
//   [N/columns][K][columns] and C as [M][N/columns][columns], between linalg.pack
//   and linalg.unpack. A stays as it is: its rows are read a scalar at a time,
//   and packing it costs more than it saves. What doesn't fill a panel is padded
//   with zeros. An elementwise op that follows is marked lh.epilogue.
//   All else is left alone: other orders and numbers of loops, and what isn't
//   marked, as N < 8 (a panel would be mostly padding) or an empty sum.
// Parameters: columns, the width of a panel and of the register tile: two
//   vector registers of f32. On AVX-512 (1024^3, packing included) 64 columns
//   with 6 rows are as fast as 32 with 12, but waste more at the edges.
// Source:  Goto & van de Geijn, "Anatomy of high-performance matrix
//   multiplication"; BLIS' micro-kernels for the shape of the register tile.
module attributes {transform.with_named_sequence} {
  // C[m, n] += A[m, k] * B[k, n]
  transform.named_sequence @is_product(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %loops = transform.param.constant 3 : i64 -> !transform.param<i64>
    %rows = transform.param.constant 0 : i64 -> !transform.param<i64>
    %columns = transform.param.constant 1 : i64 -> !transform.param<i64>
    %sum = transform.param.constant 2 : i64 -> !transform.param<i64>
    transform.match.structured failures(propagate) %op : !transform.any_op {
    ^bb0(%s: !transform.any_op):
      %rank = transform.match.structured.rank %s
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi eq %rank, %loops : !transform.param<i64>
      %batch, %m, %n, %k = transform.match.structured.classify_contraction_dims %s
          : (!transform.any_op) -> (!transform.param<i64>, !transform.param<i64>,
                                    !transform.param<i64>, !transform.param<i64>)
      transform.match.param.cmpi eq %m, %rows : !transform.param<i64>
      transform.match.param.cmpi eq %n, %columns : !transform.param<i64>
      transform.match.param.cmpi eq %k, %sum : !transform.param<i64>
      transform.match.structured.yield
    }
    transform.yield %op : !transform.any_op
  }

  // C[b, m, n] += A[b, m, k] * B[b, k, n]
  transform.named_sequence @is_batched_product(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %loops = transform.param.constant 4 : i64 -> !transform.param<i64>
    %rows = transform.param.constant 1 : i64 -> !transform.param<i64>
    %columns = transform.param.constant 2 : i64 -> !transform.param<i64>
    %sum = transform.param.constant 3 : i64 -> !transform.param<i64>
    transform.match.structured failures(propagate) %op : !transform.any_op {
    ^bb0(%s: !transform.any_op):
      %rank = transform.match.structured.rank %s
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi eq %rank, %loops : !transform.param<i64>
      %batch, %m, %n, %k = transform.match.structured.classify_contraction_dims %s
          : (!transform.any_op) -> (!transform.param<i64>, !transform.param<i64>,
                                    !transform.param<i64>, !transform.param<i64>)
      transform.match.param.cmpi eq %m, %rows : !transform.param<i64>
      transform.match.param.cmpi eq %n, %columns : !transform.param<i64>
      transform.match.param.cmpi eq %k, %sum : !transform.param<i64>
      transform.match.structured.yield
    }
    transform.yield %op : !transform.any_op
  }

  // C[b, m, n] += A[b, m, k] * B[k, n]
  transform.named_sequence @is_shared_right(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %loops = transform.param.constant 4 : i64 -> !transform.param<i64>
    %rows0 = transform.param.constant 0 : i64 -> !transform.param<i64>
    %rows1 = transform.param.constant 1 : i64 -> !transform.param<i64>
    %rows = transform.merge_handles %rows0, %rows1 : !transform.param<i64>
    %columns = transform.param.constant 2 : i64 -> !transform.param<i64>
    %sum = transform.param.constant 3 : i64 -> !transform.param<i64>
    transform.match.structured failures(propagate) %op : !transform.any_op {
    ^bb0(%s: !transform.any_op):
      %rank = transform.match.structured.rank %s
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi eq %rank, %loops : !transform.param<i64>
      %batch, %m, %n, %k = transform.match.structured.classify_contraction_dims %s
          : (!transform.any_op) -> (!transform.param<i64>, !transform.param<i64>,
                                    !transform.param<i64>, !transform.param<i64>)
      transform.match.param.cmpi eq %m, %rows : !transform.param<i64>
      transform.match.param.cmpi eq %n, %columns : !transform.param<i64>
      transform.match.param.cmpi eq %k, %sum : !transform.param<i64>
      transform.match.structured.yield
    }
    transform.yield %op : !transform.any_op
  }

  // C[b, m, n] += A[m, k] * B[b, k, n]: what im2col gives
  transform.named_sequence @is_shared_left(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %loops = transform.param.constant 4 : i64 -> !transform.param<i64>
    %rows = transform.param.constant 1 : i64 -> !transform.param<i64>
    %columns0 = transform.param.constant 0 : i64 -> !transform.param<i64>
    %columns2 = transform.param.constant 2 : i64 -> !transform.param<i64>
    %columns = transform.merge_handles %columns0, %columns2 : !transform.param<i64>
    %sum = transform.param.constant 3 : i64 -> !transform.param<i64>
    transform.match.structured failures(propagate) %op : !transform.any_op {
    ^bb0(%s: !transform.any_op):
      %rank = transform.match.structured.rank %s
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi eq %rank, %loops : !transform.param<i64>
      %batch, %m, %n, %k = transform.match.structured.classify_contraction_dims %s
          : (!transform.any_op) -> (!transform.param<i64>, !transform.param<i64>,
                                    !transform.param<i64>, !transform.param<i64>)
      transform.match.param.cmpi eq %m, %rows : !transform.param<i64>
      transform.match.param.cmpi eq %n, %columns : !transform.param<i64>
      transform.match.param.cmpi eq %k, %sum : !transform.param<i64>
      transform.match.structured.yield
    }
    transform.yield %op : !transform.any_op
  }

  // Panels only: A isn't touched. The columns of one panel lie side by side
  // along K: panels at a large power-of-two stride fall into few cache sets.
  transform.named_sequence @pack_matrix(
      %contraction: !transform.any_op {transform.consumed}) {
    %packed = transform.structured.pack_greedily %contraction
        matmul_packed_sizes = [0, 32, 0] matmul_inner_dims_order = [0, 2, 1]
        {lh.bind = {static_matmul_packed_sizes = [0, "columns", 0]}}
        : (!transform.any_op) -> !transform.op<"linalg.generic">
    transform.annotate %packed "lh.contraction"
        : !transform.op<"linalg.generic">
    %panels = transform.get_producer_of_operand %packed[1]
        : (!transform.op<"linalg.generic">) -> !transform.any_op
    %rows_of_k = transform.structured.match ops{["linalg.pack"]}
        attributes{inner_dims_pos = array<i64: 1>} in %panels
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %rows_of_k : !transform.any_op {
    ^bb0(%pack: !transform.any_op):
      %user = transform.get_consumers_of_result %pack[0]
          : (!transform.any_op) -> !transform.any_op
      %p = transform.cast %pack : !transform.any_op to !transform.op<"linalg.pack">
      %g = transform.cast %user : !transform.any_op to !transform.op<"linalg.generic">
      %turned, %p1, %none = transform.structured.pack_transpose %p
          with_compute_op(%g) outer_perm = [1, 0]
          : (!transform.op<"linalg.pack">, !transform.op<"linalg.generic">)
          -> (!transform.op<"linalg.generic">, !transform.op<"linalg.pack">,
              !transform.any_op)
      transform.annotate %turned "lh.contraction"
          : !transform.op<"linalg.generic">
    }
    transform.yield
  }

  // The same with a matrix for each element of the batch.
  transform.named_sequence @pack_batch(
      %contraction: !transform.any_op {transform.consumed}) {
    %packed = transform.structured.pack_greedily %contraction
        matmul_packed_sizes = [0, 32, 0] matmul_inner_dims_order = [0, 2, 1]
        {lh.bind = {static_matmul_packed_sizes = [0, "columns", 0]}}
        : (!transform.any_op) -> !transform.op<"linalg.generic">
    transform.annotate %packed "lh.contraction"
        : !transform.op<"linalg.generic">
    %panels = transform.get_producer_of_operand %packed[1]
        : (!transform.op<"linalg.generic">) -> !transform.any_op
    %rows_of_k = transform.structured.match ops{["linalg.pack"]}
        attributes{inner_dims_pos = array<i64: 2>} in %panels
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %rows_of_k : !transform.any_op {
    ^bb0(%pack: !transform.any_op):
      %user = transform.get_consumers_of_result %pack[0]
          : (!transform.any_op) -> !transform.any_op
      %p = transform.cast %pack : !transform.any_op to !transform.op<"linalg.pack">
      %g = transform.cast %user : !transform.any_op to !transform.op<"linalg.generic">
      %turned, %p1, %none = transform.structured.pack_transpose %p
          with_compute_op(%g) outer_perm = [0, 2, 1]
          : (!transform.op<"linalg.pack">, !transform.op<"linalg.generic">)
          -> (!transform.op<"linalg.generic">, !transform.op<"linalg.pack">,
              !transform.any_op)
      transform.annotate %turned "lh.contraction"
          : !transform.op<"linalg.generic">
    }
    transform.yield
  }

  transform.named_sequence @pack_contractions(
      %root: !transform.any_op {transform.readonly}) {
    %candidates = transform.structured.match attributes{lh.product} in %root
        {lh.optional = "there may be no products"}
        : (!transform.any_op) -> !transform.any_op
    %product = transform.collect_matching @is_product in %candidates
        : (!transform.any_op) -> !transform.any_op
    %shared_right = transform.collect_matching @is_shared_right in %candidates
        : (!transform.any_op) -> !transform.any_op
    %batched_product = transform.collect_matching @is_batched_product in %candidates
        : (!transform.any_op) -> !transform.any_op
    %shared_left = transform.collect_matching @is_shared_left in %candidates
        : (!transform.any_op) -> !transform.any_op
    %matrices = transform.merge_handles %product, %shared_right
        : !transform.any_op
    transform.foreach %matrices : !transform.any_op {
    ^bb0(%contraction: !transform.any_op):
      transform.include @pack_matrix failures(propagate) (%contraction)
          : (!transform.any_op) -> ()
    }
    %batches = transform.merge_handles %batched_product, %shared_left
        : !transform.any_op
    transform.foreach %batches : !transform.any_op {
    ^bb0(%contraction: !transform.any_op):
      transform.include @pack_batch failures(propagate) (%contraction)
          : (!transform.any_op) -> ()
    }
    %functions = transform.structured.match ops{["func.func"]} in %root
        : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %functions {
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.apply_cse to %functions : !transform.any_op
    transform.yield
  }
}
