// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Takes names out of their mangled form.
#include "runtime/sim/OpenCl.h"

using namespace lh;

StringRef lh::openClFunction(StringRef mangled) {
  size_t length = 0;
  if (!mangled.consume_front("_Z") || mangled.consumeInteger(10, length))
    return "";
  return length < mangled.size() ? mangled.take_front(length) : "";
}
