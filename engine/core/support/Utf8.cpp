// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text made into valid UTF-8.
#include "core/support/Utf8.h"

#include "llvm/Support/ConvertUTF.h"

using namespace lh;

bool lh::isUtf8(StringRef text) {
  const llvm::UTF8 *begin = text.bytes_begin();
  return llvm::isLegalUTF8String(&begin, text.bytes_end());
}

std::string lh::repairedUtf8(StringRef text) {
  if (isUtf8(text))
    return text.str();
  // No character needs fewer bytes, and none more than four.
  std::vector<llvm::UTF32> characters(text.size());
  const llvm::UTF8 *bytes = text.bytes_begin();
  llvm::UTF32 *end = characters.data();
  llvm::ConvertUTF8toUTF32(&bytes, text.bytes_end(), &end,
                           end + characters.size(), llvm::lenientConversion);
  std::string repaired(4 * characters.size(), '\0');
  const llvm::UTF32 *from = characters.data();
  auto *to = reinterpret_cast<llvm::UTF8 *>(repaired.data());
  llvm::UTF8 *const first = to;
  llvm::ConvertUTF32toUTF8(&from, end, &to, first + repaired.size(),
                           llvm::strictConversion);
  repaired.resize(size_t(to - first));
  return repaired;
}
