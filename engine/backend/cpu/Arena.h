// The memory that compiled code allocates from.
#ifndef LH_BACKEND_CPU_ARENA_H
#define LH_BACKEND_CPU_ARENA_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lh {

/// Hands out blocks aligned to 64 bytes or more and keeps what is released in
/// free lists, so that a repeated call faults in no pages. Thread-safe.
class Arena {
public:
  Arena() = default;
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;
  ~Arena();

  /// Never null: memory that can't be had ends the process as a fatal error,
  /// since compiled code doesn't check.
  void *allocate(size_t size, size_t alignment);
  /// Null is ignored. A pointer that isn't a live block here is a fatal error.
  void release(void *block);
  bool owns(const void *block) const;

  /// New blocks are filled with 0xFF (a NaN of every float type) when set.
  void setPoisoning(bool on) { poisoning = on; }

  size_t liveBlocks() const { return live.size(); }
  size_t liveBytes() const { return inUse; }
  size_t peakBytes() const { return peak; }
  void resetPeak() { peak = inUse; }

  /// Takes back every live block as if it had been released.
  void reclaim();

private:
  using SizeClass = std::pair<size_t, size_t>; ///< bytes, alignment
  struct Block {
    SizeClass sizeClass;
    size_t requested = 0;
  };
  void *takeFree(SizeClass sizeClass);

  mutable std::mutex mutex;
  std::unordered_map<const void *, Block> live;
  std::map<SizeClass, std::vector<void *>> freeLists;
  size_t inUse = 0, peak = 0;
  bool poisoning = false;
};

} // namespace lh

#endif // LH_BACKEND_CPU_ARENA_H
