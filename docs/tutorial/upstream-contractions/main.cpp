// Calls the compiled product and compares it with plain loops.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int N = 512;

// How MLIR passes a tensor of two dimensions: a memref descriptor.
struct Matrix {
  float *allocated, *aligned;
  int64_t offset = 0, sizes[2] = {N, N}, strides[2] = {N, 1};
};

extern "C" void _mlir_ciface_product(Matrix *result, Matrix *a, Matrix *b);

int main() {
  std::vector<float> a(N * N), b(N * N);
  for (int i = 0; i < N * N; ++i) {
    a[i] = float(rand() % 2001 - 1000) / 1000;
    b[i] = float(rand() % 2001 - 1000) / 1000;
  }
  Matrix A{a.data(), a.data()}, B{b.data(), b.data()}, Y;
  double best = 1e30;
  for (int call = 0; call < 5; ++call) {
    auto begin = std::chrono::steady_clock::now();
    _mlir_ciface_product(&Y, &A, &B);
    std::chrono::duration<double> time =
        std::chrono::steady_clock::now() - begin;
    best = std::min(best, time.count());
    if (call < 4)
      free(Y.allocated);
  }
  double error = 0;
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) {
      double sum = 0;
      for (int k = 0; k < N; ++k)
        sum += double(a[i * N + k]) * b[k * N + j];
      error =
          std::max(error, std::abs(Y.aligned[i * N + j] - std::max(sum, 0.0)));
    }
  free(Y.allocated);
  printf("%s, largest error %.1e\n", error < 1e-3 ? "right" : "WRONG", error);
  fprintf(stderr, "%.1f GFLOP/s\n", 2.0 * N * N * N / best / 1e9);
  return error < 1e-3 ? 0 : 1;
}
