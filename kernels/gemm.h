/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * How kernels for products are called (docs/kernels.md): C = A B, of m rows, n
 * columns and k terms; row-major, rows lda, ldb and ldc elements apart. */
#ifndef LH_KERNELS_GEMM_H
#define LH_KERNELS_GEMM_H

#include <stdint.h>

#define LH_GEMM(T, S)                                                          \
  int64_t m, int64_t n, int64_t k, const T *a, int64_t lda, const T *b,        \
      int64_t ldb, S *c, int64_t ldc

/* What follows each sum. */
enum { RELU = 1, BIAS = 2 };

#define INLINE static inline __attribute__((always_inline))

/* What follows one sum; NaN stays. `bias` is read with BIAS alone. */
INLINE float finish_number(float sum, int after, const float *bias) {
  if (after & BIAS)
    sum += *bias;
  if (after & RELU)
    sum = sum < 0 ? 0 : sum;
  return sum;
}

/* What follows the sums of a tile, which C holds. */
INLINE void finish_tile(int64_t m, int64_t n, float *c, int64_t ldc,
                        const int after, const float *bias) {
  if (after == 0)
    return;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      c[i * ldc + j] = finish_number(c[i * ldc + j], after, bias + j);
}

#endif
