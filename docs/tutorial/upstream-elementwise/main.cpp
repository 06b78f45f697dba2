// Calls a compiled @chain of chain.mlir on 61 x 1003 numbers, and compares.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

// What a memref is to C.
template <int rank> struct Memref {
  float *allocated, *aligned;
  int64_t offset, sizes[rank], strides[rank];
};
extern "C" void _mlir_ciface_chain(Memref<2> *result, Memref<2> *x,
                                   Memref<1> *scale, Memref<1> *shift);

int main() {
  const int64_t m = 61, n = 1003;
  std::vector<float> x(m * n), scale(n), shift(n);
  for (std::vector<float> *data : {&x, &scale, &shift})
    for (float &number : *data)
      number = std::rand() % 2001 / 1000.f - 1;
  Memref<2> y, in{x.data(), x.data(), 0, {m, n}, {n, 1}};
  Memref<1> scales{scale.data(), scale.data(), 0, {n}, {1}};
  Memref<1> shifts{shift.data(), shift.data(), 0, {n}, {1}};
  _mlir_ciface_chain(&y, &in, &scales, &shifts);
  float worst = 0;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float number = x[i * n + j];
      float expected = std::max(number * scale[j] + shift[j], 0.f) + number;
      worst = std::max(worst, std::abs(y.aligned[i * n + j] - expected));
    }
  std::free(y.allocated);
  std::printf("%s, worst error %.0e\n", worst < 1e-6f ? "right" : "WRONG", worst);
  return worst < 1e-6f ? 0 : 1;
}
