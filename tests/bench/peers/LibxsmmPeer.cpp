// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libxsmm: batch-reduce products of small blocks, both operands in blocks.
#include "Worker.h"

#include <libxsmm.h>

#include <cstring>

using namespace peers;

namespace {
/// Row-major matrices in square blocks; libxsmm's own are column-major, so it
/// computes C^T = B^T A^T.
struct Blocked {
  int64_t m, n, k, block;
  std::shared_ptr<char> a, b;
  libxsmm_smmfunction_reducebatch_strd kernel;

  float *blockOfA(int64_t i, int64_t l) const {
    return reinterpret_cast<float *>(a.get()) +
           (i * (k / block) + l) * block * block;
  }
  float *blockOfB(int64_t j, int64_t l) const {
    return reinterpret_cast<float *>(b.get()) +
           (j * (k / block) + l) * block * block;
  }
  void packA(const float *source) const;
  void packB(const float *source) const;
  void multiply(float *c) const;
};
} // namespace

static void copyBlock(float *to, const float *from, int64_t block,
                      int64_t stride) {
  for (int64_t row = 0; row < block; ++row)
    std::memcpy(to + row * block, from + row * stride,
                static_cast<size_t>(block) * sizeof(float));
}

void Blocked::packA(const float *source) const {
  for (int64_t i = 0; i < m / block; ++i)
    for (int64_t l = 0; l < k / block; ++l)
      copyBlock(blockOfA(i, l), source + i * block * k + l * block, block, k);
}

void Blocked::packB(const float *source) const {
  for (int64_t j = 0; j < n / block; ++j)
    for (int64_t l = 0; l < k / block; ++l)
      copyBlock(blockOfB(j, l), source + l * block * n + j * block, block, n);
}

void Blocked::multiply(float *c) const {
  unsigned long long count = static_cast<unsigned long long>(k / block);
  for (int64_t i = 0; i < m / block; ++i)
    for (int64_t j = 0; j < n / block; ++j)
      kernel(blockOfB(j, 0), blockOfA(i, 0), c + i * block * n + j * block,
             &count);
}

static Blocked makeBlocked(int64_t m, int64_t n, int64_t k, int64_t block) {
  auto bytes = [&](int64_t count) {
    return std::shared_ptr<char>(allocate(size_t(count) * sizeof(float)));
  };
  Blocked blocked{m, n, k, block, bytes(m * k), bytes(k * n), nullptr};
  auto size = libxsmm_blasint(block), width = libxsmm_blasint(n);
  auto step = libxsmm_blasint(block * block * int64_t(sizeof(float)));
  float one = 1, zero = 0;
  int flags = LIBXSMM_GEMM_FLAG_BETA_0;
  blocked.kernel = libxsmm_smmdispatch_reducebatch_strd(
      size, size, size, step, step, &size, &size, &width, &one, &zero, &flags,
      nullptr);
  return blocked;
}

/// With both in blocks beforehand, and with A blocked in each call.
static void addBlocked(std::vector<Candidate> &candidates, const Work &work,
                       int64_t block) {
  const Operand &a = work.input(0), &b = work.input(1);
  int64_t m = a.shape[0], k = a.shape[1], n = b.shape[1];
  if (m % block || n % block || k % block)
    return;
  Blocked blocked = makeBlocked(m, n, k, block);
  if (!blocked.kernel)
    return;
  blocked.packA(a.as<float>());
  blocked.packB(b.as<float>());
  std::string name = "libxsmm-" + std::to_string(block);
  Operand whole = unwritten(work.outputs[0]), half = unwritten(whole);
  candidates.push_back({name + "-blocked",
                        [=] { blocked.multiply(whole.as<float>()); },
                        {whole}});
  candidates.push_back({name + "-prepacked",
                        [=] {
                          blocked.packA(a.as<float>());
                          blocked.multiply(half.as<float>());
                        },
                        {half}});
}

std::vector<Candidate> peers::makeCandidates(const Work &work) {
  std::vector<Candidate> candidates;
  // Its threads would be the caller's.
  if (work.kind != "matmul" || work.input(0).type != "f32" || work.threads > 1)
    return candidates;
  addBlocked(candidates, work, 32);
  addBlocked(candidates, work, 64);
  return candidates;
}
