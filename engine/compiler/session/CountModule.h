// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a module holds, in numbers.
#ifndef LH_COMPILER_SESSION_COUNTMODULE_H
#define LH_COMPILER_SESSION_COUNTMODULE_H

#include "core/plan/RunRecord.h"

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace lh {

/// One walk: operations by dialect, without the module itself.
ModuleCount countModule(mlir::ModuleOp module);

} // namespace lh

#endif // LH_COMPILER_SESSION_COUNTMODULE_H
