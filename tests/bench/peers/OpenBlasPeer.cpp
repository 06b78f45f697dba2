// OpenBLAS: cblas_sgemm and cblas_sgemv; what a BLAS lacks is a loop.
#include "Worker.h"

#include <cblas.h>

#include <algorithm>

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

std::vector<Candidate> peers::makeCandidates(const Work &work) {
  openblas_set_num_threads(work.threads);
  if (work.kind == "matmul")
    return matmul(work);
  return {};
}
