// Kind: slow code
// Fault: No pass lays buffers whose lifetimes don't overlap into the same memory: of three temporaries in a chain, of which two are in use at a time, three stay.
// Expected: the third in the memory of the first; in a whole model, one block of memory with a place for each buffer.
// Ours: `lh-plan-memory`
// Change: A new pass in `mlir/lib/Dialect/Bufferization/Transforms` that takes the first and last use of each allocation of static size in a function (`BufferViewFlowAnalysis` finds the aliases), gives each an offset in one `memref.alloc`, greatest first, and replaces it by a `memref.view`. `buffer-loop-hoisting`, `promote-buffers-to-stack` and `optimize-allocation-liveness` move single buffers.
// Upstream: No report known
//
// RUN: mlir-opt %s -buffer-hoisting -buffer-loop-hoisting -optimize-allocation-liveness -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @chain
// CHECK-COUNT-3: memref.alloc() : memref<4096xf32>
func.func @chain(%x: memref<4096xf32>, %out: memref<4096xf32>) {
  %a = memref.alloc() : memref<4096xf32>
  linalg.exp ins(%x : memref<4096xf32>) outs(%a : memref<4096xf32>)
  %b = memref.alloc() : memref<4096xf32>
  linalg.log ins(%a : memref<4096xf32>) outs(%b : memref<4096xf32>)
  memref.dealloc %a : memref<4096xf32>
  %c = memref.alloc() : memref<4096xf32>
  linalg.abs ins(%b : memref<4096xf32>) outs(%c : memref<4096xf32>)
  memref.dealloc %b : memref<4096xf32>
  linalg.negf ins(%c : memref<4096xf32>) outs(%out : memref<4096xf32>)
  memref.dealloc %c : memref<4096xf32>
  return
}
