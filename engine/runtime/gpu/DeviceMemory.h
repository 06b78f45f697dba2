// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A device's memory as compiled code's and the engine's.
#ifndef LH_RUNTIME_GPU_DEVICEMEMORY_H
#define LH_RUNTIME_GPU_DEVICEMEMORY_H

#include "runtime/abi/Device.h"
#include "runtime/abi/MemorySource.h"

#include <unordered_map>

namespace lh {

/// Takes blocks from a device that is opened later. One that can't be had is
/// reported; in host code that ends the call, elsewhere it is null.
class DeviceMemory : public MemorySource {
public:
  /// Both borrowed. Null: there is no device any more.
  void attach(Device *from, DiagnosticSink *sink) {
    device = from;
    this->sink = sink;
  }

  void *take(size_t bytes, size_t alignment) override;
  void giveBack(void *block) override;
  /// Of host code's launches; without host code there are none.
  void settle() override;
  void confine(void *part, size_t bytes) override;

private:
  Device *device = nullptr;
  DiagnosticSink *sink = nullptr;
  std::unordered_map<void *, void *> allocated; ///< by the address handed out
};

} // namespace lh

#endif // LH_RUNTIME_GPU_DEVICEMEMORY_H
