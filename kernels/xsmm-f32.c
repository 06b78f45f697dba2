/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * Products of f32 by libxsmm 1.17, which makes code for each size when it is first
 * asked: batch-reduced products (brgemm) of CUT terms each, and what is left of the
 * sum. Biases are added by its tensor processing primitive for columns; 1.17 has no
 * code for its ReLU. Its matrices are column-major: C^T = B^T A^T, so that its m is
 * our n. */
#include "gemm.h"

#include <libxsmm.h>

/* Terms of one product of a batch: with 64 columns of B they fill 16 KiB. */
enum { CUT = 64 };

/* The sizes that a thread has asked for, and their code. */
typedef struct {
  int64_t sizes[7];
  libxsmm_smmfunction_reducebatch_strd batch; /* of whole cuts */
  libxsmm_smmfunction rest;                   /* of what is left */
  libxsmm_meltwfunction_scale bias;           /* none without AVX-512 */
} Code;

#define MOST 64
static _Thread_local Code known[MOST];
static _Thread_local int count;

/* Sums begin at zero where no cut comes before. */
static Code make(int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb,
                 int64_t ldc, int adds_bias) {
  const libxsmm_blasint rows = (libxsmm_blasint)m, columns = (libxsmm_blasint)n,
                        a = (libxsmm_blasint)lda, b = (libxsmm_blasint)ldb,
                        c = (libxsmm_blasint)ldc;
  const float one = 1, start = 0, go_on = 1;
  Code code = {{m, n, k, lda, ldb, ldc, adds_bias}, 0, 0, 0};
  if (k >= CUT)
    code.batch = libxsmm_smmdispatch_reducebatch_strd(
        columns, rows, CUT, CUT * b * (libxsmm_blasint)sizeof(float),
        CUT * (libxsmm_blasint)sizeof(float), &b, &a, &c, &one, &start, 0, 0);
  if (k % CUT)
    code.rest = libxsmm_smmdispatch(columns, rows, (libxsmm_blasint)(k % CUT),
                                    &b, &a, &c, &one,
                                    k < CUT ? &start : &go_on, 0, 0);
  if (adds_bias)
    code.bias = libxsmm_dispatch_meltw_scale(
        columns, rows, &c, &c, LIBXSMM_DATATYPE_F32, LIBXSMM_DATATYPE_F32,
        LIBXSMM_MELTW_FLAG_SCALE_ADD_BIAS_COLS);
  return code;
}

static Code find(int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb,
                 int64_t ldc, int adds_bias) {
  const int64_t sizes[7] = {m, n, k, lda, ldb, ldc, adds_bias};
  for (int i = 0; i < count; ++i)
    if (__builtin_memcmp(known[i].sizes, sizes, sizeof sizes) == 0)
      return known[i];
  Code code = make(m, n, k, lda, ldb, ldc, adds_bias);
  if (count < MOST)
    known[count++] = code;
  return code;
}

/* The sums, then what follows them, on a tile that is in the cache. */
INLINE void gemm(LH_GEMM(float, float), const int after, const float *bias) {
  Code code = find(m, n, k, lda, ldb, ldc, after == BIAS);
  unsigned long long cuts = (unsigned long long)(k / CUT);
  if (cuts)
    code.batch(b, a, c, &cuts);
  if (code.rest)
    code.rest(b + (k - k % CUT) * ldb, a + (k - k % CUT), c);
  if (code.bias) {
    libxsmm_meltw_scale_param add = {c, 0, 0, bias, c};
    code.bias(&add);
  } else {
    finish_tile(m, n, c, ldc, after, bias);
  }
}

#include "gemm-f32.h"
