// Finds the epilogues of convolutions that are products: what follows elementwise.
//
// Expects: linalg on tensors: a batch of products of f32, filters (1) by pixels (2), a
//   tensor.expand_shape of pixels to rows and columns, and ops on such images.
// Result:  the expand_shape is marked "one" if the one op that reads it can be computed
//   where the product is, "two" if the one op that reads that can, too. Not if others
//   read the product or the image as well, nor for ops that broadcast an operand or
//   call functions, nor for rows wider than half a block of contractions.mlir.
//   epilogues.mlir computes them there.
// Parameters: widest, the columns of the widest rows that are taken.
// Measured: nothing by itself.
!op = !transform.any_op
!size = !transform.param<i64>
#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
module attributes {transform.with_named_sequence} {
  // 1. Ops that may be taken: on one or two images, whose numbers are in one order.
  transform.named_sequence @mark_alike(%root: !op {transform.readonly}) {
    %of_one = transform.structured.match ops{["linalg.generic"]}
        attributes{indexing_maps = [#id, #id]} in %root : (!op) -> !op
    %of_two = transform.structured.match ops{["linalg.generic"]}
        attributes{indexing_maps = [#id, #id, #id]} in %root : (!op) -> !op
    %all = transform.merge_handles %of_one, %of_two : !op
    %alike = transform.collect_matching @is_alike in %all : (!op) -> !op
    transform.annotate %alike "alike" : !op
    transform.yield
  }

  transform.named_sequence @is_alike(%op: !op {transform.readonly}) -> !op {
    transform.match.operation_name %op ["linalg.generic"] : !op
    transform.match.structured failures(propagate) %op : !op {
    ^bb0(%s: !op):
      transform.match.structured.body %s {elementwise} : !op
      %init = transform.match.structured.init %s[0] : (!op) -> !transform.any_value
      %bits = transform.match.structured.elemental_bitwidth %init
          : (!transform.any_value) -> !size
      %single = transform.param.constant 32 : i64 -> !size
      transform.match.param.cmpi eq %bits, %single : !size
      %columns = transform.match.structured.dim %s[3] : (!op) -> !size
      %widest = transform.param.constant 128 : i64 {lh.bind = {value = "widest"}} -> !size
      transform.match.param.cmpi le %columns, %widest : !size
      transform.match.structured.yield
    }
    transform.include @calls_nothing failures(propagate) (%op) : (!op) -> ()
    transform.yield %op : !op
  }

  // A library's vectors of functions have few sizes: elementwise.mlir cuts these.
  transform.named_sequence @calls_nothing(%op: !op {transform.readonly}) {
    %calls = transform.structured.match ops{["math.cos", "math.erf", "math.exp",
        "math.log", "math.log1p", "math.powf", "math.sin", "math.tanh"]} in %op
        {lh.optional = "most call none"} : (!op) -> !op
    transform.match.operation_empty %calls : !op
    transform.yield
  }

  // 2. Products of f32, of known size, whose result is one image, which one op reads.
  transform.named_sequence @is_product(%op: !op {transform.readonly}) {
    %sizes = transform.match.structured failures(propagate) %op : (!op) -> !size {
    ^bb0(%s: !op):
      %rank = transform.match.structured.rank %s : (!op) -> !size
      %four = transform.param.constant 4 : i64 -> !size
      transform.match.param.cmpi eq %rank, %four : !size
      transform.match.structured.body %s
          {contraction = ["arith.mulf", "arith.addf"]} : !op
      %init = transform.match.structured.init %s[0] : (!op) -> !transform.any_value
      %bits = transform.match.structured.elemental_bitwidth %init
          : (!transform.any_value) -> !size
      %single = transform.param.constant 32 : i64 -> !size
      transform.match.param.cmpi eq %bits, %single : !size
      %sum = transform.match.structured.dim %s[-1] {reduction} : (!op) -> !size
      %all = transform.match.structured.dim %s[all] : (!op) -> !size
      transform.match.structured.yield %all : !size
    }
    // A size that isn't known is negative.
    %one = transform.param.constant 1 : i64 -> !size
    transform.foreach %sizes : !size {
    ^bb0(%size: !size):
      transform.match.param.cmpi ge %size, %one : !size
    }
    transform.yield
  }

  transform.named_sequence @is_one(%ops: !op {transform.readonly}) {
    %one = transform.param.constant 1 : i64 -> !size
    %count = transform.num_associations %ops : (!op) -> !size
    transform.match.param.cmpi eq %count, %one : !size
    transform.yield
  }

  // The only reader, if it may be taken and isn't yet: an op of two products is
  // computed in the loops of one.
  transform.named_sequence @reader(%op: !op {transform.readonly}) -> !op {
    %readers = transform.get_consumers_of_result %op[0] : (!op) -> !op
    transform.include @is_one failures(propagate) (%readers) : (!op) -> ()
    %alike = transform.structured.match attributes{alike} in %readers : (!op) -> !op
    transform.include @is_one failures(propagate) (%alike) : (!op) -> ()
    %taken = transform.structured.match attributes{taken} in %readers : (!op) -> !op
    transform.match.operation_empty %taken : !op
    transform.yield %readers : !op
  }

  // The op that reads the image of a product, if only that image is made of it.
  transform.named_sequence @near(%image: !op {transform.readonly}) -> !op {
    %product = transform.get_producer_of_operand %image[0] : (!op) -> !op
    transform.include @is_product failures(propagate) (%product) : (!op) -> ()
    %readers = transform.get_consumers_of_result %product[0] : (!op) -> !op
    transform.include @is_one failures(propagate) (%readers) : (!op) -> ()
    %start = transform.get_producer_of_operand %product[2] : (!op) -> !op
    transform.match.operation_name %start
        ["linalg.fill", "linalg.broadcast", "linalg.generic"] : !op
    %near = transform.include @reader failures(propagate) (%image) : (!op) -> !op
    transform.yield %near : !op
  }

  transform.named_sequence @choose_two(%image: !op {transform.readonly}) {
    %near = transform.include @near failures(propagate) (%image) : (!op) -> !op
    %last = transform.include @reader failures(propagate) (%near) : (!op) -> !op
    transform.annotate %near "taken" : !op
    transform.annotate %last "taken" : !op
    transform.annotate %image "two" : !op
    transform.yield
  }

  transform.named_sequence @choose_one(%image: !op {transform.readonly}) {
    %near = transform.include @near failures(propagate) (%image) : (!op) -> !op
    transform.annotate %near "taken" : !op
    transform.annotate %image "one" : !op
    transform.yield
  }

  transform.named_sequence @choose_epilogues(%root: !op {transform.readonly}) {
    transform.include @mark_alike failures(propagate) (%root) : (!op) -> ()
    // Not heads and rows of an attention, which are of four dimensions too.
    %images = transform.structured.match ops{["tensor.expand_shape"]}
        attributes {reassociation = [[0], [1], [2, 3]]} in %root : (!op) -> !op
    transform.foreach %images : !op {
    ^bb0(%image: !op):
      transform.sequence %image : !op failures(suppress)
          attributes {lh.optional = "most images are not a product's"} {
      ^bb1(%this: !op):
        transform.include @choose_two failures(propagate) (%this) : (!op) -> ()
      }
    }
    transform.foreach %images : !op {
    ^bb0(%image: !op):
      transform.sequence %image : !op failures(suppress)
          attributes {lh.optional = "most images are not a product's"} {
      ^bb1(%this: !op):
        transform.include @choose_one failures(propagate) (%this) : (!op) -> ()
      }
    }
    transform.yield
  }
}
