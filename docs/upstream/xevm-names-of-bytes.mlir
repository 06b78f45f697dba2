// Kind: wrong code
// Fault: `convert-xevm-to-llvm` calls products of bytes "s8_s8", where OpenCL's extension has "i8_i8": Intel's compiler has no such function.
// Expected: `intel_sub_group_i8_i8_matrix_mad_k32`, of cl_intel_subgroup_matrix_multiply_accumulate.
// Ours: `engine/runtime/gpu/SpirVCode.cpp` renames it
// Costs: Products of bytes don't link.
// Change: `MMAToOCLPattern` in `mlir/lib/Conversion/XeVMToLLVM/XeVMToLLVM.cpp` names the function by the types' words in MLIR; map s8 to i8.
// Upstream: No report known
//
// RUN: mlir-opt %s --convert-xevm-to-llvm | FileCheck %s
// CHECK: intel_sub_group_s8_s8_matrix_mad_k32
llvm.func @k(%a: vector<8xi16>, %b: vector<8xi32>, %c: vector<8xi32>) -> vector<8xi32> {
  %d = xevm.mma %a, %b, %c {shape = <m = 8, n = 16, k = 32>, types = <d = s32, a = s8, b = s8, c = s32>}
      : (vector<8xi16>, vector<8xi32>, vector<8xi32>) -> vector<8xi32>
  llvm.return %d : vector<8xi32>
}
