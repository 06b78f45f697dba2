// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entries of the cache on a server that stores blobs: GET and PUT of URL/KEY.
#ifndef LH_CORE_CACHE_REMOTECACHE_H
#define LH_CORE_CACHE_REMOTECACHE_H

#include "core/support/Diagnostic.h"

namespace lh {

/// `--remote-cache URL[,read-only]`.
struct RemoteCacheAddress {
  std::string url; ///< without a '/' at its end
  bool isReadOnly = false;
};

/// Nothing unless it is of http or https.
std::optional<RemoteCacheAddress> parseRemoteCache(StringRef text);

/// Never needed: what fails leaves it off for the rest of the run. A server
/// that doesn't answer in a second, or sends nothing for five, has failed.
/// Names and passwords are those of ~/.netrc.
class RemoteCache {
public:
  explicit RemoteCache(RemoteCacheAddress address);

  /// Asks for all keys at once; `found` is told of each that is there.
  void fetch(ArrayRef<std::string> keys,
             llvm::function_ref<void(StringRef key, StringRef bytes)> found);

  /// Sends entries, where the address isn't read-only; `bytesOf` gives each.
  void store(ArrayRef<std::string> keys,
             llvm::function_ref<std::string(StringRef key)> bytesOf);

  /// Why it is off; empty: it isn't.
  const std::string &problem() const { return whyOff; }
  const std::string &url() const { return address.url; }

private:
  RemoteCacheAddress address;
  std::string whyOff;
};

} // namespace lh

#endif // LH_CORE_CACHE_REMOTECACHE_H
