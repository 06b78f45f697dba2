// Kind: refusal
// Fault: A parallel loop with a sum can't be made a GPU kernel: `convert-parallel-loops-to-gpu` leaves the value of the loop behind, and fails. Sums of rows, softmax and normalizations have no upstream way to threads that share a sum.
// Expected: a kernel whose threads sum up their parts, and `gpu.all_reduce` or a tree of shuffles for the rest.
// Ours: `lh-launch-kernels`
// Change: `ParallelToGpuLaunchLowering` in `mlir/lib/Conversion/SCFToGPU/SCFToGPU.cpp` handles a reduction of a loop inside of a kernel alone, by `gpu.all_reduce`. Support the outermost loop: partial sums of a block into memory, and a second launch that adds them.
// Upstream: No report known
//
// RUN: not mlir-opt %s -gpu-map-parallel-loops -convert-parallel-loops-to-gpu 2>&1 | FileCheck %s

func.func @sum(%x: memref<?xf32>, %n: index, %out: memref<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  // CHECK: error: failed to legalize unresolved materialization from () to ('f32')
  %s = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%zero) -> f32 {
    %v = memref.load %x[%i] : memref<?xf32>
    scf.reduce(%v : f32) {
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      scf.reduce.return %t : f32
    }
  }
  memref.store %s, %out[] : memref<f32>
  return
}
