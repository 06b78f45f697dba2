// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix Market files, right and wrong.
#include "core/numerics/MatrixMarket.h"

#include <catch2/catch.hpp>

using namespace lh;

using Indices = std::vector<std::vector<int64_t>>;

/// Of a file without mistakes, `kind` being its field and symmetry.
static SparseElements elementsOf(const std::string &kind,
                                 const std::string &rest) {
  CollectingSink sink;
  FailureOr<SparseElements> read = parseMatrixMarket(
      "%%MatrixMarket matrix coordinate " + kind + "\n" + rest, "m.mtx", sink);
  REQUIRE(succeeded(read));
  return *read;
}

TEST_CASE("a general matrix has its elements by rows", "[sparse]") {
  SparseElements read = elementsOf(
      "real general", "% a comment\n\n3 4 3\n3 1 -2.5e1\n1 4 1\n 1 2  7\r\n");
  CHECK(read.shape == std::vector<int64_t>{3, 4});
  CHECK(read.indices == Indices{{0, 1}, {0, 3}, {2, 0}});
  CHECK(read.values == std::vector<double>{7, 1, -25});
}

TEST_CASE("symmetric matrices have both halves, patterns have ones",
          "[sparse]") {
  SparseElements pattern = elementsOf("pattern symmetric", "2 2 2\n1 1\n2 1\n");
  CHECK(pattern.indices == Indices{{0, 0}, {0, 1}, {1, 0}});
  CHECK(pattern.values == std::vector<double>{1, 1, 1});
  SparseElements skew = elementsOf("integer skew-symmetric", "2 2 1\n2 1 3\n");
  CHECK(skew.values == std::vector<double>{-3, 3});
}

TEST_CASE("elements that are there twice are summed", "[sparse]") {
  CHECK(elementsOf("real general", "1 1 2\n1 1 2\n1 1 3\n").values ==
        std::vector<double>{5});
}

TEST_CASE("what is wrong with a matrix is said at its line", "[sparse]") {
  const char *header = "%%MatrixMarket matrix coordinate real general\n";
  struct Wrong {
    std::string text;
    unsigned line;
    const char *message;
  };
  const Wrong wrongs[] = {
      {"", 1, "the first line should be '%%MatrixMarket matrix coordinate"},
      {"%%MatrixMarket matrix array real general\n", 1, "format 'array'"},
      {"%%MatrixMarket matrix coordinate complex general\n", 1,
       "field 'complex'"},
      {"%%MatrixMarket matrix coordinate real hermitian\n", 1, "'hermitian'"},
      {"%%MatrixMarket matrix coordinate real symmetric\n1 2 0\n", 2,
       "as many rows as columns"},
      {std::string(header) + "1 2\n", 2, "rows, columns and the number"},
      {std::string(header) + "-1 2 0\n", 2, "rows, columns and the number"},
      {std::string(header) + "9999999999 2 0\n", 2, "more than 2^31"},
      {std::string(header) + "2 2 2\n1 1 1\n", 3, "after 1 of 2 elements"},
      {std::string(header) + "2 2 1\n1 3 1\n", 3, "(1, 3) lies outside"},
      {std::string(header) + "2 2 1\n0 1 1\n", 3, "(0, 1) lies outside"},
      {std::string(header) + "2 2 1\n1 1 x\n", 3, "a column and a number"},
      {std::string(header) + "2 2 1\n1 1 1\n2 2 1\n", 4,
       "more elements than the 1"},
  };
  for (const Wrong &wrong : wrongs) {
    INFO(wrong.text);
    CollectingSink sink;
    CHECK(failed(parseMatrixMarket(wrong.text, "m.mtx", sink)));
    llvm::ArrayRef<Diagnostic> problems = sink.diagnostics();
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].kind == DiagKind::NumericsMalformedMtx);
    CHECK(problems[0].where.line == wrong.line);
    CHECK(problems[0].message.find(wrong.message) != std::string::npos);
  }
}

TEST_CASE("whatever a file holds gives a matrix or one error", "[sparse]") {
  const std::string whole = "%%MatrixMarket matrix coordinate real symmetric\n"
                            "3 3 3\n1 1 2.5\n2 1 1e300\n3 2 -7\n";
  auto check = [](const std::string &text) {
    CollectingSink sink;
    FailureOr<SparseElements> read = parseMatrixMarket(text, "m.mtx", sink);
    INFO(text);
    CHECK(sink.errorCount() == (failed(read) ? 1 : 0));
    for (size_t i = 0; succeeded(read) && i < read->indices.size(); ++i)
      CHECK((read->indices[i][0] < read->shape[0] &&
             read->indices[i][1] < read->shape[1]));
  };
  for (size_t at = 0; at < whole.size(); ++at) {
    check(whole.substr(0, at));
    for (char other : {'\0', ' ', '\n', '-', '9', '%', '\xFF'}) {
      std::string changed = whole;
      changed[at] = other;
      check(changed);
      changed.insert(at, 20, other);
      check(changed);
    }
  }
}
