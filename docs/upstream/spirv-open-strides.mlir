// Kind: refusal
// Fault: `convert-gpu-to-spirv` refuses buffers whose strides aren't known, and so all of two or more dimensions whose inner sizes are open.
// Expected: A runtime array and arguments for the strides, as the conversions to other GPUs' dialects have them.
// Ours: `lh-launch-by-address`
// Costs: No net with open sizes compiles, and each scalar and buffer takes a descriptor, of which devices have few.
// Change: `linearizeIndex` in `mlir/lib/Dialect/SPIRV/Transforms/SPIRVConversion.cpp` takes known strides only; or a lowering of memrefs to physical addresses (`PhysicalStorageBuffer`), which `spirv` has the ops for.
// Upstream: No report known
//
// RUN: not mlir-opt %s --convert-gpu-to-spirv 2>&1 | FileCheck %s
// CHECK: failed to legalize operation 'memref.load'
gpu.module @kernels attributes {spirv.target_env = #spirv.target_env<#spirv.vce<v1.3, [Shader], [SPV_KHR_storage_buffer_storage_class]>, #spirv.resource_limits<>>} {
  gpu.func @k(%a: memref<?x?xf32, #spirv.storage_class<StorageBuffer>>, %i: index) kernel attributes {spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [32, 1, 1]>} {
    %x = memref.load %a[%i, %i] : memref<?x?xf32, #spirv.storage_class<StorageBuffer>>
    memref.store %x, %a[%i, %i] : memref<?x?xf32, #spirv.storage_class<StorageBuffer>>
    gpu.return
  }
}
