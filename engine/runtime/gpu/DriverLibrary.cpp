// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dlopen and dlsym.
#include "runtime/gpu/DriverLibrary.h"

#include <dlfcn.h>

using namespace lh;

DriverLibrary::DriverLibrary(ArrayRef<std::string> names) {
  for (const std::string &name : names) {
    handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle) {
      whyNot.clear();
      return;
    }
    if (whyNot.empty())
      whyNot = dlerror();
  }
}

void *DriverLibrary::find(const char *name) const {
  return handle ? dlsym(handle, name) : nullptr;
}
