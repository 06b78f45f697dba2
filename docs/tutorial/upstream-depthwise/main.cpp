// Calls the compiled layer and compares it with plain loops.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int C = 96, N = 56, K = 3;

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

extern "C" void _mlir_ciface_depthwise_layer(Tensor<4> *result, Tensor<4> *image,
                                             Tensor<3> *windows, Tensor<1> *bias);

static std::vector<float> drawn(size_t count) {
  std::vector<float> numbers(count);
  for (float &x : numbers)
    x = float(rand() % 2001 - 1000) / 1000;
  return numbers;
}

int main() {
  auto image = drawn(C * N * N), windows = drawn(C * K * K), bias = drawn(C);
  Tensor<4> X(image, 1, C, N, N), Y;
  Tensor<3> W(windows, C, K, K);
  Tensor<1> B(bias, C);
  double best = 1e30;
  for (int call = 0; call < 20; ++call) {
    free(Y.allocated);
    auto begin = std::chrono::steady_clock::now();
    _mlir_ciface_depthwise_layer(&Y, &X, &W, &B);
    std::chrono::duration<double> time =
        std::chrono::steady_clock::now() - begin;
    best = std::min(best, time.count());
  }
  double error = 0;
  for (int c = 0; c < C; ++c)
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j) {
        double sum = bias[c];
        for (int y = 0; y < K; ++y)
          for (int x = 0; x < K; ++x) {
            int row = i + y - 1, column = j + x - 1;
            if (row < 0 || row >= N || column < 0 || column >= N)
              continue;
            float pixel = std::max(0.0f, image[(c * N + row) * N + column]);
            sum += double(pixel) * windows[(c * K + y) * K + x];
          }
        float y = Y.aligned[Y.offset + c * Y.strides[1] + i * Y.strides[2] +
                            j * Y.strides[3]];
        error = std::max(error, std::abs(y - std::max(0.0, sum)));
      }
  free(Y.allocated);
  printf("%s, largest error %.1e\n", error < 1e-4 ? "right" : "WRONG", error);
  fprintf(stderr, "%.1f GFLOP/s\n", 2.0 * C * K * K * N * N / best / 1e9);
  return error < 1e-4 ? 0 : 1;
}
