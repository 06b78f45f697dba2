// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where an `emit` bubble writes.
#ifndef LH_CORE_PLAN_EMITPATH_H
#define LH_CORE_PLAN_EMITPATH_H

#include "core/support/Diagnostic.h"

namespace lh {

/// The file that `path:` of an `emit` names: below `folder` (empty: the working
/// folder), or "-" for standard output. A manifest may come from anywhere and
/// must not write where its user doesn't look: fails with an error at `where`
/// when `path` is absolute or leads out of `folder`, by '..' or by a symbolic
/// link that is there, or holds control characters.
FailureOr<std::string> emitPlace(StringRef path, StringRef folder,
                                 const SourceSpan &where, DiagnosticSink &sink);

} // namespace lh

#endif // LH_CORE_PLAN_EMITPATH_H
