// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which gaps a step uses, and how it does without some.
#ifndef LH_COMPILER_SESSION_GAPWATCH_H
#define LH_COMPILER_SESSION_GAPWATCH_H

#include "core/support/Diagnostic.h"

#include <set>

namespace mlir {
class MLIRContext;
namespace tracing {
class Action;
} // namespace tracing
} // namespace mlir

namespace lh {

/// Listens while it lives to MLIR's actions, which tell of every pass, those
/// inside `apply_registered_pass` too, and of `transform.lh.*` (but `if`,
/// without which a schedule has no meaning). One at a time for a context, and
/// no PassClock beside it.
class GapWatch {
public:
  /// Passes and operations named in `leftOut` do nothing.
  GapWatch(mlir::MLIRContext &context, ArrayRef<std::string> leftOut);
  ~GapWatch();
  GapWatch(const GapWatch &) = delete;
  GapWatch &operator=(const GapWatch &) = delete;

  /// The gaps that were not left out and changed the module, or matched:
  /// sorted.
  std::vector<std::string> takeUsed();

private:
  void handle(llvm::function_ref<void()> work,
              const mlir::tracing::Action &action);

  mlir::MLIRContext &context;
  std::set<std::string> leftOut, used;
};

} // namespace lh

#endif // LH_COMPILER_SESSION_GAPWATCH_H
