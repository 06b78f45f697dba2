// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The windows that a convolution reads.
#ifndef LH_COMPILER_GAPS_PRODUCTS_WINDOWS_H
#define LH_COMPILER_GAPS_PRODUCTS_WINDOWS_H

#include "mlir/IR/Matchers.h"
#include "mlir/IR/Value.h"

#include <optional>

namespace lh {

/// Which elements of an input [batch][height][width][channels] a convolution
/// reads for each of its results.
struct Windows {
  int64_t batch, height, width; ///< of the result
  int64_t rows, columns;        ///< of a window
  int64_t channels;
  int64_t rowStride, columnStride, rowDilation, columnDilation;
  /// Padding around the input, which is that much smaller.
  int64_t top = 0, left = 0, bottom = 0, right = 0;
  /// Windows are of one group's channels, and there are so many groups.
  int64_t groups = 1;

  int64_t count() const { return batch * height * width; }
  int64_t size() const { return rows * columns * channels; }
  /// How far pixels of the input are apart.
  int64_t pixel() const { return channels * groups; }
  bool isWholePixels() const {
    return rows == 1 && columns == 1 && rowStride == 1 && columnStride == 1;
  }
  /// A #dlti.map of all but the padding, each by its name; and back, nothing
  /// when one is missing.
  mlir::Attribute toAttribute(mlir::MLIRContext *context) const;
  static std::optional<Windows> from(mlir::Attribute attribute);
  bool isPadded() const { return top + left + bottom + right > 0; }
};

/// Zero, of any type.
inline bool isZero(mlir::Value value) {
  return matchPattern(value, mlir::m_AnyZeroFloat()) ||
         matchPattern(value, mlir::m_Zero());
}

} // namespace lh

#endif // LH_COMPILER_GAPS_PRODUCTS_WINDOWS_H
