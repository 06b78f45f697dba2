// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The list of backends.
#include "runtime/Backends.h"

#include "runtime/CpuBackend.h"
#include "runtime/external/ExternalBackend.h"
#include "runtime/gpu/GpuBackend.h"

#include <cstdlib>

using namespace lh;

BackendRegistry lh::makeBackends(const HostFacts &host, DeviceChoice devices,
                                 bool allowsExec) {
  BackendRegistry backends;
  DeviceTools tools = findDeviceTools(
      [](const char *name) -> const char * { return std::getenv(name); });
  backends.add(makeCpuBackend(host, allowsExec));
  for (Vendor vendor : allVendors)
    backends.add(makeGpuBackend(vendor, host, tools, devices));
  backends.add(makeExternalBackend(host, allowsExec));
  return backends;
}
