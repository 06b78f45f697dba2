/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * Products of f32 by AVX-512: 6 rows by 4 vectors of sums in registers, masks at
 * the edges, and B asked for AHEAD rows before it is read: it streams from beyond
 * the first cache, and a core with AMX waits for it there otherwise. */
#include "gemm.h"

#include <immintrin.h>

#define LANES 16
#define ROWS 6
#define VECTORS 4
#define AHEAD 16
#define UNROLL _Pragma("clang loop unroll(full)")

/* NaN stays: the comparison with it is false. */
INLINE __m512 finish(__m512 sum, __mmask16 some, int after, const float *bias) {
  if (after & BIAS)
    sum = _mm512_add_ps(sum, _mm512_maskz_loadu_ps(some, bias));
  if (after & RELU) {
    __mmask16 below = _mm512_cmp_ps_mask(sum, _mm512_setzero_ps(), _CMP_LT_OQ);
    sum = _mm512_mask_mov_ps(sum, below, _mm512_setzero_ps());
  }
  return sum;
}

/* `rows` rows by `vectors` vectors, of the last of which `some` columns count. */
INLINE void tile(const int rows, const int vectors, __mmask16 some, int64_t k,
                 const float *a, int64_t lda, const float *b, int64_t ldb,
                 float *c, int64_t ldc, const int after, const float *bias) {
  __m512 sums[ROWS][VECTORS];
  UNROLL for (int i = 0; i < rows; ++i)
    UNROLL for (int j = 0; j < vectors; ++j)
      sums[i][j] = _mm512_setzero_ps();
  for (int64_t l = 0; l < k; ++l) {
    __m512 row[VECTORS];
    UNROLL for (int j = 0; j < vectors; ++j) {
      _mm_prefetch((const char *)(b + (l + AHEAD) * ldb + LANES * j),
                   _MM_HINT_T0);
      row[j] = _mm512_maskz_loadu_ps(j + 1 < vectors ? 0xFFFF : some,
                                     b + l * ldb + LANES * j);
    }
    UNROLL for (int i = 0; i < rows; ++i) {
      __m512 x = _mm512_set1_ps(a[i * lda + l]);
      UNROLL for (int j = 0; j < vectors; ++j)
        sums[i][j] = _mm512_fmadd_ps(x, row[j], sums[i][j]);
    }
  }
  UNROLL for (int i = 0; i < rows; ++i)
    UNROLL for (int j = 0; j < vectors; ++j) {
      __mmask16 part = j + 1 < vectors ? 0xFFFF : some;
      _mm512_mask_storeu_ps(c + i * ldc + LANES * j, part,
                            finish(sums[i][j], part, after, bias + LANES * j));
    }
}

/* All rows of so many vectors. */
INLINE void columns(const int vectors, __mmask16 some, int64_t m, int64_t k,
                    const float *a, int64_t lda, const float *b, int64_t ldb,
                    float *c, int64_t ldc, const int after, const float *bias) {
  int64_t i = 0;
  for (; i + ROWS <= m; i += ROWS)
    tile(ROWS, vectors, some, k, a + i * lda, lda, b, ldb, c + i * ldc, ldc,
         after, bias);
  for (; i + 2 <= m; i += 2)
    tile(2, vectors, some, k, a + i * lda, lda, b, ldb, c + i * ldc, ldc, after,
         bias);
  if (i < m)
    tile(1, vectors, some, k, a + i * lda, lda, b, ldb, c + i * ldc, ldc, after,
         bias);
}

INLINE void gemm(LH_GEMM(float, float), const int after, const float *bias) {
  int64_t j = 0;
  for (; j + VECTORS * LANES <= n; j += VECTORS * LANES)
    columns(VECTORS, 0xFFFF, m, k, a, lda, b + j, ldb, c + j, ldc, after,
            bias + j);
  for (; j + LANES <= n; j += LANES)
    columns(1, 0xFFFF, m, k, a, lda, b + j, ldb, c + j, ldc, after, bias + j);
  if (j < n)
    columns(1, (__mmask16)((1u << (n - j)) - 1), m, k, a, lda, b + j, ldb,
            c + j, ldc, after, bias + j);
}

#include "gemm-f32.h"
