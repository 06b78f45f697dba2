// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which padding is an image with a border.
#include "compiler/gaps/windows/PaddedImage.h"

#include "mlir/IR/Matchers.h"

using namespace lh;
using namespace mlir;

/// Rows and columns alone, by sizes that are known: unknown ones are negative.
static bool isAroundPixels(ArrayRef<int64_t> sizes) {
  size_t channels = sizes.size() - 1;
  return sizes[channels] == 0 &&
         llvm::all_of(sizes.drop_back(3), [](int64_t n) { return n == 0; }) &&
         sizes[channels - 1] >= 0 && sizes[channels - 2] >= 0;
}

std::optional<PaddedImage> lh::paddedImage(Value padded, int64_t rank) {
  auto pad = padded.getDefiningOp<tensor::PadOp>();
  if (!pad || pad.getSourceType().getRank() != rank ||
      !pad.getSourceType().hasStaticShape() ||
      !pad.getResultType().hasStaticShape() ||
      pad.getSourceType().getNumElements() == 0)
    return std::nullopt;
  ArrayRef<int64_t> low = pad.getStaticLow(), high = pad.getStaticHigh();
  Value value = pad.getConstantPaddingValue();
  if (!value || !isAroundPixels(low) || !isAroundPixels(high))
    return std::nullopt;
  auto row = static_cast<size_t>(rank - 3), column = row + 1;
  ArrayRef<int64_t> size = pad.getSourceType().getShape();
  PaddedImage image{pad,          value,       {},
                    low[row],     low[column], high[row],
                    high[column], size[row],   size[column]};
  matchPattern(value, m_Constant(&image.number));
  return image;
}
