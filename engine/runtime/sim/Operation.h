// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What device code may call on a GPU, and how a simulation answers.
#ifndef LH_RUNTIME_SIM_OPERATION_H
#define LH_RUNTIME_SIM_OPERATION_H

#include "runtime/sim/Chip.h"

#include "llvm/ADT/SmallVector.h"

#include <array>
#include <cstring>
#include <functional>

namespace lh {

struct SimThread;
struct SimOperation;
class SimBlock;

/// An instruction of a kernel that calls the simulation. The compiled code
/// holds its address.
struct SimSite {
  std::string text;   ///< the instruction
  std::string where;  ///< "file:line:column", or empty
  uint64_t order = 0; ///< position in the module's text
  const SimOperation *operation = nullptr;
  std::vector<uint32_t> arguments; ///< where each is in the call's frame
  uint32_t result = 0;             ///< where it goes in the frame
  bool hasResult = false;
  uint32_t bytes = 0, alignment = 1; ///< of an access to memory
  bool writes = false, atomic = false;
};

/// One call of an operation by one thread: its arguments' values, and room for
/// the result, in the caller's frame.
struct SimCall {
  const SimSite *site = nullptr;
  char *frame = nullptr;

  template <typename T> T get(size_t argument, size_t offset = 0) const {
    T value;
    std::memcpy(&value, frame + site->arguments[argument] + offset, sizeof(T));
    return value;
  }
  const char *at(size_t argument) const {
    return frame + site->arguments[argument];
  }
  size_t argumentCount() const { return site->arguments.size(); }
  template <typename T> void put(T value, size_t offset = 0) const {
    std::memcpy(result() + offset, &value, sizeof(T));
  }
  char *result() const { return frame + site->result; }
};

/// Lanes of a warp of NVIDIA's chips.
inline constexpr unsigned warpLanes = 32;

/// A collective with the threads that do it: those of a warp by lane, or those
/// of a warpgroup. Threads that don't take part are null.
struct SimGathering {
  SimBlock &block;
  llvm::SmallVector<SimThread *, 64> lanes;

  unsigned size() const { return static_cast<unsigned>(lanes.size()); }
  SimCall call(unsigned lane) const;
  template <typename T>
  T get(unsigned lane, size_t argument, size_t offset = 0) const {
    return call(lane).get<T>(argument, offset);
  }
  template <typename T>
  void put(unsigned lane, T value, size_t offset = 0) const {
    call(lane).put(value, offset);
  }
};

struct SimOperation {
  /// Who does it together.
  enum class Reach {
    Thread,
    Members,   ///< the lanes named by a mask
    Warp,      ///< all lanes, at one instruction
    Warpgroup, ///< all lanes of four warps, at one instruction
    Active,    ///< the lanes that get there together
  };
  using ForThread = std::function<void(SimThread &, const SimCall &)>;
  using ForLanes = std::function<void(const SimGathering &)>;

  Reach reach = Reach::Thread;
  unsigned maskArgument = 0; ///< of Reach::Members
  ForThread thread;          ///< of Reach::Thread
  ForLanes lanes;            ///< of all others

  static SimOperation ofThread(ForThread does) {
    return {.thread = std::move(does), .lanes = {}};
  }
  static SimOperation of(Reach reach, ForLanes does,
                         unsigned maskArgument = 0) {
    return {reach, maskArgument, {}, std::move(does)};
  }
};

/// What device code calls: an intrinsic, a library's function, or inline
/// assembly (`name` is its text then).
struct SimOperationName {
  std::string name;
  std::string constraints; ///< of inline assembly
  bool isAssembly() const { return !constraints.empty() || assembly; }
  bool assembly = false;
};

/// None: it isn't simulated on this chip.
std::optional<SimOperation> findOperation(const SimOperationName &name,
                                          const SimChip &chip);

} // namespace lh

#endif // LH_RUNTIME_SIM_OPERATION_H
