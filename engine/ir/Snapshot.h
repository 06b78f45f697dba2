// The module's text between steps, for reports.
#ifndef LH_IR_SNAPSHOT_H
#define LH_IR_SNAPSHOT_H

#include "plan/Plan.h"

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace lh {

/// Writes `<folder>/<step>-<bubble>.mlir`, without what large constants hold,
/// and returns its path. What can't be written costs a warning, and gives "".
std::string writeSnapshot(mlir::ModuleOp module, const Step &step,
                          StringRef folder, DiagnosticSink &sink);

} // namespace lh

#endif // LH_IR_SNAPSHOT_H
