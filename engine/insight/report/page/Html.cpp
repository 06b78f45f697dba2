// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text for HTML pages: escaped names, numbers that people read.
#include "insight/report/page/Html.h"

#include "core/support/Utf8.h"

#include "insight/report/TerminalReport.h"

#include "llvm/Support/Format.h"

#include <algorithm>
#include <cmath>

using namespace lh;
using llvm::raw_ostream;

constexpr StringRef replacement = "\xEF\xBF\xBD";

/// U+202A to U+202E and U+2066 to U+2069 make text look like other text.
static bool turnsDirection(StringRef text) {
  if (text.size() < 3 || text[0] != '\xE2')
    return false;
  auto second = static_cast<unsigned char>(text[1]);
  auto third = static_cast<unsigned char>(text[2]);
  return (second == 0x80 && third >= 0xAA && third <= 0xAE) ||
         (second == 0x81 && third >= 0xA6 && third <= 0xA9);
}

static StringRef entityOf(char c) {
  switch (c) {
  case '&':
    return "&amp;";
  case '<':
    return "&lt;";
  case '>':
    return "&gt;";
  case '"':
    return "&quot;";
  case '\'':
    return "&#39;";
  default:
    return "";
  }
}

raw_ostream &lh::operator<<(raw_ostream &out, const Html &html) {
  std::string repaired;
  StringRef text = html.text;
  if (!isUtf8(text))
    text = repaired = repairedUtf8(text);
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    bool isControl =
        (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') ||
        c == 0x7f;
    if (StringRef entity = entityOf(c); !entity.empty())
      out << entity;
    else if (isControl)
      out << replacement;
    else if (turnsDirection(text.substr(i)))
      out << replacement, i += 2;
    else
      out << c;
  }
  return out;
}

std::string lh::numberText(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value > 0 ? "inf" : "-inf";
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.3g", value);
  return text;
}

std::string lh::countText(int64_t value) {
  std::string digits = std::to_string(value);
  auto begin = static_cast<size_t>(value < 0);
  for (size_t i = digits.size(); i > begin + 3;)
    digits.insert(i -= 3, ",");
  return digits;
}

std::string lh::bytesText(double bytes) {
  static constexpr const char *units[] = {"B", "kB", "MB", "GB", "TB"};
  size_t unit = 0;
  for (; bytes >= 1000 && unit + 1 < std::size(units); ++unit)
    bytes /= 1000;
  return numberText(bytes) + " " + units[unit];
}

std::string lh::timeText(double seconds) {
  std::string text = durationText(seconds);
  if (size_t micro = text.find(" us"); micro != std::string::npos)
    text.replace(micro, 3, " \xC2\xB5s");
  return text;
}

std::string lh::cssClass(StringRef name) {
  std::string text = name.str();
  std::replace(text.begin(), text.end(), ' ', '-');
  return text;
}
