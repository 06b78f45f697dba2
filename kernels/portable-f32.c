/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * Products of f32 in vectors of GNU C, which the compiler splits where registers
 * are shorter. The sums of ROWS rows by VECTORS vectors stay in registers. With 6
 * by 4 the rows of A take half the ways of a first-level cache that 12 by 2 take. */
#include "gemm.h"

#define LANES 16
#define ROWS 6
#define VECTORS 4
#define WIDTH (LANES * VECTORS)
#define UNROLL _Pragma("clang loop unroll(full)")

typedef float Vector __attribute__((vector_size(4 * LANES), aligned(4)));
typedef int32_t Mask __attribute__((vector_size(4 * LANES), aligned(4)));

/* What follows the sums; NaN stays: the comparison with it is false. */
INLINE Vector finish_vector(Vector sum, int after, const float *bias) {
  if (after & BIAS)
    sum += *(const Vector *)bias;
  if (after & RELU)
    sum = (Vector)((Mask)sum & ~(Mask)(sum < 0));
  return sum;
}

/* `rows` rows by WIDTH columns, whole sums. */
INLINE void tile(const int rows, int64_t k, const float *a, int64_t lda,
                 const float *b, int64_t ldb, float *c, int64_t ldc,
                 const int after, const float *bias) {
  Vector sums[ROWS][VECTORS] = {0};
  for (int64_t l = 0; l < k; ++l) {
    Vector row[VECTORS];
    UNROLL for (int j = 0; j < VECTORS; ++j)
      row[j] = *(const Vector *)(b + l * ldb + LANES * j);
    UNROLL for (int i = 0; i < rows; ++i)
      UNROLL for (int j = 0; j < VECTORS; ++j)
        sums[i][j] += a[i * lda + l] * row[j];
  }
  UNROLL for (int i = 0; i < rows; ++i)
    UNROLL for (int j = 0; j < VECTORS; ++j)
      *(Vector *)(c + i * ldc + LANES * j) =
          finish_vector(sums[i][j], after, bias + LANES * j);
}

/* Columns that fill no vectors. */
INLINE void edge(LH_GEMM(float, float), const int after, const float *bias) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t l = 0; l < k; ++l)
        sum += a[i * lda + l] * b[l * ldb + j];
      c[i * ldc + j] = finish_number(sum, after, bias + j);
    }
}

INLINE void gemm(LH_GEMM(float, float), const int after, const float *bias) {
  int64_t j = 0;
  for (; j + WIDTH <= n; j += WIDTH) {
    int64_t i = 0;
    for (; i + ROWS <= m; i += ROWS)
      tile(ROWS, k, a + i * lda, lda, b + j, ldb, c + i * ldc + j, ldc, after,
           bias + j);
    for (; i < m; ++i)
      tile(1, k, a + i * lda, lda, b + j, ldb, c + i * ldc + j, ldc, after,
           bias + j);
  }
  if (j < n)
    edge(m, n - j, k, a, lda, b + j, ldb, c + j, ldc, after, bias + j);
}

#include "gemm-f32.h"
