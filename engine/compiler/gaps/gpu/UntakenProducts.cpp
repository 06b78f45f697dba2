// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Says which products have no kernel: a matrix unit that lies idle should not
// have to be found by its speed.

#include "compiler/gaps/gpu/UntakenProducts.h"

#include "compiler/gaps/Marks.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace lh;
using namespace mlir;

/// How often a contraction or a convolution multiplies; a size that isn't known
/// counts as 1. Of any other op 0.
static double multiplicationsOf(linalg::LinalgOp op) {
  if (!linalg::isaContractionOpInterface(op) &&
      !linalg::isaConvolutionOpInterface(op))
    return 0;
  double count = 1;
  for (int64_t size : op.getStaticLoopRanges())
    count *= ShapedType::isDynamic(size) ? 1 : static_cast<double>(size);
  return count;
}

static std::string percent(double part, double whole) {
  double share = whole > 0 ? 100 * part / whole : 0;
  return share < 1 ? "less than 1" : std::to_string(std::lround(share));
}

static void remarkOn(linalg::LinalgOp product, double all) {
  auto types = product->getAttrOfType<StringAttr>(typesMark);
  auto untyped = product->getAttrOfType<StringAttr>(untypedMark);
  InFlightDiagnostic remark = product->emitRemark();
  remark << "loops compute this product";
  if (types)
    remark << ", " << types.getValue();
  remark << " (" << percent(multiplicationsOf(product), all)
         << " % of the module's multiplications): "
         << (types ? "no kernel here is for these types" : untyped.getValue());
}

void lh::remarkOnUntaken(Operation *root) {
  double all = 0;
  SmallVector<linalg::LinalgOp> untaken;
  root->walk([&](linalg::LinalgOp op) {
    all += multiplicationsOf(op);
    if (!op->hasAttr(choiceMark) &&
        (op->hasAttr(typesMark) || op->hasAttr(untypedMark)))
      untaken.push_back(op);
  });
  for (linalg::LinalgOp product : untaken)
    remarkOn(product, all);
}
