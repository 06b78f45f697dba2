// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which lanes of vectors anything comes of.
#ifndef LH_RUNTIME_CPU_USEFULLANES_H
#define LH_RUNTIME_CPU_USEFULLANES_H

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class Function;
class Instruction;
class Type;
class Use;
class Value;
} // namespace llvm

namespace lh {

/// Of one function. A lane is useful unless all that is made of it is left out
/// by constant masks of stores and by shuffles.
class UsefulLanes {
public:
  explicit UsefulLanes(const llvm::Function &function);

  /// How many of the lanes of `instruction`'s result; 1 for a scalar.
  unsigned of(const llvm::Instruction &instruction) const;

private:
  void need(const llvm::Value *value, const llvm::APInt &lanes);
  void needOperand(const llvm::Instruction &user, const llvm::Use &use);

  llvm::DenseMap<const llvm::Value *, llvm::APInt> needed;
  llvm::SmallVector<const llvm::Instruction *> changed;
};

} // namespace lh

#endif // LH_RUNTIME_CPU_USEFULLANES_H
