// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a schedule looks for, before it is applied: is there any such thing?
#ifndef LH_COMPILER_SESSION_MATCHEDOPS_H
#define LH_COMPILER_SESSION_MATCHEDOPS_H

#include "core/manifest/Manifest.h"

#include "mlir/IR/BuiltinOps.h"

namespace lh {

/// didYouMean() of an operation's name that no dialect has.
std::string didYouMeanOperation(StringRef name, mlir::MLIRContext &context);

/// Reports each name of an operation that `schedule` looks for and that no
/// dialect has. A schedule that wants nothing to be found looks for 'lh.none'.
LogicalResult checkMatchedNames(mlir::ModuleOp schedule, DiagnosticSink &sink);

/// Reports each search of the sequence `entry` for operations that `required`,
/// the form of the module that it is applied to, rules out. Searches behind
/// what may change the module are passed over, and those that are optional.
LogicalResult checkMatchesFit(mlir::Operation *entry, const FormDecl &required,
                              DiagnosticSink &sink);

} // namespace lh

#endif // LH_COMPILER_SESSION_MATCHEDOPS_H
