; Kind: wrong code
; Fault: Instruction selection takes the lowest bit of `llvm.vscale` for one, if it is asked for that bit alone, on machines where vscale may be two or more. Loop strength reduction asks: it writes the start of the last strip of 17 numbers, `17 - 17 urem (16 * vscale)`, as that bit times 16.
; Expected: The bit of the machine's vscale, as of two bits.
; Ours: `lib:upstream/scalable-contractions` takes no product of fewer columns than two of the shortest strips
; Change: `getVScaleRange` (`llvm/lib/Analysis/ValueTracking.cpp`) says of a value of N bits that it lies in [least, 2^N) if vscale may be more than that; of one bit this is the value one. The truncated value may be anything then, zero too: the full range.
; Upstream: No report known
;
; RUN: llc %s -mtriple=aarch64-unknown-linux-gnu -mattr=+sve -o - | FileCheck %s

; CHECK-LABEL: lowest_bit:
; CHECK-NOT: rdvl
; CHECK: mov w0, #64
; CHECK-NEXT: ret
define i64 @lowest_bit() vscale_range(1,16) {
  %v = call i64 @llvm.vscale.i64()
  %bit = trunc i64 %v to i1
  %number = zext i1 %bit to i64
  %bytes = shl i64 %number, 6
  ret i64 %bytes
}

; CHECK-LABEL: two_bits:
; CHECK: rdvl
; CHECK: ubfiz
define i64 @two_bits() vscale_range(1,16) {
  %v = call i64 @llvm.vscale.i64()
  %bits = trunc i64 %v to i2
  %number = zext i2 %bits to i64
  %bytes = shl i64 %number, 6
  ret i64 %bytes
}
