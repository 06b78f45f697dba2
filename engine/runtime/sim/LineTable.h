// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is known of some lines of global memory, found by their number.
#ifndef LH_RUNTIME_SIM_LINETABLE_H
#define LH_RUNTIME_SIM_LINETABLE_H

#include <cstdint>
#include <vector>

namespace lh {

/// Lines are 64 bytes of device memory: sets of their bytes are 64 bits wide.
struct SimLineTableBase {
  static constexpr uint64_t lineBytes = 64;
};

/// A hash table from line numbers to what is known of them. Emptying it takes
/// no time, and what it took stays for the next lines.
template <typename Line> class SimLineTable : public SimLineTableBase {
public:
  struct Entry {
    uint64_t number = 0; ///< of the line: its address divided by its bytes
    Line line;
  };

  void clear() {
    used = 0;
    ++generation;
  }

  /// In the order in which they were first asked for.
  const Entry *begin() const { return entries.data(); }
  const Entry *end() const { return entries.data() + used; }

  /// A new one is as `Line()` makes it. Good until the next call.
  Line &operator[](uint64_t number) {
    if (used >= slots.size() / 2)
      grow();
    Slot &slot = find(number);
    if (slot.generation != generation) {
      if (used == entries.size())
        entries.emplace_back();
      entries[used] = {number, Line()};
      slot = {number, generation, used++};
    }
    return entries[slot.entry].line;
  }

private:
  struct Slot {
    uint64_t number = 0;
    uint32_t generation = 0, entry = 0;
  };

  /// Where `number` is, or may be put.
  Slot &find(uint64_t number) {
    uint64_t mask = slots.size() - 1;
    uint64_t at = number * 0x9E3779B97F4A7C15u >> 32;
    while (slots[at & mask].generation == generation &&
           slots[at & mask].number != number)
      ++at;
    return slots[at & mask];
  }

  void grow() {
    slots.assign(slots.empty() ? 1024 : 2 * slots.size(), Slot());
    generation = 1;
    for (uint32_t i = 0; i < used; ++i)
      find(entries[i].number) = {entries[i].number, generation, i};
  }

  std::vector<Slot> slots; ///< as many as a power of two; half are free
  std::vector<Entry> entries;
  uint32_t used = 0, generation = 1;
};

} // namespace lh

#endif // LH_RUNTIME_SIM_LINETABLE_H
