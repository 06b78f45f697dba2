// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the topics' Passes.td have in common.
#ifndef LH_COMPILER_GAPS_GAPPASS_TD
#define LH_COMPILER_GAPS_GAPPASS_TD

include "mlir/Pass/PassBase.td"

/// An option whose default the reference page and --help show.
class GapOption<string variable, string name, string type, string default,
                string meaning>
    : Option<variable, name, type, default,
             meaning # " (" # type # ", default " # default # ")">;

#endif // LH_COMPILER_GAPS_GAPPASS_TD
