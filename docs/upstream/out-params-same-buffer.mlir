// Kind: crash
// Fault: `buffer-results-to-out-params` crashes if `hoist-static-allocs` is on and a function returns one buffer twice.
// Expected: The first result's buffer used in place of the allocation, and a copy of it for the second.
// Ours: `lh-entry-abi`
// Change: `updateReturnOps` in `mlir/lib/Dialect/Bufferization/Transforms/BufferResultsToOutParams.cpp` erases the `memref.alloc` at the first result and reads its type at the second. Erase allocations after the loop, and copy if the same allocation has a destination already.
// Upstream: Reported as https://github.com/llvm/llvm-project/issues/219492, mended after LLVM 22 by https://github.com/llvm/llvm-project/pull/220232
//
// RUN: not --crash mlir-opt %s -buffer-results-to-out-params="modify-public-functions hoist-static-allocs"

func.func @twice() -> (memref<4xf32>, memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  return %a, %a : memref<4xf32>, memref<4xf32>
}
