/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * The functions of a kernel for f32, by its `gemm`, which is told what follows
 * each sum. Included at the end of a kernel. */

void gemm_f32(LH_GEMM(float, float)) {
  gemm(m, n, k, a, lda, b, ldb, c, ldc, 0, 0);
}

void gemm_f32_relu(LH_GEMM(float, float)) {
  gemm(m, n, k, a, lda, b, ldb, c, ldc, RELU, 0);
}

void gemm_f32_bias(LH_GEMM(float, float), const float *bias) {
  gemm(m, n, k, a, lda, b, ldb, c, ldc, BIAS, bias);
}

void gemm_f32_bias_relu(LH_GEMM(float, float), const float *bias) {
  gemm(m, n, k, a, lda, b, ldb, c, ldc, BIAS | RELU, bias);
}
