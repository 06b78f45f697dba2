// Data layout of contractions: operands packed into panels.
//
// Expects: linalg on tensors, contractions as named ops or generics.
// Leaves:  each f32 contraction with loops (m, n, k) or (batch, m, n, k) as a
//   linalg.generic on packed operands, A [M/4][K/8][4][8], B [N/64][K/8][8][64],
//   C [M/4][N/64][4][64], between linalg.pack and linalg.unpack. Every inner
//   tile is static, whatever M, N, K are: what doesn't fill a tile is padded
//   with zeros, in both operands (0 * 0, so no NaN comes from padding).
//   All else is left alone: other types, N < 8 (a panel would be mostly
//   padding), dynamic N, empty sums, other orders and numbers of loops.
// Parameters: none; the register tile that the sizes stand for is 4 x 64.
// Source:  Goto & van de Geijn, "Anatomy of high-performance matrix
//   multiplication"; the sizes are measured (4 x 64 fills 16 of the 32 vector
//   registers of AVX-512 with accumulators).
module attributes {transform.with_named_sequence} {
  // C[m, n] += A[m, k] * B[k, n]
  transform.named_sequence @is_product(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %loops = transform.param.constant 3 : i64 -> !transform.param<i64>
    %eight = transform.param.constant 8 : i64 -> !transform.param<i64>
    %nothing = transform.param.constant 0 : i64 -> !transform.param<i64>
    %single = transform.param.constant 32 : i64 -> !transform.param<i64>
    %rows = transform.param.constant 0 : i64 -> !transform.param<i64>
    %columns = transform.param.constant 1 : i64 -> !transform.param<i64>
    %sum = transform.param.constant 2 : i64 -> !transform.param<i64>
    transform.match.structured failures(propagate) %op : !transform.any_op {
    ^bb0(%s: !transform.any_op):
      %rank = transform.match.structured.rank %s
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi eq %rank, %loops : !transform.param<i64>
      transform.match.structured.body %s
          {contraction = ["arith.mulf", "arith.addf"]} : !transform.any_op
      %init = transform.match.structured.init %s[0]
          : (!transform.any_op) -> !transform.any_value
      %width = transform.match.structured.elemental_bitwidth %init
          : (!transform.any_value) -> !transform.param<i64>
      transform.match.param.cmpi eq %width, %single : !transform.param<i64>
      %batch, %m, %n, %k = transform.match.structured.classify_contraction_dims %s
          : (!transform.any_op) -> (!transform.param<i64>, !transform.param<i64>,
                                    !transform.param<i64>, !transform.param<i64>)
      transform.match.param.cmpi eq %m, %rows : !transform.param<i64>
      transform.match.param.cmpi eq %n, %columns : !transform.param<i64>
      transform.match.param.cmpi eq %k, %sum : !transform.param<i64>
      %width_of_c = transform.match.structured.dim %s[1]
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi ge %width_of_c, %eight : !transform.param<i64>
      %length = transform.match.structured.dim %s[2]
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi ne %length, %nothing : !transform.param<i64>
      transform.match.structured.yield
    }
    transform.yield %op : !transform.any_op
  }

  // C[b, m, n] += A[b, m, k] * B[b, k, n]
  transform.named_sequence @is_batched_product(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %loops = transform.param.constant 4 : i64 -> !transform.param<i64>
    %eight = transform.param.constant 8 : i64 -> !transform.param<i64>
    %nothing = transform.param.constant 0 : i64 -> !transform.param<i64>
    %single = transform.param.constant 32 : i64 -> !transform.param<i64>
    %rows = transform.param.constant 1 : i64 -> !transform.param<i64>
    %columns = transform.param.constant 2 : i64 -> !transform.param<i64>
    %sum = transform.param.constant 3 : i64 -> !transform.param<i64>
    transform.match.structured failures(propagate) %op : !transform.any_op {
    ^bb0(%s: !transform.any_op):
      %rank = transform.match.structured.rank %s
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi eq %rank, %loops : !transform.param<i64>
      transform.match.structured.body %s
          {contraction = ["arith.mulf", "arith.addf"]} : !transform.any_op
      %init = transform.match.structured.init %s[0]
          : (!transform.any_op) -> !transform.any_value
      %width = transform.match.structured.elemental_bitwidth %init
          : (!transform.any_value) -> !transform.param<i64>
      transform.match.param.cmpi eq %width, %single : !transform.param<i64>
      %batch, %m, %n, %k = transform.match.structured.classify_contraction_dims %s
          : (!transform.any_op) -> (!transform.param<i64>, !transform.param<i64>,
                                    !transform.param<i64>, !transform.param<i64>)
      transform.match.param.cmpi eq %m, %rows : !transform.param<i64>
      transform.match.param.cmpi eq %n, %columns : !transform.param<i64>
      transform.match.param.cmpi eq %k, %sum : !transform.param<i64>
      %width_of_c = transform.match.structured.dim %s[2]
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi ge %width_of_c, %eight : !transform.param<i64>
      %length = transform.match.structured.dim %s[3]
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi ne %length, %nothing : !transform.param<i64>
      transform.match.structured.yield
    }
    transform.yield %op : !transform.any_op
  }

