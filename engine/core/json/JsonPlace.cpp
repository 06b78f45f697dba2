// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a value stands in the text of a JSON document.
#include "core/json/JsonPlace.h"

#include <algorithm>

using namespace lh;

SourceSpan lh::placeOfByte(StringRef file, StringRef text, size_t offset) {
  StringRef before = text.take_front(offset);
  size_t lineBegin = before.rfind('\n') + 1; // npos + 1 is 0
  return {file.str(), static_cast<unsigned>(before.count('\n') + 1),
          static_cast<unsigned>(before.size() - lineBegin + 1), 0};
}

namespace {

/// Goes over valid JSON without keeping any of it.
class Scanner {
public:
  explicit Scanner(StringRef text) : text(text) { skipSpace(); }

  size_t offset() const { return position; }
  /// From a container's bracket to the value at `step`; false, where it was,
  /// when there is none.
  bool enter(const JsonStep &step);

private:
  char here() const { return position < text.size() ? text[position] : '\0'; }
  void skipSpace() {
    while (position < text.size() && StringRef(" \t\r\n,:").contains(here()))
      ++position;
  }
  void skipString();
  void skipValue();
  bool isAt(const JsonStep &step, size_t index);

  StringRef text;
  size_t position = 0;
};

} // namespace

void Scanner::skipString() {
  for (++position; position < text.size() && here() != '"'; ++position)
    position += here() == '\\';
  ++position;
}

/// To what follows the value.
void Scanner::skipValue() {
  size_t depth = 0;
  do {
    char c = here();
    depth += c == '{' || c == '[';
    depth -= c == '}' || c == ']';
    if (c == '"')
      skipString();
    else
      position = std::min(text.size(),
                          text.find_first_of(" \t\r\n,:{}[]\"", position + 1));
    skipSpace();
  } while (depth > 0 && position < text.size());
}

/// Passes the key, if there is one.
bool Scanner::isAt(const JsonStep &step, size_t index) {
  const auto *wanted = std::get_if<std::string>(&step);
  if (!wanted)
    return std::get<size_t>(step) == index;
  size_t begin = position;
  skipString();
  StringRef key = text.slice(begin + 1, position - 1);
  skipSpace();
  return key == *wanted;
}

bool Scanner::enter(const JsonStep &step) {
  size_t container = position;
  if (here() != (std::holds_alternative<size_t>(step) ? '[' : '{'))
    return false;
  ++position;
  skipSpace();
  for (size_t index = 0; position < text.size(); ++index) {
    if (here() == ']' || here() == '}')
      break;
    if (isAt(step, index))
      return true;
    skipValue();
  }
  position = container;
  return false;
}

SourceSpan lh::placeOfValue(StringRef file, StringRef text,
                            ArrayRef<JsonStep> path) {
  Scanner scanner(text);
  for (const JsonStep &step : path)
    if (!scanner.enter(step))
      break;
  return placeOfByte(file, text, std::min(scanner.offset(), text.size()));
}
