#include <stdint.h>

void mine(int64_t m, int64_t n, int64_t k, const int8_t *a, int64_t lda,
          const int8_t *b, int64_t ldb, int32_t *c, int64_t ldc) {
  for (int64_t i = 0; i < m; ++i) {
    int32_t sums[64] = {0};
    for (int64_t l = 0; l < k; ++l)
      for (int64_t j = 0; j < n; ++j)
        sums[j] += a[i * lda + l] * b[l * ldb + j];
    for (int64_t j = 0; j < n; ++j)
      c[i * ldc + j] = sums[j];
  }
}
