// Rows: softmax, normalizations, and other reductions over the innermost dimension.
//
// Expects: linalg on tensors, elementwise ops fused (linalg-fuse-elementwise-ops).
// Result:  what belongs to one row of a softmax or a normalization is in one loop
//   over rows (scf.forall), so that rows stay in the first cache. Reductions are
//   loops over strips of 64 partial results, which are put together once per row.
//   elementwise.mlir vectorizes strips. Reductions over other dimensions stay.
// Parameters: none; tile_reduction_using_for takes its sizes from no parameter.
// Measured (f32, 512 x 1024, one core with AMX, speed relative to cpu/optimize, by
//   turns): layer normalization 0.97, softmax 0.67, of which exp (vector-library.mlir) is
//   more than half; of 65,536 x 1024, which no cache holds, 0.66 and 0.64.
!op = !transform.any_op
!size = !transform.param<i64>
module attributes {transform.with_named_sequence} {
  // 1. A sum, or another reduction, over the innermost loop alone.
  transform.named_sequence @reduces_rows(%op: !op {transform.readonly},
      %loops: !size {transform.readonly}) {
    transform.match.operation_name %op ["linalg.generic"] : !op
    %sizes = transform.match.structured failures(propagate) %op : (!op) -> !size {
    ^bb0(%s: !op):
      %rank = transform.match.structured.rank %s : (!op) -> !size
      transform.match.param.cmpi eq %rank, %loops : !size
      transform.match.structured.dim %s[except(-1)] {parallel} : !op
      transform.match.structured.dim %s[-1] {reduction} : !op
      transform.match.structured.input %s[all] {projected_permutation} : !op
      %one = transform.match.structured.num_inits %s : (!op) -> !size
      %single = transform.param.constant 1 : i64 -> !size
      transform.match.param.cmpi eq %one, %single : !size
      %all = transform.match.structured.dim %s[all] : (!op) -> !size
      transform.match.structured.yield %all : !size
    }
    %none = transform.param.constant 0 : i64 -> !size
    transform.foreach %sizes : !size {
    ^bb0(%size: !size):
      transform.match.param.cmpi ne %size, %none : !size
    }
    transform.yield
  }

  transform.named_sequence @reduces_2(%op: !op {transform.readonly}) -> !op {
    %loops = transform.param.constant 2 : i64 -> !size
    transform.include @reduces_rows failures(propagate) (%op, %loops) : (!op, !size) -> ()
    transform.yield %op : !op
  }

  transform.named_sequence @reduces_3(%op: !op {transform.readonly}) -> !op {
    %loops = transform.param.constant 3 : i64 -> !size
    transform.include @reduces_rows failures(propagate) (%op, %loops) : (!op, !size) -> ()
    transform.yield %op : !op
  }

  transform.named_sequence @reduces_row(%op: !op {transform.readonly}) -> !op {
    transform.match.operation_name %op ["linalg.generic"] : !op
    transform.match.structured failures(propagate) %op : !op {
    ^bb0(%s: !op):
      %rank = transform.match.structured.rank %s : (!op) -> !size
      %one = transform.param.constant 1 : i64 -> !size
      transform.match.param.cmpi eq %rank, %one : !size
      transform.match.structured.dim %s[0] {reduction} : !op
      %size = transform.match.structured.dim %s[0] : (!op) -> !size
      %none = transform.param.constant 0 : i64 -> !size
      transform.match.param.cmpi ne %size, %none : !size
      transform.match.structured.input %s[all] {projected_permutation} : !op
      transform.match.structured.yield
    }
    transform.yield %op : !op
  }

  // 2. The last op of a softmax or a normalization: elementwise, of rows, a row's
  // number its second operand; what follows reduces nothing.
  transform.named_sequence @ends_rows(%op: !op {transform.readonly},
      %loops: !size {transform.readonly}) {
    transform.match.operation_name %op ["linalg.generic"] : !op
    transform.match.structured failures(propagate) %op : !op {
    ^bb0(%s: !op):
      %rank = transform.match.structured.rank %s : (!op) -> !size
      transform.match.param.cmpi eq %rank, %loops : !size
      transform.match.structured.dim %s[all] {parallel} : !op
      transform.match.structured.yield
    }
    %number = transform.get_producer_of_operand %op[1] : (!op) -> !op
    %sum = transform.collect_matching @reduces_any in %number : (!op) -> !op
    %one = transform.param.constant 1 : i64 -> !size
    %count = transform.num_associations %sum : (!op) -> !size
    transform.match.param.cmpi eq %count, %one : !size
    %users = transform.get_consumers_of_result %op[0] : (!op) -> !op
    %more = transform.collect_matching @reduces_any in %users : (!op) -> !op
    %zero = transform.param.constant 0 : i64 -> !size
    %others = transform.num_associations %more : (!op) -> !size
    transform.match.param.cmpi eq %others, %zero : !size
    transform.yield
  }

  transform.named_sequence @reduces_any(%op: !op {transform.readonly}) -> !op {
    transform.match.operation_name %op ["linalg.generic"] : !op
    transform.match.structured failures(propagate) %op : !op {
    ^bb0(%s: !op):
      transform.match.structured.dim %s[-1] {reduction} : !op
      transform.match.structured.yield
    }
    transform.yield %op : !op
  }

