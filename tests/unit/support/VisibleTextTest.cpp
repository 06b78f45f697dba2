// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What text does to a terminal: nothing.
#include "core/support/VisibleText.h"

#include <catch2/catch.hpp>

using namespace lh;

TEST_CASE("controls are written out, other text stays", "[support]") {
  CHECK(visible("a\x1b[31mb\x07") == "a\\x1b[31mb\\x07");
  CHECK(visible(StringRef("a\0b", 3)) == "a\\x00b");
  CHECK(visible("a\rb\x7f") == "a\\x0db\\u007f");
  CHECK(visible("one\n\ttwo\n") == "one\n\ttwo\n");
  CHECK(visible("\u00e9\u25cf\U0001F600") == "\u00e9\u25cf\U0001F600");
  CHECK(visible("") == "");
}

TEST_CASE("controls beyond ASCII are controls", "[support]") {
  CHECK(visible("\u009b31m\u0085") == "\\u009b31m\\u0085");
  CHECK(visible("a\u202eb\u2066c\u2028\u200f\u061c") ==
        "a\\u202eb\\u2066c\\u2028\\u200f\\u061c");
}

TEST_CASE("bytes that are no UTF-8 are written out", "[support]") {
  CHECK(visible("a\xff\xfez") == "a\\xff\\xfez");
  CHECK(visible("\x80") == "\\x80");
  CHECK(visible("\xe2\x82") == "\\xe2\\x82");         // cut off
  CHECK(visible("\xc0\x9b[31m") == "\\xc0\\x9b[31m"); // too long a form of ESC
  CHECK(visible("\xed\xa0\x80") == "\\xed\\xa0\\x80"); // half a pair
}

TEST_CASE("a line stays one, a message's other lines are set off",
          "[support]") {
  CHECK(visibleLine("a\nerror: b") == "a\\nerror: b");
  CHECK(visibleMessage("a\nerror: b\x1b\n") == "a\n  | error: b\\x1b");
  CHECK(visibleMessage("\nerror: b") == "\n  | error: b");
}

TEST_CASE("what is visible stays as it is", "[support]") {
  std::string once = visible("\x1b\u202e\xff\\");
  CHECK(visible(once) == once);
}

TEST_CASE("a stream shows text however it is cut", "[support]") {
  const std::string text = "a\u25cf\x1b[0m\u009b\xff\xe2\x82z\U0001F600";
  bool isBuffered = GENERATE(false, true);
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    std::string seen;
    llvm::raw_string_ostream below(seen);
    VisibleStream stream(below, isBuffered);
    stream << StringRef(text).take_front(cut);
    stream.flush();
    stream << StringRef(text).drop_front(cut);
    stream.finish();
    CHECK(seen == visible(text));
  }
}

TEST_CASE("the end of a character that never comes is shown", "[support]") {
  std::string seen;
  llvm::raw_string_ostream below(seen);
  {
    VisibleStream stream(below);
    stream << "a\xe2\x82";
    CHECK(seen == "a");
  }
  CHECK(seen == "a\\xe2\\x82");
}

TEST_CASE("colours are asked for, not written", "[support]") {
  std::string seen;
  llvm::raw_string_ostream below(seen);
  VisibleStream stream(below, /*isBuffered=*/true);
  stream << "a";
  stream.changeColor(llvm::raw_ostream::RED, /*Bold=*/true) << "b\033[31m";
  stream.resetColor() << "c";
  stream.eraseLine();
  stream.enable_colors(false);
  stream.changeColor(llvm::raw_ostream::BLUE) << "d";
  stream.finish();
  CHECK(seen == "a\033[1;31mb\\x1b[31m\033[0mc\r\033[Kd");
}
