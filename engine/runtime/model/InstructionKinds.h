// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an instruction is, by its text.
#ifndef LH_RUNTIME_MODEL_INSTRUCTIONKINDS_H
#define LH_RUNTIME_MODEL_INSTRUCTIONKINDS_H

#include "core/support/Diagnostic.h"

#include "llvm/TargetParser/Triple.h"

namespace lh {

/// The unit that does it: "sme", "sve", "neon", "rvv" or "scalar". `text` is
/// LLVM's for the instruction: its mnemonic, white space, operands.
StringRef unitOf(llvm::Triple::ArchType architecture, StringRef text);

/// Whether it multiplies and adds, one number or many, of any type.
bool isMultiplyAdd(llvm::Triple::ArchType architecture, StringRef text);

} // namespace lh

#endif // LH_RUNTIME_MODEL_INSTRUCTIONKINDS_H
