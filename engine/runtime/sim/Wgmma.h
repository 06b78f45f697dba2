// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hopper's matrix products of four warps, from shared memory.
#ifndef LH_RUNTIME_SIM_WGMMA_H
#define LH_RUNTIME_SIM_WGMMA_H

#include "runtime/sim/MatrixLayout.h"
#include "runtime/sim/Operation.h"
#include "runtime/sim/TensorMaps.h"

#include <deque>

namespace lh {

/// A matrix in shared memory: PTX ISA, "Matrix Descriptor Format".
struct WgmmaDescriptor {
  uint64_t start = 0;   ///< offset in shared memory
  uint64_t leading = 0; ///< "leading dimension byte offset"
  uint64_t stride = 0;  ///< "stride dimension byte offset"
  SimSwizzle swizzle = SimSwizzle::None;

  static WgmmaDescriptor decode(uint64_t bits);
  /// Offset of 2-byte or 4-byte element (outer, k), before swizzling. `kMajor`:
  /// elements along k lie side by side.
  uint64_t offset(unsigned outer, unsigned k, unsigned elementBytes,
                  bool kMajor) const;
};

/// PTX ISA, "Register fragments for wgmma.mma_async.m64n*k16": D.
inline MatrixPlace wgmmaPlaceOfD(unsigned thread, unsigned index) {
  unsigned warp = thread / 32, lane = thread % 32;
  return {warp * 16 + lane / 4 + 8 * (index / 2 % 2),
          index / 4 * 8 + lane % 4 * 2 + index % 2};
}

/// What one thread has begun: products by group, each with the tick of the
/// engine that does it.
class SimWgmmaGroups {
public:
  struct Product {
    const SimSite *site = nullptr;
    unsigned actor = 0;
    uint32_t tick = 0;
  };

  void begin() {
    open.clear();
    groups.clear();
    fenced = false;
  }
  void add(const Product &product) { open.push_back(product); }
  void commit() {
    groups.push_back(std::move(open));
    open.clear();
  }
  std::optional<std::vector<Product>> retire(size_t atMost) {
    if (groups.size() <= atMost)
      return std::nullopt;
    std::vector<Product> oldest = std::move(groups.front());
    groups.pop_front();
    return oldest;
  }
  /// Whether a product of instruction `site` hasn't been waited for.
  bool isPending(const SimSite *site) const;

  bool fenced = false; ///< registers are ordered with products

private:
  std::vector<Product> open;
  std::deque<std::vector<Product>> groups;
};

/// Checks, where accumulators are used, that the product (the first argument:
/// its site's order) was waited for. Called by instrumented code.
SimOperation accumulatorCheck();

} // namespace lh

#endif // LH_RUNTIME_SIM_WGMMA_H
