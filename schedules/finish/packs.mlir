// Converts packed layouts to pads, reshapes and transposes.
//
// Expects: linalg on tensors, and any other dialects.
// Result:  no linalg.pack and no linalg.unpack; everything else unchanged.
// Parameters: none.
// Source:  MLIR's lower_pack and lower_unpack.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @lower_packs(%root: !transform.any_op {transform.readonly}) {
    %packs = transform.structured.match ops{["linalg.pack"]} in %root
        {lh.optional = "most modules have none"}
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %packs : !transform.any_op {
    ^bb0(%pack: !transform.any_op):
      %p = transform.cast %pack : !transform.any_op to !transform.op<"linalg.pack">
      %pad, %split, %order = transform.structured.lower_pack %p
          : (!transform.op<"linalg.pack">)
          -> (!transform.op<"tensor.pad">, !transform.op<"tensor.expand_shape">,
              !transform.op<"linalg.transpose">)
    }
    %unpacks = transform.structured.match ops{["linalg.unpack"]} in %root
        {lh.optional = "most modules have none"}
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %unpacks : !transform.any_op {
    ^bb0(%unpack: !transform.any_op):
      %u = transform.cast %unpack : !transform.any_op to !transform.op<"linalg.unpack">
      %empty, %order, %merged, %slice = transform.structured.lower_unpack %u
          : (!transform.op<"linalg.unpack">)
          -> (!transform.op<"tensor.empty">, !transform.op<"linalg.transpose">,
              !transform.op<"tensor.collapse_shape">,
              !transform.op<"tensor.extract_slice">)
    }
    transform.yield
  }
}
