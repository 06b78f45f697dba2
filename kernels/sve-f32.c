/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * Products of f32 by SVE, of any vector length: 8 rows by 2 vectors of sums in
 * registers, predicates at the edges. */
#include "gemm.h"

#include <arm_sve.h>

/* NaN stays: the comparison with it is false. */
INLINE svfloat32_t finish(svfloat32_t sum, svbool_t some, int after,
                          const float *bias) {
  if (after & BIAS)
    sum = svadd_f32_x(some, sum, svld1_f32(some, bias));
  if (after & RELU)
    sum = svsel_f32(svcmplt_n_f32(some, sum, 0), svdup_n_f32(0), sum);
  return sum;
}

/* Vectors of unknown length are no elements of arrays: one name for each. */
#define EACH(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)
#define START(i) svfloat32_t low##i = svdup_n_f32(0), high##i = svdup_n_f32(0);
#define STEP(i)                                                                \
  low##i = svmla_n_f32_x(first, low##i, x, a[i * lda + l]);                    \
  high##i = svmla_n_f32_x(second, high##i, y, a[i * lda + l]);
#define STORE(i)                                                               \
  svst1_f32(first, c + i * ldc, finish(low##i, first, after, bias));           \
  svst1_f32(second, c + i * ldc + lanes,                                       \
            finish(high##i, second, after, bias + lanes));

/* Eight rows, whole sums. */
INLINE void rows8(svbool_t first, svbool_t second, int64_t k, const float *a,
                  int64_t lda, const float *b, int64_t ldb, float *c,
                  int64_t ldc, const int after, const float *bias) {
  int64_t lanes = (int64_t)svcntw();
  EACH(START)
  for (int64_t l = 0; l < k; ++l) {
    svfloat32_t x = svld1_f32(first, b + l * ldb);
    svfloat32_t y = svld1_f32(second, b + l * ldb + lanes);
    EACH(STEP)
  }
  EACH(STORE)
}

INLINE void rows1(svbool_t first, svbool_t second, int64_t k, const float *a,
                  int64_t lda, const float *b, int64_t ldb, float *c,
                  int64_t ldc, const int after, const float *bias) {
  int64_t lanes = (int64_t)svcntw();
  START(0)
  for (int64_t l = 0; l < k; ++l) {
    svfloat32_t x = svld1_f32(first, b + l * ldb);
    svfloat32_t y = svld1_f32(second, b + l * ldb + lanes);
    STEP(0)
  }
  STORE(0)
}

INLINE void gemm(LH_GEMM(float, float), const int after, const float *bias) {
  int64_t lanes = (int64_t)svcntw();
  for (int64_t j = 0; j < n; j += 2 * lanes) {
    svbool_t first = svwhilelt_b32_s64(j, n);
    svbool_t second = svwhilelt_b32_s64(j + lanes, n);
    int64_t i = 0;
    for (; i + 8 <= m; i += 8)
      rows8(first, second, k, a + i * lda, lda, b + j, ldb, c + i * ldc + j,
            ldc, after, bias + j);
    for (; i < m; ++i)
      rows1(first, second, k, a + i * lda, lda, b + j, ldb, c + i * ldc + j,
            ldc, after, bias + j);
  }
}

#include "gemm-f32.h"
