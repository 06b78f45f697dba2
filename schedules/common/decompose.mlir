// Ops that stand for several others, by upstream's own decompositions.
!op = !transform.any_op
module attributes {transform.with_named_sequence} {
  transform.named_sequence @decompose(%root: !op {transform.readonly}) {
    %softmaxes = transform.structured.match ops{["linalg.softmax"]} in %root
      {lh.optional = "a model may have none"} : (!op) -> !op
    transform.structured.decompose_interface %softmaxes : (!op) -> !op
    %packs = transform.structured.match ops{["linalg.pack"]} in %root
      {lh.optional = "a model may have none"} : (!op) -> !transform.op<"linalg.pack">
    transform.foreach %packs : !transform.op<"linalg.pack"> {
    ^bb0(%pack: !transform.op<"linalg.pack">):
      transform.structured.lower_pack %pack : (!transform.op<"linalg.pack">)
        -> (!transform.op<"tensor.pad">, !transform.op<"tensor.expand_shape">,
            !transform.op<"linalg.transpose">)
    }
    %unpacks = transform.structured.match ops{["linalg.unpack"]} in %root
      {lh.optional = "a model may have none"} : (!op) -> !transform.op<"linalg.unpack">
    transform.foreach %unpacks : !transform.op<"linalg.unpack"> {
    ^bb0(%unpack: !transform.op<"linalg.unpack">):
      transform.structured.lower_unpack %unpack : (!transform.op<"linalg.unpack">)
        -> (!transform.op<"tensor.empty">, !transform.op<"linalg.transpose">,
            !transform.op<"tensor.collapse_shape">, !transform.op<"tensor.extract_slice">)
    }
    transform.yield
  }
}
