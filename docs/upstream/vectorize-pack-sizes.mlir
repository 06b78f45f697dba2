// Kind: crash
// Fault: `transform.structured.vectorize` takes fewer vector sizes for a `linalg.pack` than its result has dimensions, and writes behind the end of an array: with four sizes of five mlir-opt ends with "stack smashing detected".
// Expected: An error that says how many sizes are needed: those of the outer dimensions, then those of the inner tiles.
// Ours: Schedules name all sizes, and vectorize no other pack
// Change: `vectorizePackOpPrecondition` in `mlir/lib/Dialect/Linalg/Transforms/Vectorization.cpp` compares the sizes with the shape's first dimensions; compare their number with the result's rank too.
// Upstream: No report known
//
// RUN: not --crash mlir-opt %s -transform-interpreter

func.func @pack(%a: tensor<1x16x1x16xf32>, %d: tensor<1x1x1x16x16xf32>) -> tensor<1x1x1x16x16xf32> {
  %r = linalg.pack %a inner_dims_pos = [1] inner_tiles = [16] into %d : tensor<1x16x1x16xf32> -> tensor<1x1x1x16x16xf32>
  return %r : tensor<1x1x1x16x16xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %pack = transform.structured.match ops{["linalg.pack"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.structured.vectorize %pack vector_sizes [1, 1, 1, 16] : !transform.any_op
    transform.yield
  }
}
