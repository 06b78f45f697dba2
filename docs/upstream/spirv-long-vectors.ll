; Kind: crash
; Fault: LLVM's SPIR-V backend ends the process at a vector of more than 16 elements, which SPIR-V has none of.
; Expected: Vectors of 16 elements at most, as backends of other machines split what their registers can't hold.
; Ours: `engine/runtime/gpu/SpirVCode.cpp` runs LLVM's `scalarizer` with fragments of 128 bits
; Costs: Rows of a tile that a thread reads at once are vectors of 32 numbers.
; Change: `SPIRVLegalizerInfo` in `llvm/lib/Target/SPIRV/SPIRVLegalizerInfo.cpp` has vectors of up to 16 elements; split longer ones by `fewerElementsIf`, `G_UNMERGE_VALUES` and shuffles too.
; Upstream: No report known
;
; RUN: not llc %s -mtriple=spirv64-unknown-unknown -o /dev/null 2>&1 | FileCheck %s
; CHECK: unable to legalize instruction
define spir_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %row = load <32 x float>, ptr addrspace(1) %in
  %pair = shufflevector <32 x float> %row, <32 x float> poison, <2 x i32> <i32 7, i32 21>
  store <2 x float> %pair, ptr addrspace(1) %out
  ret void
}
