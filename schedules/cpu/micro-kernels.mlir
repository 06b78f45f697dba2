// Products by a kernel's C functions, a tile of C in each call.
//
// Expects: linalg on tensors, elementwise chains fused (fuse-elementwise); functions
//   with lh.kernel_call, which the bubble's `kernel` lends.
// Result:  B of each product whose lh.choice is "kernel" (choose) is packed
//   as [N/columns][K][columns] (linalg.pack, which lh-hoist-weights moves) and cuts
//   the product into a loop over panels of B (scf.forall), in it one over rows, in
//   that a call. The op that reads the product is part of the call where the kernel
//   computes it, too; otherwise it stays behind the loops. Calls are of functions on
//   tensors; lib:cpu/inline-kernels makes them write where the tile lies.
// Parameters: none; the kernel's descriptor has the sizes of its tiles.
// Source:  Georganas et al., "Tensor processing primitives" (arXiv:2104.05755); tiles
//   as in libxsmm and BLIS.
!op = !transform.any_op
!value = !transform.any_value
!size = !transform.param<i64>
!flag = !transform.param<i1>
!choice = !transform.any_param
module attributes {transform.with_named_sequence} {
  // Of panels.mlir:
  transform.named_sequence private @turn_panels(
      !op {transform.readonly}, !flag {transform.readonly}) -> !op

  // Loops and calls for what is chosen.
  transform.named_sequence @micro_kernels(%root: !op {transform.readonly}) {
    %products = transform.collect_matching @is_kernels in %root : (!op) -> !op
    %count = transform.num_associations %products : (!op) -> !size
    transform.foreach %products : !op {
    ^bb0(%product: !op):
      %next = transform.collect_matching @next_of in %product : (!op) -> !op
      %called = transform.collect_matching @is_computed in %next : (!op) -> !op
      %unpack, %packed = transform.include @pack failures(propagate)
          (%product) : (!op) -> (!op, !op)
      transform.lh.if %called : !op {
        transform.include @call_with_next failures(propagate)
            (%next, %unpack, %packed) : (!op, !op, !op) -> ()
      } else {
        transform.include @call_alone failures(propagate)
            (%unpack, %packed) : (!op, !op) -> ()
      }
    }
    // What calls compute has readers still: of its sizes.
    transform.lh.if %count : !size {
      %functions = transform.structured.match ops{["func.func"]} in %root : (!op) -> !op
      transform.apply_patterns to %functions {
        transform.apply_patterns.memref.resolve_ranked_shaped_type_result_dims
        transform.apply_patterns.canonicalization
      } : !op
      transform.apply_cse to %functions : !op
      // Of a loop of one trip the tile is all of a tensor, which others share.
      %own = transform.apply_registered_pass "lh-split-empties" to %functions
          : (!op) -> !op
    }
    transform.yield
  }

  transform.named_sequence @is_kernels(%op: !op {transform.readonly}) -> !op {
    %choice = transform.lh.match.choice %op ["kernel"] : (!op) -> !choice
    %product = transform.include @is_taken failures(propagate) (%op) : (!op) -> !op
    transform.yield %product : !op
  }

  // A product that the kernel can compute.
  transform.named_sequence @is_taken(%op: !op {transform.readonly}) -> !op {
    %sizes:4 = transform.lh.match.product %op loops ["mnk"] {any_body} : !op
    %function, %bias = transform.lh.match.kernel %op "none"
        {lh.bind = {kernel = "kernel.name"}} : (!op) -> (!op, !value)
    transform.yield %op : !op
  }

  transform.named_sequence @next_of(%op: !op {transform.readonly}) -> !op {
    %next = transform.lh.match.identity_consumer %op : (!op) -> !op
    transform.yield %next : !op
  }

  transform.named_sequence @is_computed(%op: !op {transform.readonly}) -> !op {
    %function, %bias = transform.lh.match.kernel %op "none"
        {lh.bind = {kernel = "kernel.name"}} : (!op) -> (!op, !value)
    transform.yield %op : !op
  }

