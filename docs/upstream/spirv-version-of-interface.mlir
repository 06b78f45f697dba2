// Kind: wrong code
// Fault: For SPIR-V 1.4 and later `spirv-lower-abi-attrs` lists all variables of an entry in its interface, and `spirv-update-vce` then finds that the module is of version 1.0, in which only inputs and outputs may stand there.
// Expected: A version of at least 1.4 for such an interface.
// Ours: `engine/runtime/gpu/VulkanCode.cpp` writes version 1.5
// Costs: SPIR-V that `spirv-val` refuses.
// Change: `EntryPointOp` in `mlir/include/mlir/Dialect/SPIRV/IR/SPIRVStructureOps.td` has no minimal version; say 1.4 where its interface has a variable of another storage class.
// Upstream: No report known
//
// RUN: mlir-opt %s --pass-pipeline='builtin.module(spirv.module(spirv-lower-abi-attrs,spirv-update-vce))' | FileCheck %s
// CHECK: spirv.module @k Logical GLSL450 requires #spirv.vce<v1.0
// CHECK: spirv.EntryPoint "GLCompute" @k, @k_arg_0
spirv.module @k Logical GLSL450 attributes {spirv.target_env = #spirv.target_env<#spirv.vce<v1.5, [Shader], [SPV_KHR_storage_buffer_storage_class]>, #spirv.resource_limits<>>} {
  spirv.func @k(%a: f32 {spirv.interface_var_abi = #spirv.interface_var_abi<(0, 0), StorageBuffer>}) "None" attributes {spirv.entry_point_abi = #spirv.entry_point_abi<workgroup_size = [32, 1, 1]>} {
    %twice = spirv.FAdd %a, %a : f32
    spirv.Return
  }
}
