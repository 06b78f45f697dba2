// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Diagnostic kinds, sinks and suggestions.
#include "core/support/Diagnostic.h"

#include <catch2/catch.hpp>

#include <set>

using namespace lh;

TEST_CASE("every kind has a name of its own, its layer first", "[support]") {
  std::set<std::string> names;
  for (DiagKind kind : allDiagKinds()) {
    StringRef name = kindName(kind);
    INFO(name.str());
    CHECK(name.contains('-'));
    CHECK(name.lower() == name.str());
    CHECK(names.insert(name.str()).second);
  }
}

TEST_CASE("a sink counts errors and warnings apart", "[support]") {
  CollectingSink sink;
  CHECK(failed(sink.error(DiagKind::SupportCannotRead, {}, "a")));
  sink.warning(DiagKind::SupportCannotRead, {}, "b");
  sink.warning(DiagKind::SupportCannotRead, {}, "c");
  CHECK(sink.errorCount() == 1);
  CHECK(sink.warningCount() == 2);
  CHECK(sink.diagnostics().size() == 3);
}

TEST_CASE("only a near word is suggested, and the nearest", "[support]") {
  CHECK(didYouMean("schdule", {"path", "schedule", "module"}) ==
        "; did you mean 'schedule'?");
  CHECK(didYouMean("zebra", {"path", "schedule"}) == "");
  // Two letters that changed places are one mistake.
  CHECK(didYouMean("tets", {"list", "test"}) == "; did you mean 'test'?");
  CHECK(didYouMean("wiht", {"when", "with"}) == "; did you mean 'with'?");
  CHECK(didYouMean("wtih", {"wait"}) == "");
  CHECK(didYouMean("x", {"y"}) == "; did you mean 'y'?");
  CHECK(didYouMean("ab", {}) == "");
}