  // B in panels, and the product on them, whose columns are unpacked behind it.
  transform.named_sequence @pack(%product: !op {transform.consumed}) -> (!op, !op) {
    %first = transform.structured.pack %product packed_sizes = [0, 64, 0]
        {lh.bind = {static_packed_sizes = [0, "kernel.columns", 0]}} : (!op) -> !op
    %pack = transform.get_producer_of_operand %first[1] : (!op) -> !op
    %by_row = transform.structured.match ops{["linalg.pack"]}
        attributes{inner_dims_pos = array<i64: 1>} in %pack : (!op) -> !op
    %packed = transform.lh.if %by_row : !op -> !op {
      %single = transform.param.constant false -> !flag
      %turned = transform.include @turn_panels failures(propagate) (%pack, %single)
          : (!op, !flag) -> !op
      transform.yield %turned : !op
    } else {
      transform.yield %first : !op
    }
    // For who vectorizes it in @prepare.
    %panels = transform.get_producer_of_operand %packed[1] : (!op) -> !op
    %choice = transform.param.constant
        #dlti.map<"strategy" = "kernel", "rule" = "micro_kernels", "columns" = 64>
        {lh.bind = {value = {columns = "kernel.columns"}}} -> !choice
    transform.annotate %panels "lh.choice" = %choice : !op, !choice
    %unpack = transform.get_consumers_of_result %packed[0] : (!op) -> !op
    transform.yield %unpack, %packed : !op, !op
  }

  // A loop over panels of B and what is computed of them. `packed` is in it.
  transform.named_sequence @cut_columns(%root: !op {transform.consumed}) -> (!op, !op) {
    %columns = transform.param.constant 64 : i64
        {lh.bind = {value = "kernel.columns"}} -> !size
    %panel, %panels = transform.structured.tile_using_forall %root
        tile_sizes [0, %columns] : (!op, !size) -> (!op, !op)
    transform.yield %panel, %panels : !op, !op
  }

  // A loop over the rows of tiles.
  transform.named_sequence @cut_rows(%panel: !op {transform.consumed}) -> (!op, !op) {
    %rows = transform.param.constant 64 : i64
        {lh.bind = {value = "kernel.rows"}} -> !size
    %tile, %tiles = transform.structured.tile_using_forall %panel
        tile_sizes [%rows, 0] : (!op, !size) -> (!op, !op)
    transform.yield %tile, %tiles : !op, !op
  }

  // A call in place of `tile`, which is computed of the sums of `packed`.
  transform.named_sequence @call(%tile: !op {transform.readonly},
      %packed: !op {transform.readonly}) {
    %function, %bias = transform.lh.match.kernel %tile "none"
        {lh.bind = {kernel = "kernel.name"}} : (!op) -> (!op, !value)
    %a = transform.get_operand %packed[0] : (!op) -> !value
    %b = transform.get_operand %packed[1] : (!op) -> !value
    %c = transform.get_operand %tile[-1] : (!op) -> !value
    %inputs = transform.merge_handles %a, %b, %c, %bias : !value
    %value = transform.get_result %tile[0] : (!op) -> !value
    transform.func.cast_and_call %function(%inputs) -> %value before %tile {
      transform.type_conversion.tensor.cast_shape_dynamic_dims
    } : (!op, !value, !value, !op) -> !op
    transform.yield
  }

  // Loops around `next`, which the kernel computes, too.
  transform.named_sequence @call_with_next(%next: !op {transform.consumed},
      %unpack: !op {transform.consumed}, %packed: !op {transform.consumed}) {
    %panel, %panels = transform.include @cut_columns failures(propagate) (%next)
        : (!op) -> (!op, !op)
    %u1, %p1 = transform.lh.fuse_into %unpack, %packed into %panels
        : (!op, !op, !op) -> (!op, !op)
    %tile, %tiles = transform.include @cut_rows failures(propagate) (%panel)
        : (!op) -> (!op, !op)
    %u2, %p2 = transform.lh.fuse_into %u1, %p1 into %tiles
        : (!op, !op, !op) -> (!op, !op)
    transform.include @call failures(propagate) (%tile, %p2) : (!op, !op) -> ()
    transform.yield
  }

  // Loops around the product alone.
  transform.named_sequence @call_alone(
      %unpack: !op {transform.consumed}, %packed: !op {transform.consumed}) {
    %panel, %panels = transform.include @cut_columns failures(propagate) (%unpack)
        : (!op) -> (!op, !op)
    %p1 = transform.lh.fuse_into %packed into %panels : (!op, !op) -> !op
    %tile, %tiles = transform.include @cut_rows failures(propagate) (%panel)
        : (!op) -> (!op, !op)
    %p2 = transform.lh.fuse_into %p1 into %tiles : (!op, !op) -> !op
    transform.include @call failures(propagate) (%tile, %p2) : (!op, !op) -> ()
    transform.yield
  }
}
