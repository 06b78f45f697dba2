// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operations that a model consists of.
#ifndef LH_COMPILER_SESSION_MODELOPS_H
#define LH_COMPILER_SESSION_MODELOPS_H

#include "compiler/session/MlirSession.h"

#include <set>
#include <string>

namespace lh {

/// The names of the operations in the model at `path`: "linalg.matmul" of an
/// MLIR file, "onnx.Conv" or "com.me.Foo" of an ONNX file, with those inside
/// others. Fails, after a diagnostic, when the file can't be read.
FailureOr<std::set<std::string>>
opsOfModel(const std::string &path, MlirSession &session, DiagnosticSink &sink);

} // namespace lh

#endif // LH_COMPILER_SESSION_MODELOPS_H
