// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A driver's shared library, opened when it is wanted.
#ifndef LH_RUNTIME_GPU_DRIVERLIBRARY_H
#define LH_RUNTIME_GPU_DRIVERLIBRARY_H

#include "core/support/Diagnostic.h"

namespace lh {

/// Stays open for the rest of the process: drivers don't survive being closed.
class DriverLibrary {
public:
  /// The first of `names` that can be opened; problem() tells when none can.
  explicit DriverLibrary(ArrayRef<std::string> names);

  const std::string &problem() const { return whyNot; }

  /// Sets `function` to the one of that name; a lack goes to missing().
  template <typename Function>
  void bind(Function *&function, const char *name) {
    function = reinterpret_cast<Function *>(find(name));
    if (!function)
      absent += (absent.empty() ? "'" : ", '") + std::string(name) + "'";
  }
  /// As bind(), for what newer drivers have.
  template <typename Function>
  void bindOptional(Function *&function, const char *name) {
    function = reinterpret_cast<Function *>(find(name));
  }

  /// The functions that the library hasn't: "'cuInit', 'cuLaunchKernel'".
  const std::string &missing() const { return absent; }

private:
  void *find(const char *name) const;

  void *handle = nullptr;
  std::string whyNot, absent;
};

} // namespace lh

#endif // LH_RUNTIME_GPU_DRIVERLIBRARY_H
