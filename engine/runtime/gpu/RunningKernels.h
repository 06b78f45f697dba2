// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that nobody has waited for.
#ifndef LH_RUNTIME_GPU_RUNNINGKERNELS_H
#define LH_RUNTIME_GPU_RUNNINGKERNELS_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <utility>
#include <vector>

namespace lh {

/// Whatever call notices it: a fault is of a kernel that ran before.
class RunningKernels {
public:
  void add(llvm::StringRef name) {
    if (!llvm::is_contained(names, name))
      names.push_back(name.str());
  }
  void clear() { names.clear(); }

  /// " by kernel 'k'", " by one of 'k', 'l'", or nothing; and forgets them.
  std::string takeSuspects() {
    std::string list;
    for (const std::string &name : names)
      list += (list.empty() ? "'" : ", '") + name + "'";
    bool isOne = std::exchange(names, {}).size() == 1;
    return list.empty() ? "" : (isOne ? " by kernel " : " by one of ") + list;
  }

private:
  std::vector<std::string> names;
};

} // namespace lh

#endif // LH_RUNTIME_GPU_RUNNINGKERNELS_H
