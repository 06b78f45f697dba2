// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Words for a POSIX shell.
#include "core/support/Shell.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace lh;

std::string lh::shellWord(StringRef text) {
  bool isPlain = !text.empty() && llvm::all_of(text, [](char c) {
    return llvm::isAlnum(c) || StringRef("_-./+:,=@%").contains(c);
  });
  if (isPlain)
    return text.str();
  std::string word = "'";
  for (char c : text)
    word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

std::string lh::shellLine(ArrayRef<std::string> words) {
  std::vector<std::string> quoted;
  for (const std::string &word : words)
    quoted.push_back(shellWord(word));
  return llvm::join(quoted, " ");
}
