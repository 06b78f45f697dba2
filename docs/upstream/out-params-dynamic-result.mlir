// Kind: refusal
// Fault: `buffer-results-to-out-params` fails on a module in which a function with a result of unknown size is called, as the caller can't know the size. No option of the pass leaves such functions out; a callback in C++ could.
// Expected: @fixed converted, @computed left as it is.
// Ours: `lh-entry-abi`
// Change: `BufferResultsToOutParamsPass` in `mlir/lib/Dialect/Bufferization/Transforms/BufferResultsToOutParams.cpp` asks `BufferResultsToOutParamsOpts::filterFn`. Add an option to the pass in `mlir/include/mlir/Dialect/Bufferization/Transforms/Passes.td` that sets the filter to functions whose results all have static shapes.
// Upstream: No report known
//
// RUN: not mlir-opt %s -buffer-results-to-out-params 2>&1 | FileCheck %s

func.func private @fixed() -> memref<4xf32> {
  %a = memref.alloc() : memref<4xf32>
  return %a : memref<4xf32>
}

func.func private @computed(%sizes: memref<?xindex>) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %n = memref.load %sizes[%c0] : memref<?xindex>
  %a = memref.alloc(%n) : memref<?xf32>
  return %a : memref<?xf32>
}

func.func @main(%sizes: memref<?xindex>) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %f = call @fixed() : () -> memref<4xf32>
  // CHECK: error: cannot create out param for dynamically shaped result
  %c = call @computed(%sizes) : (memref<?xindex>) -> memref<?xf32>
  %x = memref.load %f[%c0] : memref<4xf32>
  %y = memref.load %c[%c0] : memref<?xf32>
  return %x, %y : f32, f32
}
