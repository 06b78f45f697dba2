// Elementwise ops in strips of vectors.
//
// Expects: linalg on tensors; what other schedules have tiled is vectorized already.
// Result:  each op whose loops are all parallel, over 1 to 4 dimensions of any
//   size, known or not: whole strips of its innermost loop first, the rest masked;
//   one loop over all numbers where all operands are alike. Fills, copies,
//   broadcasts and transpositions too. Integer divisions, gathers, bits, and what
//   the vectorizer refuses stay plain loops. Then the partial results that rows.mlir
//   left are carried in registers.
// Parameters: strip, the numbers in a strip (four vectors); function, of exp and the like.
// Measured: with products and convolutions vectorized, the digits' net on 128
//   images takes 2.6 ms in place of 24 (one core with AMX).
!op = !transform.any_op
!size = !transform.param<i64>
!value = !transform.any_value
#id2 = affine_map<(d0, d1) -> (d0, d1)>
#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#id4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
module attributes {transform.with_named_sequence} {
  // 1. What is taken: loops that are all parallel, of numbers of a byte or more.
  // Vectors of i1 would be packed bits, and a masked lane would divide by anything.
  transform.named_sequence @is_elementwise(%op: !op {transform.readonly}, %loops: !size {transform.readonly}) {
    transform.match.operation_name %op ["linalg.generic"] : !op
    %inputs, %inits, %sizes = transform.match.structured failures(propagate) %op
        : (!op) -> (!value, !value, !size) {
    ^bb0(%s: !op):
      %rank = transform.match.structured.rank %s : (!op) -> !size
      transform.match.param.cmpi eq %rank, %loops : !size
      transform.match.structured.dim %s[all] {parallel} : !op
      transform.match.structured.input %s[all] {projected_permutation} : !op
      transform.match.structured.init %s[all] {permutation} : !op
      %in = transform.match.structured.input %s[all] : (!op) -> !value
      %out = transform.match.structured.init %s[all] : (!op) -> !value
      %all = transform.match.structured.dim %s[all] : (!op) -> !size
      transform.match.structured.yield %in, %out, %all : !value, !value, !size
    }
    %operands = transform.merge_handles %inputs, %inits : !value
    %byte = transform.param.constant 8 : i64 -> !size
    transform.foreach %operands : !value {
    ^bb0(%operand: !value):
      %bits = transform.match.structured.elemental_bitwidth %operand : (!value) -> !size
      transform.match.param.cmpi ge %bits, %byte : !size
    }
    %zero = transform.param.constant 0 : i64 -> !size
    transform.foreach %sizes : !size {
    ^bb0(%size: !size):
      transform.match.param.cmpi ne %size, %zero : !size
    }
    %unsafe = transform.structured.match ops{["arith.divsi", "arith.divui",
        "arith.remsi", "arith.remui", "arith.ceildivsi", "arith.ceildivui",
        "arith.floordivsi", "tensor.extract"]} in %op
        {lh.optional = "most have none"} : (!op) -> !op
    %count = transform.num_associations %unsafe : (!op) -> !size
    transform.match.param.cmpi eq %count, %zero : !size
    transform.yield
  }

  transform.named_sequence @has_1_loop(%op: !op {transform.readonly}) -> !op {
    %loops = transform.param.constant 1 : i64 -> !size
    transform.include @is_elementwise failures(propagate) (%op, %loops) : (!op, !size) -> ()
    transform.yield %op : !op
  }
  transform.named_sequence @has_2_loops(%op: !op {transform.readonly}) -> !op {
    %loops = transform.param.constant 2 : i64 -> !size
    transform.include @is_elementwise failures(propagate) (%op, %loops) : (!op, !size) -> ()
    transform.yield %op : !op
  }
  transform.named_sequence @has_3_loops(%op: !op {transform.readonly}) -> !op {
    %loops = transform.param.constant 3 : i64 -> !size
    transform.include @is_elementwise failures(propagate) (%op, %loops) : (!op, !size) -> ()
    transform.yield %op : !op
  }
  transform.named_sequence @has_4_loops(%op: !op {transform.readonly}) -> !op {
    %loops = transform.param.constant 4 : i64 -> !size
    transform.include @is_elementwise failures(propagate) (%op, %loops) : (!op, !size) -> ()
    transform.yield %op : !op
  }

