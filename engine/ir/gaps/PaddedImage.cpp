// Which padding is an image with a border.
#include "ir/gaps/PaddedImage.h"

using namespace lh;
using namespace mlir;

bool lh::isPaddedImage(tensor::PadOp pad) {
  RankedTensorType image = pad.getSourceType();
  ArrayRef<int64_t> low = pad.getStaticLow(), high = pad.getStaticHigh();
  // A size that isn't known is negative, too.
  auto isNegative = [](int64_t size) { return size < 0; };
  return image.hasStaticShape() && image.getRank() == 3 &&
         image.getNumElements() > 0 && pad.getResultType().hasStaticShape() &&
         low[2] == 0 && high[2] == 0 && llvm::none_of(low, isNegative) &&
         llvm::none_of(high, isNegative) && pad.getConstantPaddingValue();
}
