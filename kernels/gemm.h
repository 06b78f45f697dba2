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

#endif
