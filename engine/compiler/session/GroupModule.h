// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A node of a model, with what is computed along with it, as a module.
#ifndef LH_COMPILER_SESSION_GROUPMODULE_H
#define LH_COMPILER_SESSION_GROUPMODULE_H

#include "core/support/Diagnostic.h"

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace lh {

/// The ops of `entry` in `model`, as it was imported, that come from `node`,
/// with what they need of weights, constants and sizes, and with the
/// elementwise ops that follow one by one: as bytecode of a module whose entry
/// has the same name. What comes from other nodes is an input, weights stay in
/// their files. With `channelsLast` images come and go with their channels
/// innermost, as between the nodes of a net that was laid out so. Why there
/// can't be one, in `whyNot`.
std::string groupModule(mlir::ModuleOp model, StringRef entry, StringRef node,
                        bool channelsLast, std::string &whyNot);

} // namespace lh

#endif // LH_COMPILER_SESSION_GROUPMODULE_H
