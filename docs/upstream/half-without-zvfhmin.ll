; Kind: crash
; Fault: Code generation for RISC-V with vectors but without Zvfhmin aborts on every operation on scalable vectors of half precision.
; Expected: Computation in single precision, as for scalars without Zfh, or a compile error that names the missing extension.
; Ours: None on record; `riscv64-rvv` names no extension for half precision
; Change: `TargetLoweringBase::getVectorTypeBreakdown` in `llvm/lib/CodeGen/TargetLoweringBase.cpp` reports the fatal error "Don't know how to legalize this scalable vector type". `RISCVTargetLowering` could make `nxv*f16` legal as storage (as with Zvfhmin, `f16` is promoted to `f32`) wherever vectors exist and convert through scalar code, or reject the type with a diagnostic.
; Upstream: No report known
;
; RUN: not --crash llc %s -mtriple=riscv64 -mattr=+v -o /dev/null 2>&1 | FileCheck %s
; RUN: llc %s -mtriple=riscv64 -mattr=+v,+zvfhmin -o - | FileCheck %s --check-prefix=MIN

; CHECK: LLVM ERROR: Don't know how to legalize this scalable vector type
; MIN: vfwcvt.f.f.v
define <vscale x 4 x half> @add(<vscale x 4 x half> %a, <vscale x 4 x half> %b) {
  %c = fadd <vscale x 4 x half> %a, %b
  ret <vscale x 4 x half> %c
}
