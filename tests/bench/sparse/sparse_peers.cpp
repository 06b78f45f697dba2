// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products with one sparse matrix by lh-run's code, plain C++, Eigen and
// SuiteSparse's GraphBLAS, in turns: a line of JSON with each one's seconds.
#include <Eigen/Sparse>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#ifdef HAVE_GRAPHBLAS
extern "C" {
#include <GraphBLAS.h>
}
#endif

namespace {

template <int Rank> struct Buffer {
  void *allocated;
  void *aligned;
  int64_t offset = 0;
  int64_t sizes[Rank];
  int64_t strides[Rank];
};

Buffer<1> list(void *data, int64_t size) {
  return {data, data, 0, {size}, {1}};
}
Buffer<2> table(void *data, int64_t rows, int64_t columns) {
  return {data, data, 0, {rows, columns}, {columns, 1}};
}

struct Matrix {
  int64_t rows, columns;
  std::vector<int32_t> positions, coordinates;
  std::vector<float> values;
};

std::mt19937 random_(7);

/// `mean` numbers a row at random places; by a power law the r-th longest row
/// has about r^-0.7 of the longest, as engine/core/numerics/SparsePattern.cpp.
Matrix draw(int64_t size, double mean, bool isPowerLaw) {
  std::vector<double> means(size, mean);
  if (isPowerLaw) {
    double total = 0;
    for (int64_t r = 0; r < size; ++r)
      total += means[r] = std::pow(double(r + 1), -0.7);
    for (double &each : means)
      each = std::min(each * mean * double(size) / total, double(size));
    std::shuffle(means.begin(), means.end(), random_);
  }
  Matrix matrix{size, size, {0}, {}, {}};
  std::uniform_real_distribution<float> unit(0, 1);
  std::vector<int32_t> row;
  std::vector<bool> known(size);
  for (int64_t r = 0; r < size; ++r) {
    auto count = int64_t(means[r] + unit(random_));
    row.clear();
    while (int64_t(row.size()) < std::min(count, size)) {
      auto column = int32_t(random_() % size);
      if (!known[column])
        row.push_back(column), known[column] = true;
    }
    std::sort(row.begin(), row.end());
    for (int32_t column : row) {
      known[column] = false;
      matrix.coordinates.push_back(column);
      matrix.values.push_back(unit(random_) * 2 - 1);
    }
    matrix.positions.push_back(int32_t(matrix.coordinates.size()));
  }
  return matrix;
}

std::vector<float> numbers(size_t count) {
  std::uniform_real_distribution<float> unit(-1, 1);
  std::vector<float> made(count);
  for (float &each : made)
    each = unit(random_);
  return made;
}

__attribute__((noinline)) void plain(const Matrix &a, const float *__restrict x,
                                     float *__restrict y) {
  const int32_t *positions = a.positions.data(),
                *coordinates = a.coordinates.data();
  const float *values = a.values.data();
  for (int64_t i = 0; i < a.rows; ++i) {
    float sum = 0;
    for (int32_t k = positions[i]; k < positions[i + 1]; ++k)
      sum += values[k] * x[coordinates[k]];
    y[i] = sum;
  }
}

__attribute__((noinline)) void plainMany(const Matrix &a,
                                         const float *__restrict x,
                                         float *__restrict y, int64_t n) {
  for (int64_t i = 0; i < a.rows; ++i) {
    float *row = y + i * n;
    for (int64_t j = 0; j < n; ++j)
      row[j] = 0;
    for (int32_t k = a.positions[i]; k < a.positions[i + 1]; ++k) {
      float value = a.values[k];
      const float *other = x + int64_t(a.coordinates[k]) * n;
      for (int64_t j = 0; j < n; ++j)
        row[j] += value * other[j];
    }
  }
}

} // namespace

extern "C" {
void _mlir_ciface_spmv(Buffer<1> *, Buffer<1> *, Buffer<1> *, Buffer<1> *,
                       Buffer<1> *);
void _mlir_ciface_spmm(Buffer<1> *, Buffer<1> *, Buffer<1> *, Buffer<2> *,
                       Buffer<2> *);
void *_mlir_memref_to_llvm_alloc(size_t size) { return std::malloc(size); }
void _mlir_memref_to_llvm_free(void *block) { std::free(block); }
// The same products of a dense matrix, weak: not linked for large sizes.
__attribute__((weak)) void _mlir_ciface_mv(Buffer<2> *, Buffer<2> *,
                                           Buffer<2> *);
__attribute__((weak)) void _mlir_ciface_mm(Buffer<2> *, Buffer<2> *,
                                           Buffer<2> *);
}

