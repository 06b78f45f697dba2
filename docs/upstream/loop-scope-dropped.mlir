// Kind: wrong code
// Fault: An `scf.for` frees what its body allocates on the stack (it has the trait `AutomaticAllocationScope`), and `convert-vector-to-scf` relies on it: its buffers stand in the loop. `convert-scf-to-cf` drops the scope, so that all stay until the function ends: this loop of a million iterations overflows the stack.
// Expected: `llvm.intr.stacksave` at the beginning of each iteration and `llvm.intr.stackrestore` at its end, or the buffers before the loop.
// Ours: The option `full-unroll` of `convert-vector-to-scf`, which needs no buffers
// Change: `ForLowering` in `mlir/lib/Conversion/SCFToControlFlow/SCFToControlFlow.cpp` should wrap a body that holds a `memref.alloca` into a `memref.alloca_scope` first (which becomes save and restore), as the lowering of `scf.parallel` to OpenMP does. Or `allocBuffers` in `mlir/lib/Conversion/VectorToSCF/VectorToSCF.cpp` puts buffers of static size before the outermost loop.
// Upstream: No report known
//
// RUN: mlir-opt %s -convert-vector-to-scf -convert-scf-to-cf | FileCheck %s
// RUN: mlir-opt %s -convert-vector-to-scf %{to-llvm} > %t.mlir
// RUN: not --crash mlir-runner %t.mlir %{runner}
// RUN: mlir-opt %s -convert-vector-to-scf=full-unroll %{to-llvm} | mlir-runner %{runner}

// CHECK-LABEL: func.func @copy
//       CHECK:   cf.br ^[[LOOP:bb[0-9]+]]
//   CHECK-NOT:   memref.alloca()
//       CHECK: ^[[LOOP]](
// CHECK-COUNT-2: memref.alloca() : memref<vector<4x64xf32>>
//   CHECK-NOT: alloca_scope
//       CHECK: return
func.func @copy(%m: memref<4x64xf32>, %times: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.for %t = %c0 to %times step %c1 {
    %v = vector.transfer_read %m[%c0, %c0], %zero {in_bounds = [true, true]} : memref<4x64xf32>, vector<4x64xf32>
    %w = arith.negf %v : vector<4x64xf32>
    vector.transfer_write %w, %m[%c0, %c0] {in_bounds = [true, true]} : vector<4x64xf32>, memref<4x64xf32>
  }
  return
}

func.func @main() {
  %m = memref.alloc() : memref<4x64xf32>
  %times = arith.constant 1000000 : index
  call @copy(%m, %times) : (memref<4x64xf32>, index) -> ()
  memref.dealloc %m : memref<4x64xf32>
  return
}
