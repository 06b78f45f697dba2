// Kind: refusal
// Fault: `sparse-assembler` gives a function's name to a wrapper whose arguments have none of the function's attributes.
// Expected: Attributes of dense arguments on the wrapper's, and some way to tell which arrays make up which sparse argument.
// Ours: `lh-assemble-sparse`
// Change: `SparseFuncAssembler` in `mlir/lib/Dialect/SparseTensor/Transforms/SparseAssembler.cpp` builds the wrapper from types alone. It could copy argument attributes, and note on each array the argument, the level and the kind of array, as `convTypes` knows them.
// Upstream: No report known
//
// RUN: mlir-opt %s -sparse-assembler | FileCheck %s

#CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed) }>

// CHECK-LABEL: func.func @first(
//  CHECK-SAME: %{{.*}}: tensor<?xindex>, %{{.*}}: tensor<?xindex>, %{{.*}}: tensor<?xf32>, %{{.*}}: tensor<8xf32>) -> tensor<8xf32> {
//       CHECK: sparse_tensor.assemble
//       CHECK: call @_internal_first
//       CHECK: func.func private @_internal_first(
//  CHECK-SAME: {my.name = "x"}
func.func @first(%a: tensor<8x8xf32, #CSR> {my.name = "a"}, %x: tensor<8xf32> {my.name = "x"}) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
