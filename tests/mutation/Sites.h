// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a mutation operator applies, and what it does there.
#ifndef LH_MUTATION_SITES_H
#define LH_MUTATION_SITES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"

#include <functional>
#include <string>
#include <vector>

namespace lh::mutation {

/// Changes the module at one place and says what it did. The builder stands
/// before the site's operation.
using Change = std::function<std::string(mlir::OpBuilder &)>;

/// One place that one operator can change in one way.
struct Site {
  mlir::Operation *op = nullptr;
  Change change;
};

using Sites = std::vector<Site>;

/// A way of getting code wrong. `collect` adds the sites at one operation.
struct MutationOperator {
  llvm::StringRef name;
  void (*collect)(mlir::Operation *op, Sites &sites);
};

/// Every operator; the order is the report's.
llvm::ArrayRef<MutationOperator> mutationOperators();

// LoopOperators.cpp
void dropLastTile(mlir::Operation *op, Sites &sites);
void shiftLoopBound(mlir::Operation *op, Sites &sites);
void skipFirstIteration(mlir::Operation *op, Sites &sites);
void hoistInitialisation(mlir::Operation *op, Sites &sites);

// IndexOperators.cpp
void shiftIndex(mlir::Operation *op, Sites &sites);
void shiftSlice(mlir::Operation *op, Sites &sites);
void shiftPadding(mlir::Operation *op, Sites &sites);
void shiftMap(mlir::Operation *op, Sites &sites);
void transposeAccess(mlir::Operation *op, Sites &sites);
void swapAxes(mlir::Operation *op, Sites &sites);
void shiftLane(mlir::Operation *op, Sites &sites);

// MemoryOperators.cpp
void dropInitialisation(mlir::Operation *op, Sites &sites);
void changeFill(mlir::Operation *op, Sites &sites);
void dropStore(mlir::Operation *op, Sites &sites);
void shortenMask(mlir::Operation *op, Sites &sites);
void changePaddingValue(mlir::Operation *op, Sites &sites);
void forgetAccumulator(mlir::Operation *op, Sites &sites);

// ScalarOperators.cpp
void swapOperands(mlir::Operation *op, Sites &sites);
void roundOtherwise(mlir::Operation *op, Sites &sites);
void flipSign(mlir::Operation *op, Sites &sites);
void skipNan(mlir::Operation *op, Sites &sites);
void flipPredicate(mlir::Operation *op, Sites &sites);
void confuseSigns(mlir::Operation *op, Sites &sites);
void packBool(mlir::Operation *op, Sites &sites);

// NumberOperators.cpp
void downgradeToBfloat16(mlir::Operation *op, Sites &sites);
void addFastMath(mlir::Operation *op, Sites &sites);
void dropGuard(mlir::Operation *op, Sites &sites);
void changeConstant(mlir::Operation *op, Sites &sites);
void nudgeConstant(mlir::Operation *op, Sites &sites);
void shiftClamp(mlir::Operation *op, Sites &sites);

// DeviceOperators.cpp: in the code of kernels alone.
void dropBarrier(mlir::Operation *op, Sites &sites);
void weakenWait(mlir::Operation *op, Sites &sites);
void skipPhaseFlip(mlir::Operation *op, Sites &sites);
void shrinkRing(mlir::Operation *op, Sites &sites);
void swapSwizzle(mlir::Operation *op, Sites &sites);
void shiftGuard(mlir::Operation *op, Sites &sites);
void dropMask(mlir::Operation *op, Sites &sites);
void aliasBuffers(mlir::Operation *op, Sites &sites);
void confuseFragments(mlir::Operation *op, Sites &sites);
void shiftLaneOfShuffle(mlir::Operation *op, Sites &sites);
void shiftThread(mlir::Operation *op, Sites &sites);

// Changes.cpp: what several operators do.

/// The operation as short text, for the record.
std::string textOf(mlir::Operation *op);
/// Another operation on the same operands with the same result types takes
/// `op`'s place; its attributes are the defaults.
void replaceByKind(mlir::OpBuilder &builder, mlir::Operation *op,
                   llvm::StringRef kind);
/// `value` + `delta`; `value` is of index or integer type.
mlir::Value shifted(mlir::OpBuilder &builder, mlir::Value value, int64_t delta);
/// A zero of a float or integer type, or vector of such.
mlir::Value zeroOf(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Type type);
/// The float type of a scalar or vector, else null.
mlir::FloatType floatOf(mlir::Type type);
bool hasName(mlir::Operation *op, std::initializer_list<llvm::StringRef> names);

} // namespace lh::mutation

#endif // LH_MUTATION_SITES_H
