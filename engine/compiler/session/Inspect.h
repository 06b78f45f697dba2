// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is in a module after a step, kept for `explain`.
#ifndef LH_COMPILER_SESSION_INSPECT_H
#define LH_COMPILER_SESSION_INSPECT_H

#include "core/plan/Plan.h"

#include "mlir/IR/Location.h"

#include <set>

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace lh {

/// The names in a location (ONNX nodes) or, in code that has none, its places:
/// "file.mlir:12".
std::set<std::string> originsOf(mlir::Location location);

struct InspectOptions {
  std::string folder; ///< an existing one; empty: nothing is kept
  bool keepsText = false;
  bool keepsOrigins = false;
};

/// Writes `<folder>/<step>.mlir`, the module's text without what large
/// constants hold, and `<folder>/<step>.json`, its operations by where they
/// come from: [[origin, operation, how many], ...]. An origin is the name of an
/// ONNX node or, in code that has no names, "file:line"; an operation that
/// comes from several counts for each. What can't be written is not there.
void inspectModule(mlir::ModuleOp module, const Step &step,
                   const InspectOptions &options);

} // namespace lh

#endif // LH_COMPILER_SESSION_INSPECT_H
