// Which ops are cut into strips of vectors, and how their loops are.
//
// Parameters: none.
!op = !transform.any_op
!size = !transform.param<i64>
!value = !transform.any_value
module attributes {transform.with_named_sequence} {
  // What a matcher found, for foreach_match, which asks it of the ops at hand alone:
  // collect_matching asks it of every op of the function.
  transform.named_sequence @this(%op: !op {transform.readonly}) -> !op {
    transform.yield %op : !op
  }

  // Matches a linalg.generic of so many loops.
  transform.named_sequence @is_nest(%op: !op {transform.readonly},
      %loops: !size {transform.readonly}) {
    transform.match.operation_name %op ["linalg.generic"] : !op
    transform.lh.match.dense %op : !op
    transform.match.structured failures(propagate) %op : !op {
    ^bb0(%s: !op):
      %rank = transform.match.structured.rank %s : (!op) -> !size
      transform.match.param.cmpi eq %rank, %loops : !size
      transform.match.structured.yield
    }
    transform.yield
  }

  // Vectors of i1 are packed bits; a tensor has a byte for each.
  transform.named_sequence @is_on_bytes(%op: !op {transform.readonly}) {
    %eight = transform.param.constant 8 : i64 -> !size
    %inputs, %inits = transform.match.structured failures(propagate) %op
        : (!op) -> (!value, !value) {
    ^bb0(%s: !op):
      %in = transform.match.structured.input %s[all] : (!op) -> !value
      %out = transform.match.structured.init %s[all] : (!op) -> !value
      transform.match.structured.yield %in, %out : !value, !value
    }
    %operands = transform.merge_handles %inputs, %inits : !value
    transform.foreach %operands : !value {
    ^bb0(%operand: !value):
      %bits = transform.match.structured.elemental_bitwidth %operand
          : (!value) -> !size
      transform.match.param.cmpi ge %bits, %eight : !size
    }
    transform.yield
  }

  // Fails on what masked lanes must not compute, and on gathers.
  transform.named_sequence @is_safe_masked(%op: !op {transform.readonly}) {
    %none = transform.param.constant 0 : i64 -> !size
    %unsafe = transform.structured.match ops{[
        "arith.divsi", "arith.divui", "arith.remsi", "arith.remui",
        "arith.ceildivsi", "arith.ceildivui", "arith.floordivsi",
        "tensor.extract"]} in %op {lh.optional = "most have none"} : (!op) -> !op
    %count = transform.num_associations %unsafe : (!op) -> !size
    transform.match.param.cmpi eq %count, %none : !size
    transform.yield
  }

  // Tiling takes im2col's maps, with quotients, for linear.
  transform.named_sequence @reads_elements(%op: !op {transform.readonly}) {
    transform.match.structured failures(propagate) %op : !op {
    ^bb0(%s: !op):
      transform.match.structured.input %s[all] {projected_permutation} : !op
      transform.match.structured.yield
    }
    transform.yield
  }

  // A strip, or a row of them. Nothing is not cut into strips.
  transform.named_sequence @is_strip(%op: !op {transform.readonly}) -> !op {
    %loops = transform.param.constant 1 : i64 -> !size
    %nothing = transform.param.constant 0 : i64 -> !size
    transform.include @is_nest failures(propagate) (%op, %loops) : (!op, !size) -> ()
    transform.include @reads_elements failures(propagate) (%op) : (!op) -> ()
    transform.include @is_safe_masked failures(propagate) (%op) : (!op) -> ()
    transform.include @is_on_bytes failures(propagate) (%op) : (!op) -> ()
    transform.match.structured failures(propagate) %op : !op {
    ^bb0(%s: !op):
      transform.match.structured.body %s {elementwise} : !op
      %size = transform.match.structured.dim %s[0] : (!op) -> !size
      transform.match.param.cmpi ne %size, %nothing : !size
      transform.match.structured.yield
    }
    transform.yield %op : !op
  }

  // Outer products stay whole until they are lowered (outer-products).
  transform.named_sequence @is_no_outer_product(%op: !op {transform.readonly}) {
    %outer = transform.structured.match attributes{lh.outer} in %op
        {lh.optional = "few targets have them"} : (!op) -> !op
    transform.match.operation_empty %outer : !op
    transform.yield
  }

  // So many loops, to be cut into rows.
  transform.named_sequence @has_rows(%op: !op {transform.readonly},
      %loops: !size {transform.readonly}) {
    transform.include @is_nest failures(propagate) (%op, %loops) : (!op, !size) -> ()
    transform.include @reads_elements failures(propagate) (%op) : (!op) -> ()
    transform.include @is_no_outer_product failures(propagate) (%op) : (!op) -> ()
    transform.yield
  }

  transform.named_sequence @is_of_something(%op: !op {transform.readonly}) {
    %nothing = transform.param.constant 0 : i64 -> !size
    %sizes = transform.match.structured failures(propagate) %op : (!op) -> !size {
    ^bb0(%s: !op):
      %all = transform.match.structured.dim %s[all] : (!op) -> !size
      transform.match.structured.yield %all : !size
    }
    transform.foreach %sizes : !size {
    ^bb0(%size: !size):
      transform.match.param.cmpi ne %size, %nothing : !size
    }
    transform.yield
  }

  // Nothing is not cut into rows.
  transform.named_sequence @has_2_loops(%op: !op {transform.readonly}) -> !op {
    %loops = transform.param.constant 2 : i64 -> !size
    transform.include @has_rows failures(propagate) (%op, %loops) : (!op, !size) -> ()
    transform.include @is_of_something failures(propagate) (%op) : (!op) -> ()
    transform.yield %op : !op
  }

  transform.named_sequence @has_3_loops(%op: !op {transform.readonly}) -> !op {
    %loops = transform.param.constant 3 : i64 -> !size
    transform.include @has_rows failures(propagate) (%op, %loops) : (!op, !size) -> ()
    transform.yield %op : !op
  }

  transform.named_sequence @has_4_loops(%op: !op {transform.readonly}) -> !op {
    %loops = transform.param.constant 4 : i64 -> !size
    transform.include @has_rows failures(propagate) (%op, %loops) : (!op, !size) -> ()
    transform.yield %op : !op
  }

  // The value that a row's sum starts from is no memory.
  transform.named_sequence @is_start_value(%op: !op {transform.readonly}) -> !op {
    %none = transform.param.constant 0 : i64 -> !size
    transform.include @is_nest failures(propagate) (%op, %none) : (!op, !size) -> ()
    transform.match.structured failures(propagate) %op : !op {
    ^bb0(%s: !op):
      transform.match.structured.body %s {passthrough} : !op
      transform.match.structured.yield
    }
    transform.yield %op : !op
  }

  // One loop over whole strips, and one, of one iteration, for the rest.
  transform.named_sequence @peel(%loop: !op {transform.readonly}) {
    transform.sequence %loop : !op failures(suppress)
        attributes {lh.optional = "a whole number of strips"} {
    ^bb0(%strips: !op):
      %for = transform.cast %strips : !op to !transform.op<"scf.for">
      %whole, %rest = transform.loop.peel %for
          : (!transform.op<"scf.for">) -> (!op, !op)
    }
    transform.yield
  }

  transform.named_sequence @drop_unit_loops(%functions: !op {transform.readonly}) {
    transform.apply_patterns to %functions {
      transform.apply_patterns.linalg.fold_unit_extent_dims_via_slices
      transform.apply_patterns.tensor.fold_tensor_empty
      transform.apply_patterns.canonicalization
    } : !op
    transform.apply_cse to %functions : !op
    transform.yield
  }
}
