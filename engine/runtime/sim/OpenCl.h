// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OpenCL C's functions, as code for Intel's GPUs calls them.
#ifndef LH_RUNTIME_SIM_OPENCL_H
#define LH_RUNTIME_SIM_OPENCL_H

#include "core/support/Diagnostic.h"

namespace lh {

/// "get_local_id" of "_Z12get_local_idj": Itanium C++ ABI, "Mangling". Empty
/// for a name of another form.
StringRef openClFunction(StringRef mangled);

} // namespace lh

#endif // LH_RUNTIME_SIM_OPENCL_H
