// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The process's standard streams: there, and standard output for results alone.
#ifndef LH_CORE_SUPPORT_STANDARDSTREAMS_H
#define LH_CORE_SUPPORT_STANDARDSTREAMS_H

#include "core/support/Diagnostic.h"

#include "llvm/Support/raw_ostream.h"

namespace lh {

/// For the beginning of main, before anything opens a file. A standard stream
/// that the process lacks becomes /dev/null: else the next file that is opened
/// would be taken for it. Standard output is put aside for standardOutput(),
/// and whatever else writes to descriptor 1 (a plugin, a library, a tool)
/// writes to standard error.
void setUpStandardStreams();

/// What the process was given as standard output; unbuffered.
llvm::raw_fd_ostream &standardOutput();

/// Writes all of `contents` to standardOutput(). Fails with an error at
/// `from`.
LogicalResult writeToStandardOutput(StringRef contents, const SourceSpan &from,
                                    DiagnosticSink &sink);

/// Writes out what `stream` still holds, and forgets what went wrong there.
/// Fails with an error when anything that was written to it was lost; `name`
/// says what it is.
LogicalResult flushAll(llvm::raw_fd_ostream &stream, StringRef name,
                       const SourceSpan &from, DiagnosticSink &sink);

} // namespace lh

#endif // LH_CORE_SUPPORT_STANDARDSTREAMS_H
