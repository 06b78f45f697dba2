; Kind: crash
; Fault: Code generation for SVE aborts on a masked load or store of a scalable vector whose least length is no power of two (`<vscale x 12 x float>`); additions of such vectors are compiled.
; Expected: The vector split into parts of legal types, or a compile error.
; Ours: Refused before, `graph-parameter-range`, `ir-bad-schedule`, `backend-compile-failed`
; Change: The message "Possible incorrect use of EVT::getVectorNumElements() for scalable vector" or its like comes from type legalization in `llvm/lib/CodeGen/SelectionDAG/LegalizeVectorTypes.cpp`, which widens `nxv12` by counting elements. Widen or split masked loads, stores and extensions by `ElementCount`, as arithmetic is.
; Upstream: No report known
;
; RUN: not --crash llc %s -mtriple=aarch64 -mattr=+sve -o /dev/null 2>&1 | FileCheck %s

; CHECK: LLVM ERROR: Possible incorrect use of EVT::getVectorNumElements() for scalable vector
define <vscale x 12 x float> @load(ptr %p, <vscale x 12 x i1> %mask) {
  %v = call <vscale x 12 x float> @llvm.masked.load.nxv12f32.p0(ptr align 4 %p, <vscale x 12 x i1> %mask, <vscale x 12 x float> zeroinitializer)
  ret <vscale x 12 x float> %v
}
