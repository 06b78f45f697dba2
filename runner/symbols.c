// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* What compiled code calls and no C library has, in runners and in built
   libraries (deploy/). */
#include <stdint.h>
#include <string.h>

/* MLIR's unranked descriptor: {allocated, aligned, offset, sizes, strides}. */
struct UnrankedMemRef {
  int64_t rank;
  int64_t *descriptor;
};

static char *begin(const struct UnrankedMemRef *memref, int64_t elementSize) {
  return (char *)memref->descriptor[1] + memref->descriptor[2] * elementSize;
}

/* Dimension `dim` and below; the innermost contiguous run at once. */
static void copyStrided(int64_t elementSize,
                        const struct UnrankedMemRef *source, const char *from,
                        const struct UnrankedMemRef *target, char *to,
                        int64_t dim) {
  if (dim == source->rank) {
    memcpy(to, from, (size_t)elementSize);
    return;
  }
  int64_t size = source->descriptor[3 + dim];
  int64_t step = source->descriptor[3 + source->rank + dim];
  int64_t stride = target->descriptor[3 + target->rank + dim];
  if (dim + 1 == source->rank && step == 1 && stride == 1) {
    memcpy(to, from, (size_t)(elementSize * size));
    return;
  }
  for (int64_t i = 0; i < size; ++i)
    copyStrided(elementSize, source, from + i * step * elementSize, target,
                to + i * stride * elementSize, dim + 1);
}

/* What `memref.copy` between strided buffers is lowered to. */
void memrefCopy(int64_t elementSize, struct UnrankedMemRef *source,
                struct UnrankedMemRef *target) {
  for (int64_t dim = 0; dim < source->rank; ++dim)
    if (source->descriptor[3 + dim] == 0)
      return;
  copyStrided(elementSize, source, begin(source, elementSize), target,
              begin(target, elementSize), 0);
}

/* GCC 12's library has no bfloat16. */
static uint16_t roundToBFloat16(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u)
    return (uint16_t)((bits >> 16) | 0x40u); /* keep it a quiet NaN */
  bits += 0x7FFFu + ((bits >> 16) & 1u);     /* nearest, ties to even */
  return (uint16_t)(bits >> 16);
}

#if defined(__aarch64__)
/* AArch64 hands 16-bit floats over as such. */
static __fp16 asHalf(uint16_t bits) {
  __fp16 half;
  memcpy(&half, &bits, sizeof half);
  return half;
}

__fp16 __truncsfbf2(float value) { return asHalf(roundToBFloat16(value)); }

/* A caller that keeps no live ZA has nothing to save. */
void __arm_tpidr2_save(void) {}
#else
/* The lower half of a float register that is NaN-boxed. */
float __truncsfbf2(float value) {
  uint32_t bits = 0xFFFF0000u | roundToBFloat16(value);
  float boxed;
  memcpy(&boxed, &bits, sizeof boxed);
  return boxed;
}
#endif
