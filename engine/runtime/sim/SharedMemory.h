// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shared memory of one block, and what is known of each of its words.
#ifndef LH_RUNTIME_SIM_SHAREDMEMORY_H
#define LH_RUNTIME_SIM_SHAREDMEMORY_H

#include "runtime/abi/Poison.h"
#include "runtime/sim/Accesses.h"

namespace lh {

/// Where a kernel's shared buffers lie.
struct SimSharedLayout {
  struct Buffer {
    uint64_t begin = 0, bytes = 0;
  };
  std::vector<Buffer> buffers; ///< ascending, none next to another
};

/// A window of 256 KiB below 2 GiB, aligned to its size: 32 bits can address
/// it, and 18 bits are the offset in it. Bytes outside buffers can't be used.
class SimSharedMemory {
public:
  static constexpr uint64_t windowBytes = 256 << 10;

  SimSharedMemory();
  ~SimSharedMemory();
  SimSharedMemory(const SimSharedMemory &) = delete;

  /// False when the host has no room for it.
  bool isMapped() const { return window != nullptr; }
  char *base() const { return window; }
  bool contains(const void *address) const {
    return reinterpret_cast<uintptr_t>(address) -
               reinterpret_cast<uintptr_t>(window) <
           windowBytes;
  }

  /// A new block: the buffers hold this poison, and nothing is in flight.
  void begin(const SimSharedLayout &layout, Poison poison);
  /// Forgets all stamps: the clocks have begun anew.
  void forget();

  /// Checks and notes an access by the actor of `stamp`, at `stamp`.
  std::optional<SimAccessProblem> touch(const void *address, uint64_t bytes,
                                        SimTouch how, SimStamp stamp,
                                        const SimClocks &clocks);
  /// An asynchronous copy's bytes have arrived: they count as written at
  /// `stamp`.
  void land(const void *address, uint64_t bytes, SimStamp stamp);

private:
  std::optional<SimAccessProblem> checkState(uint64_t offset,
                                             uint64_t bytes) const;
  std::string place(uint64_t offset) const;
  std::byte *bytesAt(uint64_t offset) {
    return reinterpret_cast<std::byte *>(window + offset);
  }

  char *window = nullptr;
  SimSharedLayout layout;
  uint64_t used = 0;
  Poison poison = Poison::NotANumber;
  std::vector<SimWord> words;
  std::vector<uint8_t> states; ///< per word: bytes in buffers, bytes in flight
};

} // namespace lh

#endif // LH_RUNTIME_SIM_SHAREDMEMORY_H
