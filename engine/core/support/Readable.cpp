// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text from users' files cut to what a reader takes in.
#include "core/support/Readable.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace lh;

static constexpr size_t longestQuote = 200, longestMessage = 2000;
static constexpr size_t longestLine = 500, excerptBefore = 60, excerpt = 160;

/// The last place at or before `position` where a character of UTF-8 begins.
static size_t characterStart(StringRef text, size_t position) {
  while (position > 0 && position < text.size() &&
         (static_cast<unsigned char>(text[position]) & 0xC0) == 0x80)
    --position;
  return position;
}

/// Characters stay whole.
static std::string withoutMiddle(StringRef text, size_t most) {
  if (text.size() <= most)
    return text.str();
  size_t head = characterStart(text, most * 2 / 3);
  size_t tail = characterStart(text, text.size() - most / 4);
  return (text.take_front(head) + "..." + text.drop_front(tail)).str();
}

/// The next quotation mark from `position` on: an apostrophe within a word is
/// none.
static size_t findQuote(StringRef text, size_t position) {
  for (; position < text.size(); ++position) {
    if (text[position] != '\'')
      continue;
    bool inWord = position > 0 && position + 1 < text.size() &&
                  llvm::isAlpha(text[position - 1]) &&
                  llvm::isAlpha(text[position + 1]);
    if (!inWord)
      return position;
  }
  return StringRef::npos;
}

std::string lh::readableMessage(StringRef message) {
  if (message.size() <= longestQuote)
    return message.str();
  std::string text;
  size_t position = 0;
  while (position < message.size()) {
    size_t open = findQuote(message, position);
    size_t close =
        open == StringRef::npos ? open : findQuote(message, open + 1);
    if (close == StringRef::npos)
      break;
    text += message.slice(position, open + 1);
    text += withoutMiddle(message.slice(open + 1, close), longestQuote);
    text += "'";
    position = close + 1;
  }
  text += message.substr(position);
  return withoutMiddle(text, longestMessage);
}

LineExcerpt lh::excerptOf(StringRef line, size_t column) {
  if (line.size() <= longestLine)
    return {line};
  size_t start = column > excerptBefore ? column - excerptBefore : 0;
  start = characterStart(line, start);
  size_t end = characterStart(line, std::min(start + excerpt, line.size()));
  return {line.slice(start, end), start, end < line.size()};
}
