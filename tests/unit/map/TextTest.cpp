// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texts in drawings.
#include "insight/map/Text.h"

#include <catch2/catch.hpp>

using namespace lh;

TEST_CASE("markup in a text stays text", "[map]") {
  CHECK(escapeMarkup("<script>alert('&\"')</script>") ==
        "&lt;script&gt;alert(&#39;&amp;&quot;&#39;)&lt;/script&gt;");
  CHECK(escapeMarkup("a\x01z") == "a\xEF\xBF\xBDz");
  CHECK(escapeMarkup("\xff") == "\xEF\xBF\xBD");
  CHECK(escapeMarkup("a\xE2\x80\xAEz") == "a\xEF\xBF\xBDz"); // U+202E
}

TEST_CASE("DOT's quotes, backslashes and entities stay text", "[map]") {
  CHECK(escapeDot("a\"];b\\n\n&lt;") == "a\\\"];b\\\\n\\n&amp;lt;");
}

TEST_CASE("Mermaid's syntax stays text", "[map]") {
  CHECK(escapeMermaid("a\"]-->b;#") == "a#34;#93;--#62;b#59;#35;");
  CHECK(escapeMermaid("a\nb") == "a b");
}

TEST_CASE("texts are cut between characters", "[map]") {
  CHECK(shortened("abcdef", 6) == "abcdef");
  CHECK(shortened("abcdef", 5) == "abcd\u2026");
  CHECK(shortened("\u00e9\u00e9\u00e9", 2) == "\u00e9\u2026");
  CHECK(shortened("a\nb", 9) == "a b");
}

TEST_CASE("wide letters take more room", "[map]") {
  CHECK(textWidth("WWW", 10) > textWidth("lll", 10));
  CHECK(textWidth("", 10) == 0);
  CHECK(textWidth("name", 10, true) > textWidth("name", 10));
}
