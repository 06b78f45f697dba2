/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * Products of f32 by oneDNN, in the thread that asks. */
#include "gemm.h"

#include <dnnl.h>

/* Of OpenMP's runtime, which oneDNN shares work by. */
void omp_set_num_threads(int threads);

static _Thread_local int is_single;

INLINE void gemm(LH_GEMM(float, float), const int after, const float *bias) {
  if (!is_single)
    omp_set_num_threads(1);
  is_single = 1;
  dnnl_sgemm('N', 'N', m, n, k, 1, a, lda, b, ldb, 0, c, ldc);
  finish_tile(m, n, c, ldc, after, bias);
}

#include "gemm-f32.h"
