// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether MLIR's recursive parser can read a text without running out of stack.
#include "compiler/ingress/mlir/TextDepth.h"

#include "llvm/Support/MemoryBuffer.h"

using namespace lh;

static constexpr int64_t maximumDepth = 500;

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

std::optional<size_t> lh::tooDeepAt(StringRef text) {
  int64_t depth = 0;
  for (size_t at = 0; at < text.size();) {
    size_t behind = skipAside(text, at);
    if (behind != at) {
      at = behind;
      continue;
    }
    depth = std::max<int64_t>(0, depth + bracketAt(text, at));
    if (depth > maximumDepth)
      return at;
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
  std::optional<size_t> at = tooDeepAt(text);
  if (!at)
    return success();
  StringRef before = text.take_front(*at);
  SourceSpan where{path, unsigned(before.count('\n') + 1),
                   unsigned(*at - (before.rfind('\n') + 1) + 1), 1};
  return sink.error(DiagKind::IrTooDeep, where,
                    "brackets are nested more than " + Twine(maximumDepth) +
                        " levels deep");
}
