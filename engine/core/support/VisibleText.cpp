// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text from files, models and tools, made safe to show on a terminal.
#include "core/support/VisibleText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Format.h"

using namespace lh;

namespace {
enum class LineEnds { Kept, WrittenOut };
} // namespace

/// The bytes that the character at the front of `text` takes; 0 where they are
/// no UTF-8.
static size_t characterSize(StringRef text) {
  const auto *begin = text.bytes_begin();
  unsigned size = llvm::getNumBytesForUTF8(*begin);
  return size <= text.size() && llvm::isLegalUTF8Sequence(begin, begin + size)
             ? size
             : 0;
}

/// The character at the front of `text`, which is well formed.
static llvm::UTF32 characterAt(StringRef text) {
  const llvm::UTF8 *begin = text.bytes_begin();
  llvm::UTF32 character = 0;
  (void)llvm::convertUTF8Sequence(&begin, text.bytes_end(), &character,
                                  llvm::strictConversion);
  return character;
}

/// Controls beyond ASCII, marks and overrides of direction, and two that end
/// a line for some.
static bool actsOnTerminal(llvm::UTF32 character) {
  return (character >= 0x7f && character < 0xa0) || character == 0x61c ||
         character == 0x200e || character == 0x200f ||
         (character >= 0x2028 && character <= 0x202e) ||
         (character >= 0x2066 && character <= 0x2069);
}

static void writeAscii(char c, LineEnds ends, llvm::raw_ostream &out) {
  if (c == '\n' && ends == LineEnds::WrittenOut)
    out << "\\n";
  else if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t')
    out << c;
  else
    out << llvm::format("\\x%02x", static_cast<unsigned char>(c));
}

static void writeVisible(StringRef text, LineEnds ends,
                         llvm::raw_ostream &out) {
  while (!text.empty()) {
    // Nearly all text is printable ASCII.
    StringRef plain =
        text.take_while([](char c) { return c >= 0x20 && c < 0x7f; });
    out << plain;
    text = text.drop_front(plain.size());
    if (text.empty())
      return;
    size_t size = characterSize(text);
    auto first = static_cast<unsigned char>(text.front());
    if (size == 0)
      out << llvm::format("\\x%02x", first);
    else if (first < 0x7f)
      writeAscii(text.front(), ends, out);
    else if (llvm::UTF32 character = characterAt(text);
             actsOnTerminal(character))
      out << llvm::format("\\u%04x", character);
    else
      out << text.take_front(size);
    text = text.drop_front(std::max<size_t>(size, 1));
  }
}

static std::string visibleText(StringRef text, LineEnds ends) {
  std::string result;
  llvm::raw_string_ostream out(result);
  writeVisible(text, ends, out);
  return result;
}

std::string lh::visible(StringRef text) {
  return visibleText(text, LineEnds::Kept);
}

std::string lh::visibleLine(StringRef text) {
  return visibleText(text, LineEnds::WrittenOut);
}

std::string lh::visibleMessage(StringRef text) {
  llvm::SmallVector<StringRef> lines;
  text.rtrim('\n').split(lines, '\n');
  std::string result = visibleLine(lines.front());
  for (StringRef line : llvm::drop_begin(lines))
    result += "\n  | " + visibleLine(line);
  return result;
}

/// How many bytes at the end of `text` may be the beginning of a character.
static size_t unfinishedSize(StringRef text) {
  for (size_t size = 1; size <= std::min<size_t>(3, text.size()); ++size) {
    auto byte = static_cast<unsigned char>(text[text.size() - size]);
    if ((byte & 0xC0) == 0x80)
      continue; // one that goes on
    return llvm::getNumBytesForUTF8(byte) > size ? size : 0;
  }
  return 0;
}

VisibleStream::~VisibleStream() { finish(); }

void VisibleStream::write_impl(const char *bytes, size_t size) {
  position += size;
  StringRef text(bytes, size);
  std::string joined;
  if (!begun.empty()) {
    joined = std::move(begun) + text.str();
    begun.clear();
    text = joined;
  }
  size_t unfinished = unfinishedSize(text);
  // At once: the stream below may have no buffer.
  below << visible(text.drop_back(unfinished));
  begun = text.take_back(unfinished).str();
}

void VisibleStream::finish() {
  flush();
  below << visible(begun);
  begun.clear();
}

void VisibleStream::passOn(StringRef code) {
  finish();
  below << code;
}

llvm::raw_ostream &VisibleStream::changeColor(enum Colors color, bool bold,
                                              bool background) {
  if (colors_enabled())
    passOn(("\033[" + Twine(bold ? "1;" : "") + (background ? "4" : "3") +
            Twine(static_cast<int>(color)) + "m")
               .str());
  return *this;
}

llvm::raw_ostream &VisibleStream::resetColor() {
  if (colors_enabled())
    passOn("\033[0m");
  return *this;
}

void VisibleStream::eraseLine() { passOn("\r\033[K"); }
