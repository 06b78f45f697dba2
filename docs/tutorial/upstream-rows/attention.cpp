// Calls a compiled @rows of attention.mlir, and compares.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Matrix {
  float *allocated, *aligned;
  int64_t offset, sizes[2], strides[2];
};
extern "C" void _mlir_ciface_rows(Matrix *result, Matrix *q, Matrix *kt, Matrix *v);

int main() {
  const int64_t queries = 253, keys = 509, width = 64;
  std::vector<float> q(queries * width), kt(width * keys), v(keys * width);
  for (std::vector<float> *data : {&q, &kt, &v})
    for (float &number : *data)
      number = std::rand() % 4001 / 1000.f - 2;
  Matrix y, a{q.data(), q.data(), 0, {queries, width}, {width, 1}},
      b{kt.data(), kt.data(), 0, {width, keys}, {keys, 1}},
      c{v.data(), v.data(), 0, {keys, width}, {width, 1}};
  _mlir_ciface_rows(&y, &a, &b, &c);
  double worst = 0;
  for (int64_t i = 0; i < queries; ++i) {
    std::vector<double> e(keys), expected(width);
    double sum = 0;
    for (int64_t j = 0; j < keys; ++j) {
      double score = 0;
      for (int64_t k = 0; k < width; ++k)
        score += double(q[i * width + k]) * kt[k * keys + j];
      sum += e[j] = std::exp(score / 8);
    }
    for (int64_t j = 0; j < keys; ++j)
      for (int64_t k = 0; k < width; ++k)
        expected[k] += e[j] / sum * v[j * width + k];
    for (int64_t k = 0; k < width; ++k)
      worst = std::max(worst, std::abs(y.aligned[i * width + k] - expected[k]));
  }
  std::free(y.allocated);
  std::printf("%s, worst error %.0e\n", worst < 1e-4 ? "right" : "WRONG", worst);
  return worst < 1e-4 ? 0 : 1;
}
