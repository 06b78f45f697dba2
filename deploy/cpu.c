/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whether this machine has what the code uses. */
#define _GNU_SOURCE
#include "internal.h"

#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

struct Feature {
  const char *name;
  int isHere;
};

/* 1 or 0; -1 for a name that isn't in the list. */
static int isHere(const char *name) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const struct Feature known[] = {
#define LH_X86(NAME) {NAME, __builtin_cpu_supports(NAME) != 0},
#include "runtime/deploy/CpuFeatures.def"
  };
#elif defined(__aarch64__)
  const unsigned long words[] = {0, getauxval(AT_HWCAP), getauxval(AT_HWCAP2)};
  const struct Feature known[] = {
#define LH_AARCH64(NAME, WORD, BIT) {NAME, (words[WORD] >> (BIT) & 1) != 0},
#include "runtime/deploy/CpuFeatures.def"
  };
#else
  const unsigned long letters = getauxval(AT_HWCAP);
  const struct Feature known[] = {
#define LH_RISCV64(NAME, LETTER) {NAME, (letters >> ((LETTER) - 'a') & 1) != 0},
#include "runtime/deploy/CpuFeatures.def"
  };
#endif
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
    if (strcmp(known[i].name, name) == 0)
      return known[i].isHere;
  return -1;
}

const char *lh_missing_feature(const struct LhModel *model) {
  for (const char *const *each = model->features; *each; ++each)
    if (isHere(*each) != 1)
      return *each;
  return NULL;
}

int64_t lh_vector_bits(void) {
#if defined(__aarch64__)
  const int getLength = 51, lengthMask = 0xffff; /* linux/prctl.h */
  int length = prctl(getLength);
  return length < 0 ? 0 : 8 * (int64_t)(length & lengthMask);
#elif defined(__riscv)
  long bytes;
  if (isHere("v") != 1)
    return 0;
  __asm__(".option push\n.option arch, +v\ncsrr %0, vlenb\n.option pop"
          : "=r"(bytes));
  return 8 * (int64_t)bytes;
#else
  return 0;
#endif
}

/* Linux sets the memory for the tiles of a thread aside on request alone:
   Documentation/arch/x86/xstate.rst. */
int lh_enable_features(const struct LhModel *model) {
#if defined(__x86_64__)
  const long requestPermission = 0x1023, tileData = 18;
  for (const char *const *each = model->features; *each; ++each)
    if (strcmp(*each, "amx-tile") == 0)
      return syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
#endif
  (void)model;
  return 1;
}
