// Matrix products of f32 with scalable vectors (SVE), whatever their length is.
//
// Expects: what products.mlir leaves: linalg.generic marked "product", C[m, n] += A[m, k] *
//   B[k, n]. Those with a transposed operand stay: a column of B is no scalable vector, and
//   of a transposed A structured.specialize loses the order (LLVM 22.1). So do those of fewer
//   than two strips of the shortest vectors: where the last strip of 16 to 31 columns starts,
//   LLVM 22.1 may compute wrongly (docs/upstream/vscale-low-bit.ll).
// Result:  per product a loop over rows, one over strips of columns as wide as the register
//   tile, masked where they end, and one over the sum, which carries its accumulators in
//   registers. SVE's multiply-add takes the mask. Rows that fill no tile are peeled off.
// Parameters: scalable, whether to do anything; rows, and lanes, the columns of the tile for
//   each 128 bits of a vector; least, the columns from which on a product is taken.
// Measured: on no AArch64 machine. Right on emulated vectors of 128 to 2048 bits. Modelled by
//   llvm-mca (neoverse-v2, all loads from the first cache, which flatters an unpacked B):
//   512^3 95 % of peak, cpu/optimize 94; 127x513x259 87 %, cpu/optimize 47.
// Source:  cpu/tile-contractions; MLIR's tests of ArmSVE.
!op = !transform.any_op
!size = !transform.param<i64>
!flag = !transform.param<i1>
!loop = !transform.op<"scf.for">
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
module attributes {transform.with_named_sequence} {
  // 1. What is taken; an included sequence may take other ops than matchers.
  transform.named_sequence @is_product(%op: !op {transform.readonly}) -> !op {
    %scalable = transform.param.constant false {lh.bind = {value = "scalable"}} -> !flag
    %yes = transform.param.constant true -> !flag
    transform.match.param.cmpi eq %scalable, %yes : !flag
    transform.match.operation_name %op ["linalg.generic"] : !op
    %columns = transform.match.structured failures(propagate) %op : (!op) -> !size {
    ^bb0(%s: !op):
      %size = transform.match.structured.dim %s[1] : (!op) -> !size
      transform.match.structured.yield %size : !size
    }
    %least = transform.param.constant 32 : i64 {lh.bind = {value = "least"}} -> !size
    transform.match.param.cmpi ge %columns, %least : !size
    transform.include @is_in_order failures(propagate) (%op) : (!op) -> ()
    transform.yield %op : !op
  }

  transform.named_sequence @is_in_order(%op: !op {transform.readonly}) {
    %marked = transform.structured.match attributes{product, indexing_maps = [#mk, #kn, #mn]}
        in %op {lh.optional = "others stay"} : (!op) -> !op
    %one = transform.param.constant 1 : i64 -> !size
    %count = transform.num_associations %marked : (!op) -> !size
    transform.match.param.cmpi eq %count, %one : !size
    transform.yield
  }

  // 2. Tiles; the rows that are left get a loop of their own.
  transform.named_sequence @tile(%product: !op {transform.consumed}) {
    %tile, %rows, %columns = transform.structured.tile_using_for %product
        tile_sizes [6, [16], 0] {lh.bind = {static_sizes = ["rows", "lanes", 0]}}
        : (!op) -> (!op, !loop, !op)
    transform.annotate %tile "scalable_tile" : !op
    transform.sequence %rows : !loop failures(suppress)
        attributes {lh.optional = "a whole number of tiles"} {
    ^bb0(%loop: !loop):
      %whole, %rest = transform.loop.peel %loop : (!loop) -> (!op, !op)
    }
    transform.yield
  }

  // 3. One point of the sum at a time: a column of A times a vector of B's row. Only of a
  // named op the vectorizer makes a contraction at once; what it makes of others folds away.
  transform.named_sequence @vectorize(%tile: !op {transform.consumed}) {
    %rows = transform.match.structured failures(propagate) %tile : (!op) -> !size {
    ^bb0(%s: !op):
      %size = transform.match.structured.dim %s[0] : (!op) -> !size
      transform.match.structured.yield %size : !size
    }
    %matmul = transform.structured.specialize %tile : (!op) -> !op
    %step, %sum = transform.structured.tile_using_for %matmul tile_sizes [0, 0, 1]
        : (!op) -> (!op, !op)
    transform.annotate %sum "scalable_sum" : !op
    transform.structured.vectorize %step vector_sizes [%rows, [16], 1]
        {create_named_contraction, lh.bind = {static_vector_sizes = [-1, "lanes", 1]}}
        : !op, !size
    transform.yield
  }

  transform.named_sequence @scalable_contractions(%root: !op {transform.readonly}) {
    %functions = transform.structured.match ops{["func.func"]} in %root : (!op) -> !op
    %products = transform.collect_matching @is_product in %root : (!op) -> !op
    transform.foreach %products : !op {
    ^bb0(%product: !op):
      transform.include @tile failures(propagate) (%product) : (!op) -> ()
    }
    transform.apply_patterns to %functions {
      transform.apply_patterns.linalg.tiling_canonicalization
      transform.apply_patterns.canonicalization
    } : !op
    %tiles = transform.structured.match attributes{scalable_tile} in %root
        {lh.optional = "there may be no products"} : (!op) -> !op
    transform.foreach %tiles : !op {
    ^bb0(%tile: !op):
      transform.include @vectorize failures(propagate) (%tile) : (!op) -> ()
    }
    transform.apply_patterns to %functions {
      transform.apply_patterns.vector.lower_masked_transfers
    } : !op
    // 4. Accumulators are carried by the loop, in registers.
    %sums = transform.structured.match ops{["scf.for"]} attributes{scalable_sum} in %root
        {lh.optional = "there may be no products"} : (!op) -> !op
    transform.apply_licm to %sums : !op
    transform.loop.hoist_loop_invariant_subsets %sums : !op
    // 5. Multiply-adds of a number and a vector, under the strip's mask.
    transform.apply_patterns to %sums {
      transform.apply_patterns.vector.transfer_permutation_patterns
      transform.apply_patterns.vector.lower_contraction lowering_strategy = "outerproduct"
      transform.apply_patterns.vector.lower_masks
      transform.apply_patterns.vector.lower_outerproduct
    } : !op
    transform.loop.unroll %sums {factor = 4} : !op
    transform.apply_patterns to %functions {
      transform.apply_patterns.tensor.merge_consecutive_insert_extract_slice
      transform.apply_patterns.canonicalization
    } {apply_cse} : !op
    transform.yield
  }
}
