// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fields of JSON that lh-run wrote for itself: what is absent or of another
// type is empty, as whoever reads it checks the whole.
#ifndef LH_CORE_EXEC_JSONFIELDS_H
#define LH_CORE_EXEC_JSONFIELDS_H

#include "llvm/Support/JSON.h"

#include <string>

namespace lh {

inline std::string textFrom(const llvm::json::Object &object,
                            llvm::StringRef key) {
  return object.getString(key).value_or("").str();
}

inline std::string textAt(const llvm::json::Array &array, size_t i) {
  return i < array.size() ? array[i].getAsString().value_or("").str() : "";
}

inline unsigned numberAt(const llvm::json::Array &array, size_t i) {
  return i < array.size()
             ? static_cast<unsigned>(array[i].getAsInteger().value_or(0))
             : 0;
}

} // namespace lh

#endif // LH_CORE_EXEC_JSONFIELDS_H
