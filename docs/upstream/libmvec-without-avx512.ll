; Kind: slow code
; Fault: LLVM's table of glibc's vector functions (`-vector-library=LIBMVEC`) has exp, log, pow, sin, cos and tan in the widths of SSE and AVX2 alone: of a vector of 16 numbers each is computed by itself.
; Expected: A call of `_ZGVeN16v_expf`, which glibc has since 2.22; from 2.35 on also erf, tanh, log1p, expm1 and others.
; Ours: After `lib:upstream/vector-library`, the table in `engine/runtime/cpu/VectorLibrary.cpp` takes the place of LLVM's
; Change: Rows for the letter `e` of the vector function ABI in `TLI_DEFINE_LIBMVEC_X86_VECFUNCS` (`llvm/include/llvm/Analysis/VecFuncs.def`), which `addVectorizableFunctionsFromVecLib` takes for x86-64; they must be left out where the function has no AVX-512, as no row says which instructions it needs.
; Upstream: No report known
;
; RUN: llc %s -mtriple=x86_64-unknown-linux-gnu -mattr=+avx512f -vector-library=LIBMVEC -o - | FileCheck %s

; CHECK-LABEL: eight:
; CHECK: {{callq|jmp}} _ZGVdN8v_expf
define <8 x float> @eight(<8 x float> %v) {
  %e = call <8 x float> @llvm.exp.v8f32(<8 x float> %v)
  ret <8 x float> %e
}

; CHECK-LABEL: sixteen:
; CHECK-NOT: _ZGV
; CHECK-COUNT-16: callq expf
define <16 x float> @sixteen(<16 x float> %v) {
  %e = call <16 x float> @llvm.exp.v16f32(<16 x float> %v)
  ret <16 x float> %e
}
