; Kind: crash
; Fault: LLVM's SPIR-V backend gives a phi of an array operands of another type: llc's verifier ends the process, and without it, as in `gpu-module-to-binary`, the module that comes out isn't valid.
; Expected: An `OpPhi` of the array's type.
; Ours: `engine/runtime/gpu/SpirVCode.cpp` splits such phis
; Costs: A vector of two dimensions that a loop carries, as sums of a product are, becomes an array.
; Change: `SPIRVEmitIntrinsics` in `llvm/lib/Target/SPIRV/SPIRVEmitIntrinsics.cpp` replaces aggregates by `i32` and leaves phis of them as they were. Change their type too.
; Upstream: No report known
;
; RUN: not --crash llc %s -mtriple=spirv64-unknown-unknown -o /dev/null 2>&1 | FileCheck %s

; CHECK: PHI node operands are not the same type as the result!
define spir_kernel void @k(ptr addrspace(1) %out, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sums = phi [2 x <2 x float>] [ zeroinitializer, %entry ], [ %new, %loop ]
  %row = extractvalue [2 x <2 x float>] %sums, 0
  %other = extractvalue [2 x <2 x float>] %sums, 1
  %more = fadd <2 x float> %row, %other
  %first = insertvalue [2 x <2 x float>] poison, <2 x float> %more, 0
  %new = insertvalue [2 x <2 x float>] %first, <2 x float> %row, 1
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %end
end:
  store <2 x float> %more, ptr addrspace(1) %out
  ret void
}