  // What a library computes, of some numbers at a time.
  transform.named_sequence @is_computed(%op: !op {transform.readonly}) -> !op {
    %strip = transform.include @has_1_loop failures(propagate) (%op) : (!op) -> !op
    transform.include @calls_library failures(propagate) (%op) : (!op) -> ()
    transform.yield %op : !op
  }
  transform.named_sequence @calls_library(%op: !op {transform.readonly}) {
    %calls = transform.structured.match ops{["math.acos", "math.acosh", "math.asin", "math.asinh",
        "math.atan", "math.atan2", "math.atanh", "math.cbrt", "math.cos", "math.cosh", "math.erf",
        "math.erfc", "math.exp", "math.exp2", "math.expm1", "math.log", "math.log10", "math.log1p",
        "math.log2", "math.powf", "math.sin", "math.sinh", "math.tan", "math.tanh"]} in %op
        {lh.optional = "most call none"} : (!op) -> !op
    %none = transform.param.constant 0 : i64 -> !size
    %count = transform.num_associations %calls : (!op) -> !size
    transform.match.param.cmpi gt %count, %none : !size
    transform.yield
  }

  // Numbers without gaps between them, in the same order in all operands. Other
  // maps are written out, because flatten_elementwise takes transposing ones for
  // these.
  transform.named_sequence @find_alike(%root: !op {transform.readonly}) -> !op {
    %a2 = transform.structured.match ops{["linalg.generic"]} attributes{indexing_maps = [#id2, #id2]} in %root : (!op) -> !op
    %a3 = transform.structured.match ops{["linalg.generic"]} attributes{indexing_maps = [#id3, #id3]} in %root : (!op) -> !op
    %a4 = transform.structured.match ops{["linalg.generic"]} attributes{indexing_maps = [#id4, #id4]} in %root : (!op) -> !op
    %b2 = transform.structured.match ops{["linalg.generic"]} attributes{indexing_maps = [#id2, #id2, #id2]} in %root : (!op) -> !op
    %b3 = transform.structured.match ops{["linalg.generic"]} attributes{indexing_maps = [#id3, #id3, #id3]} in %root : (!op) -> !op
    %b4 = transform.structured.match ops{["linalg.generic"]} attributes{indexing_maps = [#id4, #id4, #id4]} in %root : (!op) -> !op
    %all = transform.merge_handles %a2, %a3, %a4, %b2, %b3, %b4 : !op
    %whole = transform.collect_matching @is_alike in %all : (!op) -> !op
    transform.yield %whole : !op
  }

  transform.named_sequence @is_alike(%op: !op {transform.readonly}) -> !op {
    transform.match.operation_name %op ["linalg.generic"] : !op
    transform.include @is_whole failures(propagate) (%op) : (!op) -> ()
    transform.include @is_known failures(propagate) (%op) : (!op) -> ()
    transform.yield %op : !op
  }
  // Sizes inside of the outermost loop that only the run knows can't be one with
  // another: expand-strided-metadata crashes where the result is taken apart again.
  transform.named_sequence @is_known(%op: !op {transform.readonly}) {
    %sizes = transform.match.structured failures(propagate) %op : (!op) -> !size {
    ^bb0(%s: !op):
      %all = transform.match.structured.dim %s[except(0)] : (!op) -> !size
      transform.match.structured.yield %all : !size
    }
    // An unknown size is negative.
    %nothing = transform.param.constant 0 : i64 -> !size
    transform.foreach %sizes : !size {
    ^bb0(%size: !size):
      transform.match.param.cmpi ge %size, %nothing : !size
    }
    transform.yield
  }

  transform.named_sequence @is_whole(%op: !op {transform.readonly}) {
    %sliced = transform.structured.match attributes{has_gaps} in %op
        {lh.optional = "most have none"} : (!op) -> !op
    transform.match.operation_empty %sliced : !op
    transform.yield
  }

  // 2. All operands alike: one loop over everything.
  transform.named_sequence @flatten(%op: !op {transform.consumed}) {
    transform.sequence %op : !op failures(suppress)
        attributes {lh.optional = "operands that are broadcast or turned"} {
    ^bb0(%alike: !op):
      %flat = transform.structured.flatten_elementwise %alike : (!op) -> !op
    }
    transform.yield
  }

  // 3. Strips of the innermost loop. Whole ones lose their masks.
  transform.named_sequence @peel(%loop: !op {transform.readonly}) {
    transform.sequence %loop : !op failures(suppress)
        attributes {lh.optional = "a whole number of strips"} {
    ^bb0(%strips: !op):
      %for = transform.cast %strips : !op to !transform.op<"scf.for">
      %whole, %rest = transform.loop.peel %for : (!transform.op<"scf.for">) -> (!op, !op)
    }
    transform.yield
  }

  transform.named_sequence @vectorize_strip(%strip: !op {transform.consumed}, %lanes: !size {transform.readonly}) {
    transform.sequence %strip, %lanes : !op, !size failures(suppress)
        attributes {lh.optional = "ops that no vector op computes"} {
    ^bb0(%op: !op, %size: !size):
      transform.structured.vectorize %op vector_sizes [%size] : !op, !size
    }
    transform.yield
  }

  transform.named_sequence @elementwise(%root: !op {transform.readonly}) {
    %functions = transform.structured.match ops{["func.func"]} in %root : (!op) -> !op
    %named = transform.structured.match ops{["linalg.fill", "linalg.copy",
        "linalg.broadcast", "linalg.transpose", "linalg.map"]} in %root : (!op) -> !op
    %general = transform.structured.generalize %named : (!op) -> !op
    // A slice has gaps: to flatten it would copy it.
    %slices = transform.structured.match ops{["tensor.extract_slice"]} in %root : (!op) -> !op
    transform.foreach %slices : !op {
    ^bb0(%slice: !op):
      %users = transform.get_consumers_of_result %slice[0] : (!op) -> !op
      transform.annotate %users "has_gaps" : !op
    }
    %alike = transform.include @find_alike failures(propagate) (%root) : (!op) -> !op
    transform.foreach %alike : !op {
    ^bb0(%op: !op):
      transform.include @flatten failures(propagate) (%op) : (!op) -> ()
    }
    %n1 = transform.collect_matching @has_1_loop in %root : (!op) -> !op
    transform.foreach %n1 : !op {
    ^bb0(%op: !op):
      %t, %l = transform.structured.tile_using_for %op tile_sizes [64] {lh.bind = {static_sizes = ["strip"]}} : (!op) -> (!op, !op)
      transform.include @peel failures(propagate) (%l) : (!op) -> ()
    }
    %n2 = transform.collect_matching @has_2_loops in %root : (!op) -> !op
    transform.foreach %n2 : !op {
    ^bb0(%op: !op):
      %t, %l:2 = transform.structured.tile_using_for %op tile_sizes [1, 64] {lh.bind = {static_sizes = [1, "strip"]}} : (!op) -> (!op, !op, !op)
      transform.include @peel failures(propagate) (%l#1) : (!op) -> ()
    }
    %n3 = transform.collect_matching @has_3_loops in %root : (!op) -> !op
    transform.foreach %n3 : !op {
    ^bb0(%op: !op):
      %t, %l:3 = transform.structured.tile_using_for %op tile_sizes [1, 1, 64]
          {lh.bind = {static_sizes = [1, 1, "strip"]}} : (!op) -> (!op, !op, !op, !op)
      transform.include @peel failures(propagate) (%l#2) : (!op) -> ()
    }
    %n4 = transform.collect_matching @has_4_loops in %root : (!op) -> !op
    transform.foreach %n4 : !op {
    ^bb0(%op: !op):
      %t, %l:4 = transform.structured.tile_using_for %op tile_sizes [1, 1, 1, 64]
          {lh.bind = {static_sizes = [1, 1, 1, "strip"]}} : (!op) -> (!op, !op, !op, !op, !op)
      transform.include @peel failures(propagate) (%l#3) : (!op) -> ()
    }
    transform.apply_patterns to %functions {
      transform.apply_patterns.linalg.tiling_canonicalization
      transform.apply_patterns.linalg.fold_unit_extent_dims_via_slices
      transform.apply_patterns.canonicalization
    } : !op
    %numbers = transform.param.constant 8 : i64 {lh.bind = {value = "function"}} -> !size
    %calls = transform.collect_matching @is_computed in %root : (!op) -> !op
    transform.foreach %calls : !op {
    ^bb0(%strip: !op):
      %t, %l = transform.structured.tile_using_for %strip tile_sizes [%numbers] : (!op, !size) -> (!op, !op)
      transform.loop.unroll %l {factor = 4} : !op
    }
    %parts = transform.collect_matching @is_computed in %root : (!op) -> !op
    transform.foreach %parts : !op {
    ^bb0(%strip: !op):
      transform.include @vectorize_strip failures(propagate) (%strip, %numbers) : (!op, !size) -> ()
    }
    %four = transform.param.constant 64 : i64 {lh.bind = {value = "strip"}} -> !size
    %fours = transform.collect_matching @has_1_loop in %root : (!op) -> !op
    transform.foreach %fours : !op {
    ^bb0(%strip: !op):
      transform.include @vectorize_strip failures(propagate) (%strip, %four) : (!op, !size) -> ()
    }
    transform.apply_patterns to %functions { transform.apply_patterns.vector.lower_masked_transfers } : !op
    transform.apply_patterns to %functions {
      transform.apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers
      transform.apply_patterns.canonicalization
    } : !op
    // Partial results of rows (rows.mlir) are carried in registers.
    %sums = transform.structured.match ops{["scf.for"]} attributes{sum} in %root : (!op) -> !op
    transform.apply_licm to %sums : !op
    transform.loop.hoist_loop_invariant_subsets %sums : !op
    transform.yield
  }
}
