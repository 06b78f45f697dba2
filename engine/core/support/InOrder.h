// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes many things on all processors, and takes them one by one.
#ifndef LH_CORE_SUPPORT_INORDER_H
#define LH_CORE_SUPPORT_INORDER_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>
#include <vector>

namespace lh {

/// Calls `take` with make(0), make(1), ..., one after the other, on this
/// thread. `make` runs on several at once, and never far ahead of `take`, so
/// that few of the things are in memory. For processes that fork no more.
template <typename Thing>
void makeInOrder(size_t count, llvm::function_ref<Thing(size_t)> make,
                 llvm::function_ref<void(Thing &&)> take) {
  constexpr size_t mostAhead = 64;
  size_t threads = std::max(1U, std::thread::hardware_concurrency());
  for (size_t first = 0; first < count; first += mostAhead) {
    std::vector<std::optional<Thing>> things(
        std::min(mostAhead, count - first));
    std::atomic<size_t> next = 0;
    auto work = [&] {
      for (size_t i = next++; i < things.size(); i = next++)
        things[i].emplace(make(first + i));
    };
    std::vector<std::thread> helpers;
    for (size_t i = 1; i < std::min(threads, things.size()); ++i)
      helpers.emplace_back(work);
    work();
    for (std::thread &helper : helpers)
      helper.join();
    for (std::optional<Thing> &thing : things)
      take(std::move(*thing));
  }
}

} // namespace lh

#endif // LH_CORE_SUPPORT_INORDER_H
