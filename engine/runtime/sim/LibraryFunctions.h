// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vendors' math libraries, by the host's.
#ifndef LH_RUNTIME_SIM_LIBRARYFUNCTIONS_H
#define LH_RUNTIME_SIM_LIBRARYFUNCTIONS_H

#include "core/support/Diagnostic.h"

namespace llvm {
class CallBase;
class Module;
} // namespace llvm

namespace lh {

/// Whether a vendor's math library has it: libdevice, or AMD's ocml and ockl.
bool isLibraryFunction(StringRef name);

/// What stands before such a name in bitcode for a simulated device.
constexpr StringRef hiddenMark = "lh.";

/// Gives hidden functions their real names.
void showLibraryFunctions(llvm::Module &module);

/// Makes a call of libdevice (`__nv_expf`) or of AMD's device libraries
/// (`__ocml_exp_f32`) one of the host's libm. False where that has no such
/// function.
bool useHostFunction(llvm::CallBase &call);

} // namespace lh

#endif // LH_RUNTIME_SIM_LIBRARYFUNCTIONS_H