  transform.named_sequence @ends_2(%op: !op {transform.readonly}) -> !op {
    %loops = transform.param.constant 2 : i64 -> !size
    transform.include @ends_rows failures(propagate) (%op, %loops) : (!op, !size) -> ()
    transform.yield %op : !op
  }

  transform.named_sequence @ends_3(%op: !op {transform.readonly}) -> !op {
    %loops = transform.param.constant 3 : i64 -> !size
    transform.include @ends_rows failures(propagate) (%op, %loops) : (!op, !size) -> ()
    transform.yield %op : !op
  }

  // A softmax's last op: a row of exponentials over their sum.
  transform.named_sequence @ends_softmax(%op: !op {transform.readonly}) -> !op {
    transform.match.operation_name %op ["linalg.generic"] : !op
    %row, %sum = transform.include @read_by failures(propagate) (%op) : (!op) -> (!op, !op)
    %reduction = transform.include @reduces_any failures(propagate) (%sum) : (!op) -> !op
    transform.include @has_exp failures(propagate) (%row) : (!op) -> ()
    transform.yield %op : !op
  }

  transform.named_sequence @read_by(%op: !op {transform.readonly}) -> (!op, !op) {
    %first = transform.get_producer_of_operand %op[0] : (!op) -> !op
    %second = transform.get_producer_of_operand %op[1] : (!op) -> !op
    transform.yield %first, %second : !op, !op
  }

  transform.named_sequence @has_exp(%op: !op {transform.readonly}) {
    %exp = transform.structured.match ops{["math.exp"]} in %op : (!op) -> !op
    %one = transform.param.constant 1 : i64 -> !size
    %count = transform.num_associations %exp : (!op) -> !size
    transform.match.param.cmpi eq %count, %one : !size
    transform.yield
  }

  // 3. A row in strips: as many partial results as a strip has numbers, which are
  // put together once.
  transform.named_sequence @cut_row(%row: !op {transform.consumed}) {
    transform.sequence %row : !op failures(suppress)
        attributes {lh.optional = "reductions without a neutral element"} {
    ^bb0(%op: !op):
      %start, %part, %rest, %loop = transform.structured.tile_reduction_using_for %op
          by tile_sizes = [64]
          : (!op) -> (!op, !op, !op, !op)
      transform.annotate %rest "together" : !op
      transform.annotate %loop "sum" : !op
    }
    transform.yield
  }

  transform.named_sequence @rows(%root: !op {transform.readonly}) {
    %functions = transform.structured.match ops{["func.func"]} in %root : (!op) -> !op
    %named = transform.structured.match ops{["linalg.reduce"]} in %root : (!op) -> !op
    %general = transform.structured.generalize %named : (!op) -> !op
    // LLVM takes the sum's reciprocal once per row then.
    %softmax = transform.collect_matching @ends_softmax in %root : (!op) -> !op
    %arcp = transform.param.constant #arith.fastmath<arcp> -> !transform.any_param
    transform.foreach %softmax : !op {
    ^bb0(%op: !op):
      %quotient = transform.structured.match ops{["arith.divf"]} in %op : (!op) -> !op
      transform.annotate %quotient "fastmath" = %arcp : !op, !transform.any_param
    }
    %n2 = transform.collect_matching @ends_2 in %root : (!op) -> !op
    transform.foreach %n2 : !op {
    ^bb0(%op: !op):
      %t, %loop = transform.structured.fuse %op tile_sizes [1]
          {apply_cleanup, use_forall} : (!op) -> (!op, !op)
      // The loop before it is cloned for each op that is fused, in vain.
      transform.apply_dce to %functions : !op
    }
    %n3 = transform.collect_matching @ends_3 in %root : (!op) -> !op
    transform.foreach %n3 : !op {
    ^bb0(%op: !op):
      %t, %loop = transform.structured.fuse %op tile_sizes [1, 1]
          {apply_cleanup, use_forall} : (!op) -> (!op, !op)
      transform.apply_dce to %functions : !op
    }
    // A producer is cloned for each of its users.
    transform.apply_patterns to %functions {
      transform.apply_patterns.canonicalization
    } : !op
    transform.apply_cse to %functions : !op
    %r2 = transform.collect_matching @reduces_2 in %root : (!op) -> !op
    transform.foreach %r2 : !op {
    ^bb0(%op: !op):
      %t, %loop = transform.structured.tile_using_for %op tile_sizes [1]
          : (!op) -> (!op, !op)
    }
    %r3 = transform.collect_matching @reduces_3 in %root : (!op) -> !op
    transform.foreach %r3 : !op {
    ^bb0(%op: !op):
      %t, %loop:2 = transform.structured.tile_using_for %op tile_sizes [1, 1]
          : (!op) -> (!op, !op, !op)
    }
    transform.apply_patterns to %functions {
      transform.apply_patterns.linalg.fold_unit_extent_dims_via_slices
      transform.apply_patterns.canonicalization
    } : !op
    %rows = transform.collect_matching @reduces_row in %root : (!op) -> !op
    transform.foreach %rows : !op {
    ^bb0(%row: !op):
      transform.include @cut_row failures(propagate) (%row) : (!op) -> ()
    }
    %together = transform.structured.match ops{["linalg.reduce"]}
        attributes{together} in %root : (!op) -> !op
    transform.structured.vectorize %together : !op
    transform.yield
  }
}
