/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * Products of f32 by libxsmm 1.17, which makes code for each size when it is first
 * asked. Its matrices are column-major: C^T = B^T A^T, so that its m is our n. */
#include "gemm.h"

#include <libxsmm.h>

/* The sizes that a thread has asked for, and their code. */
typedef struct {
  int64_t sizes[6];
  libxsmm_smmfunction code;
} Known;

#define MOST 64
static _Thread_local Known known[MOST];
static _Thread_local int count;

static libxsmm_smmfunction find(int64_t m, int64_t n, int64_t k, int64_t lda,
                                int64_t ldb, int64_t ldc) {
  const int64_t sizes[6] = {m, n, k, lda, ldb, ldc};
  for (int i = 0; i < count; ++i)
    if (__builtin_memcmp(known[i].sizes, sizes, sizeof sizes) == 0)
      return known[i].code;
  libxsmm_blasint a = (libxsmm_blasint)lda, b = (libxsmm_blasint)ldb,
                  c = (libxsmm_blasint)ldc;
  float one = 1, nothing = 0;
  libxsmm_smmfunction code = libxsmm_smmdispatch(
      (libxsmm_blasint)n, (libxsmm_blasint)m, (libxsmm_blasint)k, &b, &a, &c,
      &one, &nothing, 0, 0);
  if (count < MOST) {
    __builtin_memcpy(known[count].sizes, sizes, sizeof sizes);
    known[count++].code = code;
  }
  return code;
}

/* The sums, then what follows them, on a tile that is in the cache. */
INLINE void gemm(LH_GEMM(float, float), const int after, const float *bias) {
  find(m, n, k, lda, ldb, ldc)(b, a, c);
  finish_tile(m, n, c, ldc, after, bias);
}

#include "gemm-f32.h"
