// Computes products of a few rows with weights of a few bits, which it unpacks in
// registers.
//
// Expects: linalg on tensors; products whose lh.choice is "unpack" (choose), with
//   loops (row, column, block, byte, place in the byte), of A with what an
//   elementwise op makes of bytes [column][block][byte] and of numbers for each
//   column and block, as the importer of MatMulNBits leaves them. Its "columns" are
//   those of a panel, of which all columns are a multiple.
// Result:  a loop over panels (scf.forall), in it one over rows, in that one over
//   blocks, that carries the sums of a panel's columns in registers, then one over
//   bytes. A step reads one byte of each column, side by side, and multiplies all that
//   is in it. A panel is in the cache when the second row reads it. What lays bytes,
//   scales and zero points out by panels depends on weights alone, so that
//   pack-contractions moves it to @prepare.
// Parameters: columns of a panel, and lanes, those of a vector (unpack-weights.yaml).
// Measured (f32, 4 bits, blocks of 32, one row, from memory, Zen 3): 4.9 GB/s of
//   bytes and scales; with all vectors of a panel at once, which LLVM spills, 3.7.
// Source:  Frantar et al., "GPTQ: accurate post-training quantization", whose kernel
//   unpacks in registers as well.
!op = !transform.any_op
!size = !transform.param<i64>
!generic = !transform.op<"linalg.generic">
!name = !transform.any_param
module attributes {transform.with_named_sequence} {
  // Of packs.mlir:
  transform.named_sequence private @lower_packs(!op {transform.readonly})

  transform.named_sequence @unpacks(%op: !op {transform.readonly}) -> !op {
    %columns = transform.lh.match.choice %op ["unpack"] key "columns" : (!op) -> !size
    %known = transform.param.constant 32 : i64 {lh.bind = {value = "columns"}} -> !size
    transform.match.param.cmpi eq %columns, %known : !size
    %sizes:4 = transform.lh.match.product %op loops ["mnkkk"] : !op
    transform.yield %op : !op
  }

  // Products and their weights by panels: the columns of one side by side.
  transform.named_sequence @lay_out(%root: !op {transform.readonly}) {
    %products = transform.collect_matching @unpacks in %root : (!op) -> !op
    transform.foreach %products : !op {
    ^bb0(%product: !op):
      %weights = transform.get_producer_of_operand %product[1] : (!op) -> !op
      %panels = transform.structured.pack %weights packed_sizes = [32, 0, 0, 0]
          {lh.bind = {static_packed_sizes = ["columns", 0, 0, 0]}} : (!op) -> !generic
      %packed = transform.structured.pack %product packed_sizes = [0, 32, 0, 0, 0]
          {lh.bind = {static_packed_sizes = [0, "columns", 0, 0, 0]}} : (!op) -> !generic
      transform.annotate %packed "lh.unpack" : !generic
    }
    transform.yield
  }

  // `weights` are computed in the loop, right before the product that reads them.
  transform.named_sequence @tile(%product: !op {transform.consumed}) {
    %weights = transform.get_producer_of_operand %product[1] : (!op) -> !op
    %by_panels, %panels = transform.structured.tile_using_forall %product
        tile_sizes [0, 1] : (!op) -> (!op, !op)
    %of_panel = transform.lh.fuse_into %weights into %panels : (!op, !op) -> !op
    %by_rows, %rows = transform.structured.tile_using_for %by_panels tile_sizes [1]
        : (!op) -> (!op, !op)
    %of_row = transform.lh.fuse_into %of_panel into %rows : (!op, !op) -> !op
    %by_blocks, %blocks = transform.structured.tile_using_for %by_rows
        tile_sizes [0, 0, 1] : (!op) -> (!op, !op)
    %of_block = transform.lh.fuse_into %of_row into %blocks : (!op, !op) -> !op
    %by_bytes, %bytes = transform.structured.tile_using_for %by_blocks
        tile_sizes [0, 0, 0, 1] : (!op) -> (!op, !op)
    %of_byte = transform.lh.fuse_into %of_block into %bytes : (!op, !op) -> !op
    // A vector at a time, and all that is in its bytes: LLVM would unpack a panel's
    // bytes with more vectors than there are registers.
    %by_lanes, %lanes = transform.structured.tile_using_for %by_bytes
        tile_sizes [0, 0, 0, 0, 0, 8] {lh.bind = {static_sizes = [0, 0, 0, 0, 0, "lanes"]}}
        : (!op) -> (!op, !op)
    %of_lanes = transform.lh.fuse_into %of_byte into %lanes : (!op, !op) -> !op
    %by_places, %places = transform.structured.tile_using_for %by_lanes
        tile_sizes [0, 0, 0, 0, 1] : (!op) -> (!op, !op)
    %of_place = transform.lh.fuse_into %of_lanes into %places : (!op, !op) -> !op
    transform.structured.vectorize %of_place : !op
    transform.structured.vectorize %by_places : !op
    %over_places = transform.param.constant "places" -> !name
    transform.annotate %places "lh.unpack" = %over_places : !op, !name
    %over_lanes = transform.param.constant "lanes" -> !name
    transform.annotate %lanes "lh.unpack" = %over_lanes : !op, !name
    %over_bytes = transform.param.constant "bytes" -> !name
    transform.annotate %bytes "lh.unpack" = %over_bytes : !op, !name
    %over_blocks = transform.param.constant "blocks" -> !name
    transform.annotate %blocks "lh.unpack" = %over_blocks : !op, !name
    transform.yield
  }

