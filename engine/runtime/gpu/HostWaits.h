// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where host code waits for the device.
#ifndef LH_RUNTIME_GPU_HOSTWAITS_H
#define LH_RUNTIME_GPU_HOSTWAITS_H

namespace llvm {
class Module;
} // namespace llvm

namespace lh {

/// Puts a call of `lh_device_wait` before whatever reads or writes memory that
/// the device may be working on, so that launches can follow each other
/// without the host. Memory is the device's unless it is seen to be the
/// stack's or a variable's. What copies between two blocks of the device's
/// becomes a copy on the device, in order with the launches. After the
/// allocator has been bound; entries that only unpack arguments are left alone.
void placeWaits(llvm::Module &module);

} // namespace lh

#endif // LH_RUNTIME_GPU_HOSTWAITS_H
