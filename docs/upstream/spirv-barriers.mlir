// Kind: wrong code
// Fault: `convert-gpu-to-spirv` makes a barrier of `gpu.barrier` that orders workgroup memory alone; the op says that all accesses to memory before it are seen behind it.
// Expected: `UniformMemory` among the barrier's semantics (`CrossWorkgroupMemory` for OpenCL), which is buffers' memory.
// Ours: `lh-prepare-shaders`
// Costs: What a block keeps in global memory, longer rows say, may be read before it is written.
// Change: `GPUBarrierConversion` in `mlir/lib/Conversion/GPUToSPIRV/GPUToSPIRV.cpp`: add the semantics of the address spaces that the op names, of all without any.
// Upstream: No report known
//
// RUN: mlir-opt %s --convert-gpu-to-spirv | FileCheck %s
// CHECK: spirv.ControlBarrier <Workgroup>, <Workgroup>, <AcquireRelease|WorkgroupMemory>
gpu.module @kernels attributes {spirv.target_env = #spirv.target_env<#spirv.vce<v1.3, [Shader], [SPV_KHR_storage_buffer_storage_class]>, #spirv.resource_limits<>>} {
  gpu.func @k() kernel attributes {spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [32, 1, 1]>} {
    gpu.barrier
    gpu.return
  }
}
