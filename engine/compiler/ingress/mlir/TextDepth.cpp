// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether MLIR's parser can read a text without running out of stack or memory.
#include "compiler/ingress/mlir/TextDepth.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace lh;

static constexpr int64_t maximumDepth = 500;
static constexpr size_t mostDigits = 5; ///< of a result's number

/// The offset behind the string or comment that begins at `at`; `at` where
/// there is none.
static size_t skipAside(StringRef text, size_t at) {
  if (text.substr(at).starts_with("//"))
    return std::min(text.find('\n', at), text.size());
  if (text[at] != '"')
    return at;
  size_t end = at + 1;
  while (end < text.size() && text[end] != '"')
    end += text[end] == '\\' ? 2 : 1;
  return std::min(end + 1, text.size());
}

/// 1 for an opening bracket at `at`, -1 for a closing one, else 0.
static int bracketAt(StringRef text, size_t at) {
  switch (text[at]) {
  case '(':
  case '[':
  case '{':
  case '<':
    return 1;
  case ')':
  case ']':
  case '}':
    return -1;
  case '>': {
    bool isArrow = at > 0 && text[at - 1] == '-';
    return isArrow || text.substr(at + 1).starts_with("=") ? 0 : -1;
  }
  default:
    return 0;
  }
}

/// Whether a result with a number of more digits than allowed is named at `at`.
static bool namesLateResult(StringRef text, size_t at) {
  if (text[at] != '#' || at == 0 ||
      !(llvm::isAlnum(text[at - 1]) || text[at - 1] == '_'))
    return false;
  StringRef digits = text.substr(at + 1).take_while(llvm::isDigit);
  return digits.ltrim('0').size() > mostDigits;
}

/// Whether `array<index` stands at `at`, on which MLIR 22's parser crashes: only
/// integers and floats have such arrays.
static bool isArrayOfIndex(StringRef text, size_t at) {
  StringRef rest = text.substr(at);
  return rest.consume_front("array<") && rest.ltrim().starts_with("index");
}

std::optional<TextExcess> lh::excessIn(StringRef text) {
  int64_t depth = 0;
  for (size_t at = 0; at < text.size();) {
    size_t behind = skipAside(text, at);
    if (behind != at) {
      at = behind;
      continue;
    }
    depth = std::max<int64_t>(0, depth + bracketAt(text, at));
    if (depth > maximumDepth)
      return TextExcess{at, "brackets are nested more than 500 levels deep"};
    if (namesLateResult(text, at))
      return TextExcess{at, "no operation has so many results"};
    if (isArrayOfIndex(text, at))
      return TextExcess{at, "an 'array<...>' is of integers or floats, not of "
                            "'index'"};
    ++at;
  }
  return std::nullopt;
}

LogicalResult lh::checkTextDepth(const std::string &path,
                                 DiagnosticSink &sink) {
  // The parser itself says what is wrong with a file that can't be read.
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file || (*file)->getBuffer().starts_with("ML\xEFR"))
    return success();
  StringRef text = (*file)->getBuffer();
  std::optional<TextExcess> excess = excessIn(text);
  if (!excess)
    return success();
  StringRef before = text.take_front(excess->at);
  SourceSpan where{path, unsigned(before.count('\n') + 1),
                   unsigned(excess->at - (before.rfind('\n') + 1) + 1), 1};
  return sink.error(DiagKind::IrTooDeep, where, excess->what);
}
