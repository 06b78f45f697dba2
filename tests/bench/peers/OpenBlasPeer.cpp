// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OpenBLAS: cblas_sgemm and cblas_sgemv; what a BLAS lacks is a loop.
#include "Worker.h"

#include <cblas.h>

using namespace peers;

/// C = A B, row-major.
static void multiply(const float *a, const float *b, float *c, int64_t m,
                     int64_t n, int64_t k) {
  auto rows = blasint(m), columns = blasint(n), depth = blasint(k);
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, columns, depth,
              1, a, depth, b, columns, 0, c, columns);
}

static std::vector<Candidate> matmul(const Work &work) {
  const Operand &a = work.input(0), &b = work.input(1);
  if (a.type != "f32")
    return {};
  int64_t m = a.shape[0], k = a.shape[1], n = b.shape[1];
  Operand c = unwritten(work.outputs[0]);
  std::vector<Candidate> candidates{
      {"OpenBLAS",
       [=] { multiply(a.as<float>(), b.as<float>(), c.as<float>(), m, n, k); },
       {c}}};
  if (m != 1)
    return candidates;
  Operand y = unwritten(work.outputs[0]);
  auto columns = blasint(n), depth = blasint(k);
  candidates.push_back({"OpenBLAS-gemv",
                        [=] {
                          cblas_sgemv(CblasRowMajor, CblasTrans, depth, columns,
                                      1, b.as<float>(), columns, a.as<float>(),
                                      1, 0, y.as<float>(), 1);
                        },
                        {y}});
  return candidates;
}

#pragma GCC push_options
#pragma GCC optimize("O3")
/// y = max(y + bias, 0), row by row.
__attribute__((target_clones("avx512f", "avx2", "default"))) static void
addAndClip(float *y, const float *bias, int64_t rows, int64_t columns) {
  for (int64_t row = 0; row < rows; ++row, y += columns)
    for (int64_t i = 0; i < columns; ++i) {
      float sum = y[i] + bias[i];
      y[i] = sum > 0 ? sum : 0;
    }
}
#pragma GCC pop_options

/// Inputs: x, then a weight and a bias for each layer.
static Candidate mlp(const Work &work) {
  std::vector<Operand> values{work.input(0)};
  size_t layers = (work.inputs.size() - 1) / 2;
  for (size_t i = 0; i < layers; ++i)
    values.push_back(unwritten(work.outputs[0]));
  auto run = [=] {
    for (size_t i = 0; i < layers; ++i) {
      const Operand &weight = work.input(1 + 2 * i),
                    &bias = work.input(2 + 2 * i);
      int64_t rows = values[i].shape[0], columns = weight.shape[1];
      auto *y = values[i + 1].as<float>();
      multiply(values[i].as<float>(), weight.as<float>(), y, rows, columns,
               weight.shape[0]);
      addAndClip(y, bias.as<float>(), rows, columns);
    }
  };
  return {"OpenBLAS-and-loops", run, {values.back()}};
}

std::vector<Candidate> peers::makeCandidates(const Work &work) {
  openblas_set_num_threads(work.threads);
  if (work.kind == "matmul")
    return matmul(work);
  if (work.kind == "mlp")
    return {mlp(work)};
  return {};
}
