// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* How long this machine's scalable vectors are. */
#include "lh-runner.h"

#include <sys/auxv.h>
#include <sys/prctl.h>

#if defined(__aarch64__)
#ifndef PR_SVE_GET_VL
#define PR_SVE_GET_VL 51
#endif
#ifndef PR_SME_GET_VL
#define PR_SME_GET_VL 64
#endif
int64_t vectorBits(int streaming) {
  int length = prctl(streaming ? PR_SME_GET_VL : PR_SVE_GET_VL);
  return length < 0 ? 0 : (length & 0xFFFF) * 8;
}
#elif defined(__riscv)
int64_t vectorBits(int streaming) {
  if (streaming || !(getauxval(AT_HWCAP) & (1ul << ('V' - 'A'))))
    return 0;
  unsigned long bytes = 0;
  __asm__ volatile("csrr %0, 0xc22" : "=r"(bytes)); /* vlenb */
  return (int64_t)bytes * 8;
}
#else
int64_t vectorBits(int streaming) {
  (void)streaming;
  return 0;
}
#endif
