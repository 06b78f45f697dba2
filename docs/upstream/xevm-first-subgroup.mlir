// Kind: wrong code
// Fault: The serializer of `#xevm.target` gives the first kernel of a module subgroups of 16 lanes, whatever it asks for: its shuffles over 32 lanes read what isn't there.
// Expected: `SubgroupSize 32`.
// Ours: `engine/runtime/gpu/SpirVCode.cpp` translates kernels itself
// Costs: Sums that 32 lanes share by shuffles are wrong.
// Change: `XeVMTargetAttrImpl::serializeToObject` in `mlir/lib/Target/LLVM/XeVM/Target.cpp` sets the attribute on the first function that it meets; leave one that is there.
// Upstream: No report known
//
// RUN: mlir-opt %s --gpu-module-to-binary=format=isa | FileCheck %s
// CHECK:     SubgroupSize 16
// CHECK-NOT: SubgroupSize 32
module attributes {gpu.container_module} {
  gpu.module @kernels [#xevm.target<chip = "pvc">] {
    llvm.func spir_kernelcc @sum(%out: !llvm.ptr<1>) attributes {gpu.kernel, intel_reqd_sub_group_size = 32 : i32} {
      llvm.return
    }
  }
}
