// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Float types' constants, and refusals in words.
#include "compiler/gaps/oracle/ErrorModel.h"

#include "mlir/IR/Operation.h"

#include <cfloat>
#include <cmath>

using namespace mlir;
using namespace lh;

static double toDouble(llvm::APFloat value) {
  bool losesInfo = false;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

Precision lh::precisionOf(FloatType type) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  unsigned bits = llvm::APFloat::semanticsPrecision(semantics);
  Precision precision;
  precision.bits = bits;
  precision.unit = std::ldexp(1.0, -static_cast<int>(bits));
  precision.largest = toDouble(llvm::APFloat::getLargest(semantics));
  precision.smallest = toDouble(llvm::APFloat::getSmallest(semantics));
  precision.smallestNormal =
      toDouble(llvm::APFloat::getSmallestNormalized(semantics));
  precision.exactIntegers = std::ldexp(1.0, static_cast<int>(bits));
  if (type.isF64()) {
    precision.unit *= 2;
    // Denormal numbers would make the bounds' own arithmetic slow.
    precision.smallest = DBL_MIN;
  }
  return precision;
}

/// Where an op comes from, as its user would say it; empty if unknown.
static std::string wordsFor(Location location) {
  std::string words;
  location->walk([&](Location part) {
    if (auto name = dyn_cast<NameLoc>(part))
      words = name.getName().str();
    else if (auto file = dyn_cast<FileLineColLoc>(part))
      words = file.getFilename().str() + ":" + std::to_string(file.getLine()) +
              ":" + std::to_string(file.getColumn());
    return words.empty() ? WalkResult::advance() : WalkResult::interrupt();
  });
  return words;
}

LogicalResult ErrorState::refuse(Operation *op, const Twine &why) {
  if (!refusal.empty())
    return failure();
  std::string place = wordsFor(op->getLoc());
  refusal = ("'" + op->getName().getStringRef() + "'" +
             (place.empty() ? "" : " at " + place) + " " + why)
                .str();
  return failure();
}
