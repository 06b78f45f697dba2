// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix Market's coordinate format, line by line.
#include "core/numerics/MatrixMarket.h"

#include "core/numerics/TensorFile.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <map>

using namespace lh;

namespace {

class MatrixReader {
public:
  MatrixReader(StringRef text, StringRef path, DiagnosticSink &sink)
      : rest(text), path(path), sink(sink) {}

  FailureOr<SparseElements> read() {
    if (failed(readHeader()) || failed(readSizes()))
      return failure();
    for (uint64_t i = 0; i < count; ++i)
      if (failed(readElement(i)))
        return failure();
    if (nextLine())
      return wrong("there are more elements than the " + Twine(count) +
                   " that the sizes announce");
    for (const auto &[indices, value] : sums) {
      elements.indices.push_back({indices.first, indices.second});
      elements.values.push_back(value);
    }
    return std::move(elements);
  }

private:
  LogicalResult wrong(const Twine &what) {
    return sink.error(DiagKind::NumericsMalformedMtx, {path.str(), line, 1, 0},
                      what);
  }

  /// Splits the next line that isn't empty or a comment into `words`.
  bool nextLine() {
    while (!rest.empty()) {
      auto [first, others] = rest.split('\n');
      rest = others;
      ++line;
      words.clear();
      llvm::SplitString(first.split('%').first, words, " \t\r");
      if (!words.empty())
        return true;
    }
    return false;
  }

  LogicalResult readHeader() {
    auto [first, others] = rest.split('\n');
    rest = others;
    line = 1;
    llvm::SplitString(first, words, " \t\r");
    if (words.size() != 5 || words[0] != "%%MatrixMarket" ||
        !words[1].equals_insensitive("matrix"))
      return wrong("the first line should be '%%MatrixMarket matrix "
                   "coordinate FIELD SYMMETRY'");
    if (!words[2].equals_insensitive("coordinate"))
      return wrong("the matrix is of the format '" + words[2] +
                   "'; only 'coordinate', for sparse ones, is read");
    isPattern = words[3].equals_insensitive("pattern");
    if (!isPattern && !words[3].equals_insensitive("real") &&
        !words[3].equals_insensitive("double") &&
        !words[3].equals_insensitive("integer"))
      return wrong("elements are of the field '" + words[3] +
                   "'; real, integer and pattern are read");
    isSkew = words[4].equals_insensitive("skew-symmetric");
    isSymmetric = isSkew || words[4].equals_insensitive("symmetric");
    if (!isSymmetric && !words[4].equals_insensitive("general"))
      return wrong("the matrix is '" + words[4] +
                   "'; general, symmetric and skew-symmetric ones are read");
    return success();
  }

  LogicalResult readSizes() {
    constexpr int64_t most = int64_t(1) << 31;
    int64_t rows = 0, columns = 0;
    if (!nextLine() || words.size() != 3 || words[0].getAsInteger(10, rows) ||
        words[1].getAsInteger(10, columns) ||
        words[2].getAsInteger(10, count) || rows < 0 || columns < 0)
      return wrong("there should be a line of rows, columns and the number of "
                   "elements");
    if (rows > most || columns > most)
      return wrong("the matrix has more than 2^31 rows or columns");
    if (isSymmetric && rows != columns)
      return wrong("a symmetric matrix should have as many rows as columns");
    elements.shape = {rows, columns};
    return success();
  }

  LogicalResult readElement(uint64_t number) {
    if (!nextLine())
      return wrong("the file ends after " + Twine(number) + " of " +
                   Twine(count) + " elements");
    int64_t row = 0, column = 0;
    double value = 1;
    if (words.size() != (isPattern ? 2 : 3) || words[0].getAsInteger(10, row) ||
        words[1].getAsInteger(10, column) ||
        (!isPattern && words[2].getAsDouble(value)))
      return wrong(isPattern ? "an element should be a row and a column"
                             : "an element should be a row, a column and a "
                               "number");
    if (row < 1 || row > elements.shape[0] || column < 1 ||
        column > elements.shape[1])
      return wrong("element (" + Twine(row) + ", " + Twine(column) +
                   ") lies outside of the matrix; indices begin with 1");
    sums[{row - 1, column - 1}] += value;
    if (isSymmetric && row != column)
      sums[{column - 1, row - 1}] += isSkew ? -value : value;
    return success();
  }

  StringRef rest;
  StringRef path;
  DiagnosticSink &sink;
  unsigned line = 0;
  llvm::SmallVector<StringRef, 5> words;
  bool isPattern = false, isSymmetric = false, isSkew = false;
  uint64_t count = 0;
  std::map<std::pair<int64_t, int64_t>, double> sums;
  SparseElements elements;
};

} // namespace

FailureOr<SparseElements> lh::parseMatrixMarket(StringRef text, StringRef path,
                                                DiagnosticSink &sink) {
  return MatrixReader(text, path, sink).read();
}

FailureOr<SparseElements> lh::readMatrixMarket(StringRef path,
                                               DiagnosticSink &sink) {
  auto buffer = openTensorFile(path, sink);
  if (failed(buffer))
    return failure();
  return parseMatrixMarket((*buffer)->getBuffer(), path, sink);
}
