// Kind: slow code
// Fault: `scf-forall-to-parallel` makes an `scf.parallel` of every `scf.forall`, inner ones too, and `convert-scf-to-openmp` makes an `omp.parallel` region of each: two nested loops of two iterations start a team of threads inside of each thread.
// Expected: A choice of which loops run in parallel: the outermost alone, or those with enough work.
// Ours: `lh-share-loops`
// Change: The passes in `mlir/lib/Dialect/SCF/Transforms/ForallToParallel.cpp` and `mlir/lib/Conversion/SCFToOpenMP/SCFToOpenMP.cpp` need an option, or a callback in their `populate` functions, that tells whether a loop is taken. OpenMP's own answer is the `if` clause of `omp.parallel` (the op has `if_expr`), for which `ParallelOpLowering` could compute the number of iterations.
// Upstream: No report known
//
// RUN: mlir-opt %s -scf-forall-to-parallel -convert-scf-to-openmp | FileCheck %s

// CHECK-LABEL: func.func @clear
//       CHECK:   omp.parallel {
//       CHECK:     omp.wsloop {
//       CHECK:       omp.parallel {
//       CHECK:         omp.wsloop {
func.func @clear(%m: memref<2x2xf32>) {
  %zero = arith.constant 0.0 : f32
  scf.forall (%i) in (2) {
    scf.forall (%j) in (2) {
      memref.store %zero, %m[%i, %j] : memref<2x2xf32>
    }
  }
  return
}
