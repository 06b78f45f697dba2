// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What this machine can run.
#ifndef LH_RUNTIME_ABI_HOSTFACTS_H
#define LH_RUNTIME_ABI_HOSTFACTS_H

#include "core/support/Diagnostic.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lh {

struct HostFacts {
  std::string arch;   ///< as `uname -m` says: "x86_64", "aarch64"
  std::string triple; ///< LLVM's, of this process
  std::string cpu;    ///< LLVM's name, e.g. "sapphirerapids"
  std::vector<std::string> features; ///< LLVM's names, sorted; those present
  std::vector<std::string> absent;   ///< likewise; those it is known to lack
  unsigned cores = 1;                ///< that this process may use
  int64_t vectorBits = 128;          ///< widest fixed vector registers
  int64_t scalableVectorBits = 0;    ///< as the system sets them; 0: none
  int64_t l1dBytes = 0;              ///< 0: not told by the system
  int64_t l2Bytes = 0;
  /// Of this program, where the runners for other machines lie too.
  std::string programFolder;

  bool has(StringRef feature) const;
};

/// Asks the CPU and the operating system; well under a millisecond.
HostFacts detectHost();

} // namespace lh

#endif // LH_RUNTIME_ABI_HOSTFACTS_H
