; Kind: wrong code
; Fault: Code generation for AVX-512 writes four bytes where a vector truncated to bytes is stored under a mask of its first lane: three bytes behind the result are overwritten.
; Expected: A store of one byte.
; Ours: After LLVM's optimizer, masked stores of one lane become stores of one element
; Change: `combineMaskedStore` in `llvm/lib/Target/X86/X86ISelLowering.cpp` reduces a masked store of one lane to a scalar store (`reduceMaskedStoreToScalarStore`), and overlooks that the node may be a truncating store, whose value has wider elements. It has to return early for those.
; Upstream: Reported as https://github.com/llvm/llvm-project/issues/179489, mended after LLVM 22 by https://github.com/llvm/llvm-project/pull/179853
;
; RUN: llc %s -mtriple=x86_64 -mattr=+avx512f,+avx512vl,+avx512bw -o - | FileCheck %s

; CHECK-LABEL: store_first:
;       CHECK: vmovss %xmm0, (%rdi)
define void @store_first(ptr %p, <4 x i32> %v) {
  %bytes = trunc <4 x i32> %v to <4 x i8>
  call void @llvm.masked.store.v4i8.p0(<4 x i8> %bytes, ptr align 1 %p, <4 x i1> <i1 true, i1 false, i1 false, i1 false>)
  ret void
}
