// Kind: refusal
// Fault: A model whose weights are `ml_program.global`s in a file (`#ml_program.extern`) can't be bufferized: `ml_program.global_load_const` has no bufferization, and that of `ml_program.global_load` makes a `memref.global` with the extern attribute, which its verifier refuses. Nor does any pass move what depends on weights alone (packing, transposing, folding) to the time when the weights are loaded.
// Expected: A declaration, `memref.global constant @weights : memref<4xf32>`, and reads of it.
// Ours: `lh-hoist-weights`; the engine hands weights over as arguments
// Change: `GlobalOpInterface::bufferize` in `mlir/lib/Dialect/MLProgram/Transforms/BufferizableOpInterfaceImpl.cpp` copies the value attribute: for an `ExternAttr` it should make a public `memref.global` without a value. Add an interface for `GlobalLoadConstOp` beside `GlobalLoadOp`'s; both become `memref.get_global`. Work at load time needs a new pass that splits a function into an initialiser and a body.
// Upstream: No report known
//
// RUN: split-file %s %t
// RUN: not mlir-opt %t/load-const.mlir -one-shot-bufferize=bufferize-function-boundaries 2>&1 | FileCheck %t/load-const.mlir
// RUN: not mlir-opt %t/load.mlir -one-shot-bufferize=bufferize-function-boundaries 2>&1 | FileCheck %t/load.mlir

//--- load-const.mlir
ml_program.global private @weights(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: error: op was not bufferized
  %w = ml_program.global_load_const @weights : tensor<4xf32>
  %y = linalg.add ins(%x, %w : tensor<4xf32>, tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

//--- load.mlir
// CHECK: error: 'memref.global' op initial value should be a unit or elements attribute, but got #ml_program.extern
ml_program.global private @weights(#ml_program.extern<tensor<4xf32>>) : tensor<4xf32>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %w = ml_program.global_load @weights : tensor<4xf32>
  %y = linalg.add ins(%x, %w : tensor<4xf32>, tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
