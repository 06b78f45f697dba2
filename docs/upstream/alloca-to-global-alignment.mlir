// Kind: wrong code
// Fault: `transform.memref.alloca_to_global` drops the alignment of the `memref.alloca`, and the global has no initial value. Vectors that were aligned before are no longer.
// Expected: `memref.global "private" @alloca : ... = uninitialized {alignment = 64 : i64}`.
// Ours: `lib:gpu/map-products` adds both (`transform.annotate`)
// Change: `MemRefAllocaToGlobalOp::apply` in `mlir/lib/Dialect/MemRef/TransformOps/MemRefTransformOps.cpp` builds the `memref::GlobalOp` with empty attributes. Pass `alloca.getAlignmentAttr()` as the alignment, and a unit attribute as the initial value.
// Upstream: No report known
//
// RUN: mlir-opt %s -transform-interpreter | FileCheck %s

module attributes {transform.with_named_sequence} {
  // CHECK-LABEL: func.func @through_shared_memory
  //       CHECK:   memref.get_global @alloca
  func.func @through_shared_memory(%x: f32, %i: index) -> f32 {
    %a = memref.alloca() {alignment = 64 : i64} : memref<16xf32, #gpu.address_space<workgroup>>
    memref.store %x, %a[%i] : memref<16xf32, #gpu.address_space<workgroup>>
    %y = memref.load %a[%i] : memref<16xf32, #gpu.address_space<workgroup>>
    return %y : f32
  }
  // CHECK: memref.global "private" @alloca : memref<16xf32, #gpu.address_space<workgroup>>{{$}}

  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %a = transform.structured.match ops{["memref.alloca"]} in %root : (!transform.any_op) -> !transform.op<"memref.alloca">
    %get, %global = transform.memref.alloca_to_global %a : (!transform.op<"memref.alloca">) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
