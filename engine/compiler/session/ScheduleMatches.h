// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes a schedule say how many operations its searches find.
#ifndef LH_COMPILER_SESSION_SCHEDULEMATCHES_H
#define LH_COMPILER_SESSION_SCHEDULEMATCHES_H

#include "core/support/Diagnostic.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace lh {

/// What one run of a search says.
struct MatchRemark {
  enum class What { Given, Found };
  What what = What::Found;
  /// The schedule says that it may find nothing.
  bool isOptional = false;
  std::string op; ///< "transform.structured.match"
  int64_t operations = 0;
};

/// Whether the schedule says of `op` why it may find, or do, nothing.
bool isOptional(mlir::Operation *op);

/// What `wanted` picks outside of the sequences that `collect_matching` and
/// `foreach_match` match by, and of what these include: nothing but matching
/// may be in them.
llvm::SmallVector<mlir::Operation *>
outsideMatchers(mlir::ModuleOp schedule,
                llvm::function_ref<bool(mlir::Operation *)> wanted);

/// Adds remarks round every operation that may give an empty handle:
/// `structured.match`, `collect_matching`, `foreach_match`, `select`,
/// `get_parent_op` and `get_consumers_of_result`. The bodies of matchers are
/// left alone.
void instrumentMatches(mlir::ModuleOp schedule);

/// What such a remark says; none: it is another's.
std::optional<MatchRemark> parseMatchRemark(StringRef text);

} // namespace lh

#endif // LH_COMPILER_SESSION_SCHEDULEMATCHES_H
