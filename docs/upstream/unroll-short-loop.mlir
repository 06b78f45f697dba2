// Kind: refusal
// Fault: `transform.loop.unroll` by 4 leaves a loop of 3 iterations as it is.
// Expected: The loop unrolled by its 3 iterations; the op's description says "If the unroll factor is larger than the loop trip count, the latter is used as the unroll factor instead".
// Ours: A factor of two, as often as needed (`lib:cpu/unpack-weights`)
// Change: `LoopUnrollOp::applyToOne` in `mlir/lib/Dialect/SCF/TransformOps/SCFTransformOps.cpp` hands the factor to `loopUnrollByFactor` (`mlir/lib/Dialect/SCF/Utils/Utils.cpp`), which makes an empty main loop and a remainder of all iterations. It should take the smaller of the factor and the constant trip count, as `affine::loopUnrollUpToFactor` does.
// Upstream: A later LLVM has an op that unrolls whole loops, and a description that says what this one does: https://github.com/llvm/llvm-project/pull/215220
//
// RUN: mlir-opt %s -transform-interpreter | FileCheck %s

module attributes {transform.with_named_sequence} {
  // CHECK-LABEL: func.func @clear
  //       CHECK: %[[END:.*]] = arith.constant 3 : index
  //       CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[END]]
  //  CHECK-NEXT:   memref.store %{{.*}}[%[[I]]]
  //  CHECK-NEXT: }
  //  CHECK-NEXT: return
  func.func @clear(%m: memref<3xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %zero = arith.constant 0.0 : f32
    scf.for %i = %c0 to %c3 step %c1 {
      memref.store %zero, %m[%i] : memref<3xf32>
    }
    return
  }

  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %loop = transform.structured.match ops{["scf.for"]} in %root : (!transform.any_op) -> !transform.op<"scf.for">
    transform.loop.unroll %loop {factor = 4} : !transform.op<"scf.for">
    transform.yield
  }
}
