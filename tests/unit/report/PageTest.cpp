// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What pages are made of: escaped texts, numbers, differences.
#include "insight/report/page/Html.h"
#include "insight/report/page/TextDiff.h"

#include <catch2/catch.hpp>

#include <limits>

using namespace lh;

static std::string escaped(std::string text) {
  std::string out;
  llvm::raw_string_ostream(out) << Html{std::move(text)};
  return out;
}

TEST_CASE("text for a page is text, whatever is in it", "[page]") {
  CHECK(escaped("</script>") == "&lt;/script&gt;");
  CHECK(escaped("a \"b\" 'c' & d") == "a &quot;b&quot; &#39;c&#39; &amp; d");
  CHECK(escaped("two\nlines\tand") == "two\nlines\tand");
  CHECK(escaped(std::string("a\0b", 3)) == "a\uFFFDb");
  CHECK(escaped("\u202Egnp.exe") == "\uFFFDgnp.exe");
  CHECK(escaped("\u2069x") == "\uFFFDx");
  CHECK(escaped("\xff") == "\uFFFD");
  CHECK(escaped("\u2192 \u4e2d") == "\u2192 \u4e2d");
}

TEST_CASE("numbers on a page are short", "[page]") {
  CHECK(countText(0) == "0");
  CHECK(countText(999) == "999");
  CHECK(countText(-1234567) == "-1,234,567");
  CHECK(bytesText(1234567) == "1.23 MB");
  CHECK(numberText(std::numeric_limits<double>::quiet_NaN()) == "nan");
  CHECK(numberText(-std::numeric_limits<double>::infinity()) == "-inf");
  CHECK(timeText(1.5e-6) == "1.5 \u00b5s");
}

/// " " both, "+" after, "-" before, then the line.
static std::string difference(StringRef before, StringRef after,
                              size_t mostChanges = 100) {
  auto lines = diffLines(before, after, mostChanges);
  if (!lines)
    return "too many";
  std::string text;
  for (const DiffLine &line : *lines) {
    text += " -+"[static_cast<size_t>(line.side)];
    text += line.text.str() + "\n";
  }
  return text;
}

TEST_CASE("a difference keeps what both texts have", "[page]") {
  CHECK(difference("a\nb\nc\n", "a\nc\nd\n") == " a\n-b\n c\n+d\n");
  CHECK(difference("a\nb\n", "a\nb\n") == " a\n b\n");
  CHECK(difference("", "a\nb\n") == "+a\n+b\n");
  CHECK(difference("a\nb\n", "") == "-a\n-b\n");
  CHECK(difference("", "").empty());
  CHECK(difference("x\na\nb\nc\ny\n", "x\nb\nq\nc\nz\ny\n") ==
        " x\n-a\n b\n+q\n c\n+z\n y\n");
}

TEST_CASE("new numbers of values are no difference", "[page]") {
  CHECK(difference("%1 = f %0\n^bb1:\n#map2\n", "%3 = f %2\n^bb4:\n#map\n") ==
        " %3 = f %2\n ^bb4:\n #map\n");
  CHECK(difference("%a1 = f\n", "%b1 = f\n") == "-%a1 = f\n+%b1 = f\n");
  CHECK(difference("f 1\n", "f 2\n") == "-f 1\n+f 2\n");
}

TEST_CASE("lines of a difference have their numbers", "[page]") {
  auto lines = diffLines("a\nb\nc\n", "a\nc\nd\n");
  REQUIRE(lines);
  REQUIRE(lines->size() == 4);
  CHECK((*lines)[1].before == 2);
  CHECK((*lines)[1].after == 0);
  CHECK((*lines)[2].before == 3);
  CHECK((*lines)[2].after == 2);
  CHECK((*lines)[3].after == 3);
}

TEST_CASE("texts that have nothing in common are not compared", "[page]") {
  std::string before, after;
  for (int i = 0; i < 100; ++i) {
    before += "before " + std::to_string(i) + "\n";
    after += "after " + std::to_string(i) + "\n";
  }
  CHECK(difference(before, after, 199) == "too many");
  CHECK(difference(before, after, 200) != "too many");
}