int main(int argc, char **argv) {
  if (argc != 6)
    return std::fprintf(stderr, "usage: sparse_peers SIZE PER_ROW uniform|"
                                "power-law COLUMNS ROUNDS\n"),
           2;
  int64_t size = std::atoll(argv[1]), n = std::atoll(argv[4]);
  Matrix a =
      draw(size, std::atof(argv[2]), argv[3] == std::string("power-law"));
  int rounds = std::atoi(argv[5]);
  auto nonzeros = int64_t(a.values.size());
  std::vector<float> x = numbers(size * n), expected(size * n), y(size * n);

  Buffer<1> positions = list(a.positions.data(), size + 1),
            coordinates = list(a.coordinates.data(), nonzeros),
            values = list(a.values.data(), nonzeros), xs = list(x.data(), size),
            ys = list(y.data(), size);
  Buffer<2> xt = table(x.data(), size, n), yt = table(y.data(), size, n);
  using Row = Eigen::SparseMatrix<float, Eigen::RowMajor, int32_t>;
  Eigen::Map<const Row> eigen(size, size, nonzeros, a.positions.data(),
                              a.coordinates.data(), a.values.data());
  using Many =
      Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  std::vector<std::pair<std::string, std::function<void()>>> ways;
  if (n == 1) {
    ways.push_back({"plain", [&] { plain(a, x.data(), y.data()); }});
    ways.push_back({"lighthouse", [&] {
                      _mlir_ciface_spmv(&positions, &coordinates, &values, &xs,
                                        &ys);
                    }});
    ways.push_back({"eigen", [&] {
                      Eigen::Map<const Eigen::VectorXf> in(x.data(), size);
                      Eigen::Map<Eigen::VectorXf>(y.data(), size).noalias() =
                          eigen * in;
                    }});
  } else {
    ways.push_back({"plain", [&] { plainMany(a, x.data(), y.data(), n); }});
    ways.push_back({"lighthouse", [&] {
                      _mlir_ciface_spmm(&positions, &coordinates, &values, &xt,
                                        &yt);
                    }});
    ways.push_back({"eigen", [&] {
                      Eigen::Map<const Many> in(x.data(), size, n);
                      Eigen::Map<Many>(y.data(), size, n).noalias() =
                          eigen * in;
                    }});
  }
  std::vector<float> dense;
  Buffer<2> whole = table(nullptr, size, size);
  if (_mlir_ciface_mv) {
    dense.resize(size * size);
    for (int64_t i = 0; i < size; ++i)
      for (int32_t k = a.positions[i]; k < a.positions[i + 1]; ++k)
        dense[i * size + a.coordinates[k]] = a.values[k];
    whole = table(dense.data(), size, size);
    ways.push_back({"dense", [&] {
                      if (n == 1)
                        _mlir_ciface_mv(&whole, &xt, &yt);
                      else
                        _mlir_ciface_mm(&whole, &xt, &yt);
                    }});
  }
#ifdef HAVE_GRAPHBLAS
  GrB_init(GrB_NONBLOCKING);
  GxB_Global_Option_set(GxB_GLOBAL_NTHREADS, 1);
  GrB_Matrix matrix = nullptr, right = nullptr, product = nullptr;
  std::vector<GrB_Index> rows, columns;
  for (int64_t i = 0; i < size; ++i)
    for (int32_t k = a.positions[i]; k < a.positions[i + 1]; ++k)
      rows.push_back(i), columns.push_back(a.coordinates[k]);
  GrB_Matrix_new(&matrix, GrB_FP32, size, size);
  GrB_Matrix_build_FP32(matrix, rows.data(), columns.data(), a.values.data(),
                        nonzeros, GrB_PLUS_FP32);
  GrB_Matrix_new(&right, GrB_FP32, size, n);
  GrB_Matrix_new(&product, GrB_FP32, size, n);
  GxB_Matrix_Option_set(right, GxB_SPARSITY_CONTROL, GxB_FULL);
  GxB_Matrix_Option_set(product, GxB_SPARSITY_CONTROL, GxB_FULL);
  rows.clear(), columns.clear();
  for (int64_t i = 0; i < size; ++i)
    for (int64_t j = 0; j < n; ++j)
      rows.push_back(i), columns.push_back(j);
  GrB_Matrix_build_FP32(right, rows.data(), columns.data(), x.data(), size * n,
                        GrB_PLUS_FP32);
  GrB_Matrix_wait(right, GrB_MATERIALIZE);
  GrB_Matrix_wait(matrix, GrB_MATERIALIZE);
  ways.push_back({"graphblas", [&] {
                    GrB_mxm(product, nullptr, nullptr,
                            GrB_PLUS_TIMES_SEMIRING_FP32, matrix, right,
                            nullptr);
                    GrB_Matrix_wait(product, GrB_MATERIALIZE);
                  }});
#endif

  if (n == 1)
    plain(a, x.data(), expected.data());
  else
    plainMany(a, x.data(), expected.data(), n);
  std::vector<double> best(ways.size(), 1e9);
  for (int round = -1; round < rounds; ++round)
    for (size_t w = 0; w < ways.size(); ++w) {
      std::fill(y.begin(), y.end(), NAN);
      auto start = std::chrono::steady_clock::now();
      ways[w].second();
      std::chrono::duration<double> took =
          std::chrono::steady_clock::now() - start;
      best[w] = std::min(best[w], took.count());
      // GraphBLAS keeps its results to itself.
      for (size_t i = 0;
           round < 0 && ways[w].first != "graphblas" && i < y.size(); ++i)
        if (!(std::abs(y[i] - expected[i]) <= 1e-3))
          return std::fprintf(stderr, "%s: y[%zu] is %g, not %g\n",
                              ways[w].first.c_str(), i, y[i], expected[i]),
                 1;
    }
  std::printf("{\"nonzeros\": %lld", (long long)nonzeros);
  for (size_t w = 0; w < ways.size(); ++w)
    std::printf(", \"%s\": %.9f", ways[w].first.c_str(), best[w]);
  std::printf("}\n");
}
