// Vendors' math libraries, by the host's.
#ifndef LH_BACKEND_GPU_SIM_LIBRARYFUNCTIONS_H
#define LH_BACKEND_GPU_SIM_LIBRARYFUNCTIONS_H

#include "support/Diagnostic.h"

namespace llvm {
class CallBase;
} // namespace llvm

namespace lh {

/// Makes a call of libdevice (`__nv_expf`) or of AMD's device libraries
/// (`__ocml_exp_f32`) one of the host's libm. False where that has no such
/// function.
bool useHostFunction(llvm::CallBase &call);

} // namespace lh

#endif // LH_BACKEND_GPU_SIM_LIBRARYFUNCTIONS_H
