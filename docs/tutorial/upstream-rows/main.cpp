// Calls a compiled @rows of norm.mlir or softmax.mlir on 61 x 1003 numbers, and
// compares. Its argument says which: norm or softmax.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

// What a memref is to C.
struct Matrix {
  float *allocated, *aligned;
  int64_t offset, sizes[2], strides[2];
};
extern "C" void _mlir_ciface_rows(Matrix *result, Matrix *x);

int main(int count, char **arguments) {
  const bool norm = count > 1 && !std::strcmp(arguments[1], "norm");
  const int64_t m = 61, n = 1003;
  std::vector<float> x(m * n);
  for (float &number : x)
    number = std::rand() % 8001 / 1000.f - 4;
  Matrix y, in{x.data(), x.data(), 0, {m, n}, {n, 1}};
  _mlir_ciface_rows(&y, &in);
  double worst = 0;
  for (int64_t i = 0; i < m; ++i) {
    const float *row = &x[i * n];
    double sum = 0, squares = 0, exps = 0;
    for (int64_t j = 0; j < n; ++j)
      sum += row[j];
    for (int64_t j = 0; j < n; ++j) {
      squares += (row[j] - sum / n) * (row[j] - sum / n);
      exps += std::exp(double(row[j]));
    }
    for (int64_t j = 0; j < n; ++j) {
      double expected = norm ? (row[j] - sum / n) / std::sqrt(squares / n + 1e-5)
                             : std::exp(double(row[j])) / exps;
      worst = std::max(worst, std::abs(y.aligned[i * n + j] - expected) /
                                  (std::abs(expected) + 1e-3));
    }
  }
  std::free(y.allocated);
  std::printf("%s, worst relative error %.0e\n", worst < 1e-4 ? "right" : "WRONG", worst);
  return worst < 1e-4 ? 0 : 1;
}
