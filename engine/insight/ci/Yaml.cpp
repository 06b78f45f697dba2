// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texts and lists for YAML, in the form that it shares with JSON.
#include "insight/ci/Yaml.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace lh;

std::string lh::yamlText(StringRef text) {
  llvm::SmallVector<llvm::UTF16> units;
  llvm::convertUTF8ToUTF16String(llvm::json::fixUTF8(text), units);
  std::string quoted;
  llvm::raw_string_ostream stream(quoted);
  stream << '"';
  for (llvm::UTF16 unit : units)
    if (unit == '"' || unit == '\\')
      stream << '\\' << char(unit);
    else if (unit == '\n')
      stream << "\\n";
    else if (unit >= 0x20 && unit < 0x7f)
      stream << char(unit);
    else
      stream << llvm::format("\\u%04x", unsigned(unit));
  stream << '"';
  return quoted;
}

std::string lh::yamlList(ArrayRef<std::string> texts) {
  std::vector<std::string> items;
  for (const std::string &text : texts)
    items.push_back(yamlText(text));
  return "[" + llvm::join(items, ", ") + "]";
}
