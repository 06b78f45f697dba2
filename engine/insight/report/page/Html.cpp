// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text for HTML pages: escaped names, numbers that people read.
#include "insight/report/page/Html.h"

#include "insight/map/Text.h"
#include "insight/report/TerminalReport.h"

#include "llvm/Support/Format.h"

#include <algorithm>
#include <cmath>

using namespace lh;
using llvm::raw_ostream;

raw_ostream &lh::operator<<(raw_ostream &out, const Html &html) {
  return out << escapeMarkup(html.text);
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

std::string lh::allowedText(double share) {
  return std::isinf(share) ? "wrong" : numberText(share * 100) + " %";
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
