// Kind: wrong code
// Fault: Without the capability for 16 bits in buffers, `convert-gpu-to-spirv` makes a buffer of f16 one of half as many f32, and loads and stores those; bf16 becomes that with every capability.
// Expected: An error, or loads of the words that the numbers lie in, as integers get them.
// Ours: `lh-launch-by-address`
// Costs: Kernels read and write every number at the wrong place.
// Change: `convertScalarType` in `mlir/lib/Dialect/SPIRV/Transforms/SPIRVConversion.cpp` widens floats in buffers as it does in registers; refuse them there.
// Upstream: No report known
//
// RUN: mlir-opt %s --convert-gpu-to-spirv | FileCheck %s
// CHECK: spirv.func @k(%{{.*}}: !spirv.ptr<!spirv.struct<(!spirv.array<8 x f32, stride=4> [0])>, StorageBuffer>
// CHECK: spirv.Load "StorageBuffer" %{{.*}} : f32
gpu.module @kernels attributes {spirv.target_env = #spirv.target_env<#spirv.vce<v1.3, [Shader], [SPV_KHR_storage_buffer_storage_class]>, #spirv.resource_limits<>>} {
  gpu.func @k(%a: memref<16xf16, #spirv.storage_class<StorageBuffer>>) kernel attributes {spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [32, 1, 1]>} {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<16xf16, #spirv.storage_class<StorageBuffer>>
    %y = arith.addf %x, %x : f16
    memref.store %y, %a[%i] : memref<16xf16, #spirv.storage_class<StorageBuffer>>
    gpu.return
  }
}
