// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The list of backends.
#ifndef LH_RUNTIME_BACKENDS_H
#define LH_RUNTIME_BACKENDS_H

#include "runtime/abi/Backend.h"
#include "runtime/abi/HostFacts.h"

namespace lh {

/// All backends of the engine. `devices`: which GPUs code runs on.
/// `allowsExec`: whether code may have kernels' shared libraries loaded, and
/// targets' programs started.
BackendRegistry makeBackends(const HostFacts &host,
                             DeviceChoice devices = DeviceChoice::Auto,
                             bool allowsExec = false);

} // namespace lh

#endif // LH_RUNTIME_BACKENDS_H
