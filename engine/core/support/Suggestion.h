// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// "Did you mean", as long as somebody reads it.
#ifndef LH_CORE_SUPPORT_SUGGESTION_H
#define LH_CORE_SUPPORT_SUGGESTION_H

#include "core/support/Diagnostic.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace lh {

/// didYouMean() of `seen` for an error that is about to go to `sink`; nothing
/// after so many errors that no more are shown. Each suggestion takes a look at
/// all candidates: N wrong names among N right ones must not take N squared.
std::string
suggestionFor(StringRef seen, const DiagnosticSink &sink,
              llvm::function_ref<std::vector<StringRef>()> candidates);

} // namespace lh

#endif // LH_CORE_SUPPORT_SUGGESTION_H