  // C[b, m, n] += A[b, m, k] * B[k, n]
  transform.named_sequence @is_shared_right(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %loops = transform.param.constant 4 : i64 -> !transform.param<i64>
    %eight = transform.param.constant 8 : i64 -> !transform.param<i64>
    %nothing = transform.param.constant 0 : i64 -> !transform.param<i64>
    %single = transform.param.constant 32 : i64 -> !transform.param<i64>
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
      transform.match.structured.body %s
          {contraction = ["arith.mulf", "arith.addf"]} : !transform.any_op
      %init = transform.match.structured.init %s[0]
          : (!transform.any_op) -> !transform.any_value
      %width = transform.match.structured.elemental_bitwidth %init
          : (!transform.any_value) -> !transform.param<i64>
      transform.match.param.cmpi eq %width, %single : !transform.param<i64>
      %batch, %m, %n, %k = transform.match.structured.classify_contraction_dims %s
          : (!transform.any_op) -> (!transform.param<i64>, !transform.param<i64>,
                                    !transform.param<i64>, !transform.param<i64>)
      transform.match.param.cmpi eq %m, %rows : !transform.param<i64>
      transform.match.param.cmpi eq %n, %columns : !transform.param<i64>
      transform.match.param.cmpi eq %k, %sum : !transform.param<i64>
      %width_of_c = transform.match.structured.dim %s[2]
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi ge %width_of_c, %eight : !transform.param<i64>
      %length = transform.match.structured.dim %s[3]
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi ne %length, %nothing : !transform.param<i64>
      transform.match.structured.yield
    }
    transform.yield %op : !transform.any_op
  }

  // C[b, m, n] += A[m, k] * B[b, k, n]: what im2col gives
  transform.named_sequence @is_shared_left(
      %op: !transform.any_op {transform.readonly}) -> !transform.any_op {
    %loops = transform.param.constant 4 : i64 -> !transform.param<i64>
    %eight = transform.param.constant 8 : i64 -> !transform.param<i64>
    %nothing = transform.param.constant 0 : i64 -> !transform.param<i64>
    %single = transform.param.constant 32 : i64 -> !transform.param<i64>
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
      transform.match.structured.body %s
          {contraction = ["arith.mulf", "arith.addf"]} : !transform.any_op
      %init = transform.match.structured.init %s[0]
          : (!transform.any_op) -> !transform.any_value
      %width = transform.match.structured.elemental_bitwidth %init
          : (!transform.any_value) -> !transform.param<i64>
      transform.match.param.cmpi eq %width, %single : !transform.param<i64>
      %batch, %m, %n, %k = transform.match.structured.classify_contraction_dims %s
          : (!transform.any_op) -> (!transform.param<i64>, !transform.param<i64>,
                                    !transform.param<i64>, !transform.param<i64>)
      transform.match.param.cmpi eq %m, %rows : !transform.param<i64>
      transform.match.param.cmpi eq %n, %columns : !transform.param<i64>
      transform.match.param.cmpi eq %k, %sum : !transform.param<i64>
      %width_of_c = transform.match.structured.dim %s[2]
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi ge %width_of_c, %eight : !transform.param<i64>
      %length = transform.match.structured.dim %s[3]
          : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi ne %length, %nothing : !transform.param<i64>
      transform.match.structured.yield
    }
    transform.yield %op : !transform.any_op
  }

  transform.named_sequence @pack_contractions(
      %root: !transform.any_op {transform.readonly}) {
    %product = transform.collect_matching @is_product in %root
        : (!transform.any_op) -> !transform.any_op
    %batched_product = transform.collect_matching @is_batched_product in %root
        : (!transform.any_op) -> !transform.any_op
    %shared_right = transform.collect_matching @is_shared_right in %root
        : (!transform.any_op) -> !transform.any_op
    %shared_left = transform.collect_matching @is_shared_left in %root
        : (!transform.any_op) -> !transform.any_op
    %contractions = transform.merge_handles %product, %batched_product, %shared_right, %shared_left
        : !transform.any_op
    transform.foreach %contractions : !transform.any_op {
    ^bb0(%contraction: !transform.any_op):
      %packed = transform.structured.pack_greedily %contraction
          matmul_packed_sizes = [4, 64, 8] matmul_inner_dims_order = [0, 2, 1]
          : (!transform.any_op) -> !transform.op<"linalg.generic">
    }
    // The steps of one panel lie side by side (along K), whichever way the
    // operand is stored: panels at a large power-of-two stride fall into few
    // cache sets.
    %across0 = transform.structured.match ops{["linalg.pack"]}
        attributes{static_inner_tiles = array<i64: 8, 64>,
                   inner_dims_pos = array<i64: 0, 1>} in %root
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %across0 : !transform.any_op {
    ^bb0(%pack: !transform.any_op):
      %user = transform.get_consumers_of_result %pack[0]
          : (!transform.any_op) -> !transform.any_op
      %p = transform.cast %pack : !transform.any_op to !transform.op<"linalg.pack">
      %g = transform.cast %user : !transform.any_op to !transform.op<"linalg.generic">
      %g1, %p1, %none = transform.structured.pack_transpose %p
          with_compute_op(%g) outer_perm = [1, 0]
          : (!transform.op<"linalg.pack">, !transform.op<"linalg.generic">)
          -> (!transform.op<"linalg.generic">, !transform.op<"linalg.pack">,
              !transform.any_op)
    }
    %across1 = transform.structured.match ops{["linalg.pack"]}
        attributes{static_inner_tiles = array<i64: 8, 64>,
                   inner_dims_pos = array<i64: 1, 2>} in %root
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %across1 : !transform.any_op {
    ^bb0(%pack: !transform.any_op):
      %user = transform.get_consumers_of_result %pack[0]
          : (!transform.any_op) -> !transform.any_op
      %p = transform.cast %pack : !transform.any_op to !transform.op<"linalg.pack">
      %g = transform.cast %user : !transform.any_op to !transform.op<"linalg.generic">
      %g1, %p1, %none = transform.structured.pack_transpose %p
          with_compute_op(%g) outer_perm = [0, 2, 1]
          : (!transform.op<"linalg.pack">, !transform.op<"linalg.generic">)
          -> (!transform.op<"linalg.generic">, !transform.op<"linalg.pack">,
              !transform.any_op)
    }
    %across2 = transform.structured.match ops{["linalg.pack"]}
        attributes{static_inner_tiles = array<i64: 4, 8>,
                   inner_dims_pos = array<i64: 1, 0>} in %root
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %across2 : !transform.any_op {
    ^bb0(%pack: !transform.any_op):
      %user = transform.get_consumers_of_result %pack[0]
          : (!transform.any_op) -> !transform.any_op
      %p = transform.cast %pack : !transform.any_op to !transform.op<"linalg.pack">
      %g = transform.cast %user : !transform.any_op to !transform.op<"linalg.generic">
      %g1, %p1, %none = transform.structured.pack_transpose %p
          with_compute_op(%g) outer_perm = [1, 0]
          : (!transform.op<"linalg.pack">, !transform.op<"linalg.generic">)
          -> (!transform.op<"linalg.generic">, !transform.op<"linalg.pack">,
              !transform.any_op)
    }
    %across3 = transform.structured.match ops{["linalg.pack"]}
        attributes{static_inner_tiles = array<i64: 4, 8>,
                   inner_dims_pos = array<i64: 2, 1>} in %root
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %across3 : !transform.any_op {
    ^bb0(%pack: !transform.any_op):
      %user = transform.get_consumers_of_result %pack[0]
          : (!transform.any_op) -> !transform.any_op
      %p = transform.cast %pack : !transform.any_op to !transform.op<"linalg.pack">
      %g = transform.cast %user : !transform.any_op to !transform.op<"linalg.generic">
      %g1, %p1, %none = transform.structured.pack_transpose %p
          with_compute_op(%g) outer_perm = [0, 2, 1]
          : (!transform.op<"linalg.pack">, !transform.op<"linalg.generic">)
          -> (!transform.op<"linalg.generic">, !transform.op<"linalg.pack">,
              !transform.any_op)
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
