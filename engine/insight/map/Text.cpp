// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texts in drawings: escaped for each format, cut, and measured.
#include "insight/map/Text.h"

#include "core/support/Utf8.h"

using namespace lh;

static bool isControl(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

/// U+202A to U+202E and U+2066 to U+2069 make text look like other text.
static bool turnsDirection(StringRef text) {
  if (text.size() < 3 || text[0] != '\xE2')
    return false;
  auto second = static_cast<unsigned char>(text[1]);
  auto third = static_cast<unsigned char>(text[2]);
  return (second == 0x80 && third >= 0xAA && third <= 0xAE) ||
         (second == 0x81 && third >= 0xA6 && third <= 0xA9);
}

std::string lh::escapeMarkup(StringRef text) {
  constexpr StringRef replacement = "\xEF\xBF\xBD";
  std::string repaired = repairedUtf8(text), safe;
  for (size_t i = 0; i < repaired.size(); ++i) {
    char c = repaired[i];
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else if (c == '"')
      safe += "&quot;";
    else if (c == '\'')
      safe += "&#39;";
    else if (isControl(c) && c != '\n' && c != '\t')
      safe += replacement;
    else if (turnsDirection(StringRef(repaired).substr(i)))
      safe += replacement, i += 2;
    else
      safe += c;
  }
  return safe;
}

std::string lh::escapeDot(StringRef text) {
  std::string safe;
  for (char c : repairedUtf8(text)) {
    if (c == '"' || c == '\\')
      (safe += '\\') += c;
    else if (c == '\n')
      safe += "\\n";
    else if (c == '&') // else DOT reads entities
      safe += "&amp;";
    else
      safe += isControl(c) ? ' ' : c;
  }
  return safe;
}

std::string lh::escapeMermaid(StringRef text) {
  std::string safe;
  for (char c : repairedUtf8(text)) {
    if (isControl(c))
      safe += ' ';
    else if (StringRef("\"#&<>;`\\[](){}|%*_~$").contains(c))
      safe += "#" + std::to_string(static_cast<int>(c)) + ";";
    else
      safe += c;
  }
  return safe;
}

static bool startsCharacter(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}

std::string lh::shortened(StringRef text, size_t maximum) {
  std::string safe = repairedUtf8(text);
  for (char &c : safe)
    if (isControl(c))
      c = ' ';
  size_t count = 0, cut = 0;
  for (size_t i = 0; i < safe.size(); ++i) {
    if (!startsCharacter(safe[i]))
      continue;
    if (++count == maximum)
      cut = i;
    if (count > maximum)
      return safe.substr(0, cut) + "\u2026";
  }
  return safe;
}

double lh::textWidth(StringRef text, double fontSize, bool bold) {
  double width = 0;
  for (char c : text) {
    if (!startsCharacter(c))
      continue;
    if (static_cast<unsigned char>(c) >= 0xE0)
      width += 1; // most of them are as wide as they are high
    else if (StringRef("iljI.,:;'|!()[] ft-").contains(c))
      width += 0.38;
    else if (StringRef("mwMW@%").contains(c))
      width += 0.92;
    else
      width += 0.62;
  }
  return width * fontSize * (bold ? 1.08 : 1);
}
