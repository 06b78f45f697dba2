// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starting an external tool for a `command:` bubble.
#ifndef LH_CLI_EXTERNALCOMMAND_H
#define LH_CLI_EXTERNALCOMMAND_H

#include "core/support/Diagnostic.h"

namespace lh {

/// Runs `words` with `input` on standard input; its standard output. A tool
/// that can't be found, ends with another code than 0, or dies is an error that
/// shows the end of its standard error.
FailureOr<std::string> runExternalCommand(ArrayRef<std::string> words,
                                          StringRef input,
                                          DiagnosticSink &sink);

} // namespace lh

#endif // LH_CLI_EXTERNALCOMMAND_H
