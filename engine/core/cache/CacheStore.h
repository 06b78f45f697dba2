// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A folder of entries by key, which several processes may use at a time.
#ifndef LH_CORE_CACHE_CACHESTORE_H
#define LH_CORE_CACHE_CACHESTORE_H

#include "core/support/Diagnostic.h"

#include "llvm/Support/MemoryBuffer.h"

#include <unistd.h>

#include <functional>
#include <memory>
#include <optional>

namespace lh {

/// What an entry says of itself, and how much it holds besides.
struct CacheHead {
  std::string about;
  uint64_t contentBytes = 0;
};

enum class CacheLookup { Found, Missing, Damaged };

/// Each entry is one file, which appears whole, by a rename, and carries hashes
/// of all its bytes: what a killed process, a full disk or another hand left
/// is either not found or found to be damaged. Nothing is locked.
///
/// Entries are code, and hashes tell nothing of who made them: only regular
/// files are read, and only what `owner` alone may have written.
///
/// Made before a run's processes fork, since they count together.
class CacheStore {
public:
  /// Makes `folder` when it is missing. `mostBytes` bounds what trim() leaves.
  /// Without an `owner` whoever may write to the folder is trusted.
  CacheStore(std::string folder, uint64_t mostBytes,
             std::optional<uid_t> owner = geteuid());
  ~CacheStore();
  CacheStore(const CacheStore &) = delete;
  CacheStore &operator=(const CacheStore &) = delete;

  const std::string &folder() const { return place; }

  /// Why nothing can be kept, found by trying; empty when it can.
  const std::string &whyUnusable() const { return problem; }

  /// Why the folder is not used, or entries are not: another user may have
  /// written them. In all processes of the run; empty when all are trusted.
  std::string whyNotPrivate() const;

  /// Reads what the entry says of itself, and counts it as used just now.
  CacheLookup find(StringRef key, CacheHead &head);

  /// Reads what the entry holds, for which the memory is aligned to 64 bytes.
  CacheLookup read(StringRef key, std::unique_ptr<llvm::MemoryBuffer> &content);

  /// Keeps an entry in place of an older one. A failure is counted, and shows
  /// in failures(). Does nothing when the store is unusable.
  void put(StringRef key, StringRef about, StringRef content);

  /// Whether there is such an entry, whatever it holds.
  bool has(StringRef key) const;

  /// The entry as a whole, for another store; empty when it isn't there.
  std::string bytesOf(StringRef key) const;

  /// Keeps what another store's bytesOf() gave. False when it is damaged.
  bool adopt(StringRef key, StringRef bytes);

  void remove(StringRef key);

  /// Why entries could not be kept, in all processes of the run: how many, and
  /// the reason of one; empty when all could.
  std::string failures() const;

  /// At the end of a run: when there is more than `mostBytes`, drops what was
  /// used least recently until a tenth is free. Looks at the folder only when
  /// what it remembers, and what this run has put, says that it may be full.
  void trim();

  /// Calls `visit` with what every entry says of itself and when it was last
  /// used, in nanoseconds. Reads the whole folder.
  void forEach(
      const std::function<void(StringRef about, int64_t usedAt)> &visit) const;

private:
  struct Shared;

  bool isUsable() const { return problem.empty() && refusal.empty(); }
  int openEntry(const std::string &path) const;
  std::string fileOf(StringRef key) const;
  std::string tryPut(StringRef key, StringRef about, StringRef content);
  std::string tryWrite(StringRef key, ArrayRef<StringRef> parts);
  uint64_t dropOldest() const;

  std::string place;
  uint64_t mostBytes;
  std::optional<uid_t> owner;
  std::string problem;
  std::string refusal; ///< why the whole folder is not trusted
  Shared *shared;      ///< in memory that processes share
};

} // namespace lh

#endif // LH_CORE_CACHE_CACHESTORE_H
