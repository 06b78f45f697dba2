// Calls the compiled layer and compares it with plain loops.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int C = 64, F = 256, N = 56, P = N * N;

// How MLIR passes a tensor of R dimensions: a memref descriptor.
template <int R> struct Tensor {
  float *allocated = nullptr, *aligned = nullptr;
  int64_t offset = 0, sizes[R], strides[R];
  Tensor() {}
  template <typename... S>
  Tensor(std::vector<float> &data, S... size)
      : allocated(data.data()), aligned(data.data()), sizes{size...} {
    int64_t stride = 1;
    for (int d = R; d-- > 0; stride *= sizes[d])
      strides[d] = stride;
  }
};

extern "C" void _mlir_ciface_layer(Tensor<4> *result, Tensor<3> *image,
                                   Tensor<2> *filters, Tensor<1> *bias,
                                   Tensor<4> *before);

static std::vector<float> drawn(size_t count) {
  std::vector<float> numbers(count);
  for (float &x : numbers)
    x = float(rand() % 2001 - 1000) / 1000;
  return numbers;
}

int main() {
  auto image = drawn(C * P), filters = drawn(F * C), bias = drawn(F),
       before = drawn(F * P);
  Tensor<3> X(image, 1, C, P);
  Tensor<2> W(filters, F, C);
  Tensor<1> B(bias, F);
  Tensor<4> R(before, 1, F, N, N), Y;
  double best = 1e30;
  for (int call = 0; call < 20; ++call) {
    free(Y.allocated);
    auto begin = std::chrono::steady_clock::now();
    _mlir_ciface_layer(&Y, &X, &W, &B, &R);
    std::chrono::duration<double> time =
        std::chrono::steady_clock::now() - begin;
    best = std::min(best, time.count());
  }
  double error = 0;
  for (int f = 0; f < F; ++f)
    for (int p = 0; p < P; ++p) {
      double sum = bias[f] + double(before[f * P + p]);
      for (int c = 0; c < C; ++c)
        sum += double(filters[f * C + c]) * image[c * P + p];
      float y = Y.aligned[Y.offset + f * Y.strides[1] + p / N * Y.strides[2] +
                          p % N * Y.strides[3]];
      error = std::max(error, std::abs(y - std::max(0.0, sum)));
    }
  free(Y.allocated);
  printf("%s, largest error %.1e\n", error < 1e-4 ? "right" : "WRONG", error);
  fprintf(stderr, "%.1f GFLOP/s\n", 2.0 * C * F * P / best / 1e9);
  return error < 1e-4 ? 0 : 1;
}
