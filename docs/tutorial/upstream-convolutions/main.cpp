// Calls the compiled convolution and compares it with plain loops.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int C = 64, F = 64, IN = 58, OUT = 56, K = 3;

// How MLIR passes a tensor of four dimensions: a memref descriptor.
struct Tensor {
  float *allocated = nullptr, *aligned = nullptr;
  int64_t offset = 0, sizes[4], strides[4];
  Tensor(std::vector<float> &data, int64_t n, int64_t c, int64_t h, int64_t w)
      : allocated(data.data()),
        aligned(data.data()), sizes{n, c, h, w}, strides{c * h * w, h * w, w,
                                                         1} {}
  Tensor() {}
};

extern "C" void _mlir_ciface_convolution(Tensor *result, Tensor *image, Tensor *filters);

int main() {
  std::vector<float> image(C * IN * IN), filters(F * C * K * K);
  for (float &x : image)
    x = float(rand() % 2001 - 1000) / 1000;
  for (float &w : filters)
    w = float(rand() % 2001 - 1000) / 1000;
  Tensor X(image, 1, C, IN, IN), W(filters, F, C, K, K), Y;
  double best = 1e30;
  for (int call = 0; call < 5; ++call) {
    free(Y.allocated);
    auto begin = std::chrono::steady_clock::now();
    _mlir_ciface_convolution(&Y, &X, &W);
    std::chrono::duration<double> time =
        std::chrono::steady_clock::now() - begin;
    best = std::min(best, time.count());
  }
  double error = 0;
  for (int f = 0; f < F; ++f)
    for (int i = 0; i < OUT; ++i)
      for (int j = 0; j < OUT; ++j) {
        double sum = 0;
        for (int c = 0; c < C; ++c)
          for (int y = 0; y < K; ++y)
            for (int x = 0; x < K; ++x)
              sum += double(image[(c * IN + i + y) * IN + j + x]) *
                     filters[((f * C + c) * K + y) * K + x];
        // The result may be a slice of padded rows: strides say where rows are.
        float y = Y.aligned[Y.offset + f * Y.strides[1] + i * Y.strides[2] +
                            j * Y.strides[3]];
        error = std::max(error, std::abs(y - sum));
      }
  free(Y.allocated);
  printf("%s, largest error %.1e\n", error < 1e-3 ? "right" : "WRONG", error);
  fprintf(stderr, "%.1f GFLOP/s\n",
          2.0 * F * C * K * K * OUT * OUT / best / 1e9);
  return error < 1e-3 ? 0 : 1;
}
