// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Aligns what a device allocates.
#include "runtime/gpu/DeviceMemory.h"

#include "runtime/cpu/GuardedCall.h"
#include "runtime/gpu/HostRuntime.h"

#include "llvm/Support/MathExtras.h"

#include <cassert>

using namespace lh;

void *DeviceMemory::take(size_t bytes, size_t alignment) {
  constexpr size_t deviceAlignment = 256; // see Device::allocate
  assert(device && "memory is asked for when there is no device");
  size_t extra = alignment > deviceAlignment ? alignment : 0;
  void *block = device->allocate(bytes + extra, *sink);
  if (!block) {
    if (hasHostRuntime())
      leaveGuardedCall();
    return nullptr;
  }
  void *aligned = reinterpret_cast<void *>(
      llvm::alignTo(reinterpret_cast<uintptr_t>(block), alignment));
  allocated[aligned] = block;
  return aligned;
}

void DeviceMemory::settle() {
  if (hasHostRuntime())
    waitForDevice();
}

void DeviceMemory::confine(void *part, size_t bytes) {
  if (!device || !device->isSimulated())
    return;
  settle(); // what was launched uses the block as it was
  device->confine(part, bytes);
}

void DeviceMemory::giveBack(void *block) {
  auto entry = allocated.find(block);
  if (entry == allocated.end())
    return;
  if (device)
    device->release(entry->second);
  allocated.erase(entry);
}