  transform.named_sequence @unroll_places(%root: !op {transform.readonly}) {
    %loops = transform.structured.match ops{["scf.for"]} attributes{lh.unpack = "places"}
        in %root {lh.optional = "a byte may hold one number or two"} : (!op) -> !op
    transform.loop.unroll %loops {factor = 2 : i64} : !op
    transform.yield
  }

  transform.named_sequence @unroll_lanes(%root: !op {transform.readonly}) {
    %loops = transform.structured.match ops{["scf.for"]} attributes{lh.unpack = "lanes"}
        in %root : (!op) -> !op
    transform.loop.unroll %loops {factor = 2 : i64} : !op
    transform.yield
  }

  // Panels' loops become straight code on vectors that carry their sums.
  transform.named_sequence @finish(%root: !op {transform.readonly}) {
    %functions = transform.structured.match ops{["func.func"]} in %root : (!op) -> !op
    transform.include @lower_packs failures(propagate) (%root) : (!op) -> ()
    transform.apply_patterns to %functions {
      transform.apply_patterns.canonicalization
    } : !op
    // Up to four places, and four vectors. A loop of fewer trips than the factor isn't
    // unrolled, so four are by two and two.
    transform.include @unroll_places failures(propagate) (%root) : (!op) -> ()
    transform.include @unroll_places failures(propagate) (%root) : (!op) -> ()
    transform.include @unroll_lanes failures(propagate) (%root) : (!op) -> ()
    transform.include @unroll_lanes failures(propagate) (%root) : (!op) -> ()
    transform.apply_patterns to %functions {
      transform.apply_patterns.vector.transfer_permutation_patterns
    } : !op
    transform.apply_patterns to %functions {
      transform.apply_patterns.vector.cast_away_vector_leading_one_dim
      transform.apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers
      transform.apply_patterns.canonicalization
    } : !op
    transform.apply_cse to %functions : !op
    // Sums stay in registers over a block, then over all blocks.
    %bytes = transform.structured.match ops{["scf.for"]} attributes{lh.unpack = "bytes"}
        in %root : (!op) -> !op
    transform.apply_licm to %bytes : !op
    transform.loop.hoist_loop_invariant_subsets %bytes : !op
    %blocks = transform.structured.match ops{["scf.for"]} attributes{lh.unpack = "blocks"}
        in %root : (!op) -> !op
    transform.loop.hoist_loop_invariant_subsets %blocks : !op
    transform.apply_patterns to %functions {
      transform.apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers
      transform.apply_patterns.canonicalization
    } : !op
    transform.yield
  }

  transform.named_sequence @unpack_weights(%root: !op {transform.readonly}) {
    %functions = transform.structured.match ops{["func.func"]} in %root : (!op) -> !op
    transform.include @lay_out failures(propagate) (%functions) : (!op) -> ()
    %packed = transform.structured.match ops{["linalg.generic"]}
        attributes{lh.unpack} in %root : (!op) -> !op
    transform.lh.if %packed : !op {
      transform.apply_patterns to %functions {
        transform.apply_patterns.canonicalization
      } : !op
      transform.apply_cse to %functions : !op
      %products = transform.structured.match ops{["linalg.generic"]}
          attributes{lh.unpack} in %root : (!op) -> !op
      transform.foreach %products : !op {
      ^bb0(%product: !op):
        transform.include @tile failures(propagate) (%product) : (!op) -> ()
      }
      transform.include @finish failures(propagate) (%root) : (!op) -> ()
    }
    transform.yield
  }
}
