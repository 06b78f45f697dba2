// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every file in tests/bad-manifests gives the one diagnostic that its first
// line expects.
#include "core/graph/Resolver.h"
#include "core/support/FileSystem.h"

#include "llvm/ADT/STLExtras.h"

#include <catch2/catch.hpp>

#include <map>
#include <set>

using namespace lh;

namespace {

/// `# expect: kind line:col [in file]`.
struct Expectation {
  std::string kind, place, file;
};

} // namespace

static Expectation readExpectation(StringRef text, StringRef key,
                                   StringRef file) {
  StringRef line = text.take_until([](char c) { return c == '\n'; });
  REQUIRE(line.consume_front(key));
  auto [kind, rest] = line.trim().split(' ');
  auto [place, other] = rest.split(" in ");
  return {kind.str(), place.str(),
          other.empty() ? file.str() : absolutePath(other, folderOf(file))};
}

static std::vector<std::string> badManifests() {
  auto files = llvm::vfs::getRealFileSystem();
  FailureOr<std::vector<std::string>> found =
      glob(*files, absolutePath("*.yaml", absolutePath(LH_BAD_MANIFESTS, "/")));
  REQUIRE(succeeded(found));
  return *found;
}

TEST_CASE("every bad manifest gives exactly the expected diagnostic",
          "[graph][bad-manifests]") {
  auto files = llvm::vfs::getRealFileSystem();
  unsigned checked = 0;
  for (const std::string &file : badManifests()) {
    INFO(file);
    SourceStore sources(*files);
    CollectingSink sink;
    FailureOr<StringRef> text = sources.load(file, {}, sink);
    REQUIRE(succeeded(text));
    // What only shows when schedules and passes are read is tested with those.
    if (text->starts_with("# expect-ir: "))
      continue;
    Expectation expected = readExpectation(*text, "# expect: ", file);
    (void)loadGraph(file, {}, sources, sink);
    for (const Diagnostic &diagnostic : sink.diagnostics())
      UNSCOPED_INFO(diagnostic.where.file
                    << ":" << diagnostic.where.line << ":"
                    << diagnostic.where.column << ": " << diagnostic.message
                    << " [" << kindName(diagnostic.kind).str() << "]");
    REQUIRE(sink.diagnostics().size() == 1);
    const Diagnostic &seen = sink.diagnostics().front();
    CHECK(kindName(seen.kind) == expected.kind);
    CHECK(seen.where.file == expected.file);
    CHECK(std::to_string(seen.where.line) + ":" +
              std::to_string(seen.where.column) ==
          expected.place);
    ++checked;
  }
  CHECK(checked >= 40);
}

TEST_CASE("the bad manifests cover every kind, none more than three times",
          "[graph][bad-manifests]") {
  auto files = llvm::vfs::getRealFileSystem();
  std::map<std::string, int> uses;
  SourceStore sources(*files);
  CollectingSink sink;
  for (const std::string &file : badManifests()) {
    FailureOr<StringRef> text = sources.load(file, {}, sink);
    REQUIRE(succeeded(text));
    StringRef key =
        text->starts_with("# expect-ir: ") ? "# expect-ir: " : "# expect: ";
    ++uses[readExpectation(*text, key, file).kind];
  }
  for (const auto &[kind, count] : uses) {
    INFO(kind);
    CHECK(count <= 3);
    CHECK(llvm::any_of(allDiagKinds(),
                       [&, name = StringRef(kind)](DiagKind known) {
                         return kindName(known) == name;
                       }));
  }
  for (DiagKind kind : allDiagKinds()) {
    StringRef name = kindName(kind);
    INFO(name.str());
    // What only `plan` can say, of no manifest, and what is said of models and
    // of other projects' files.
    if (name == "graph-no-path" || name == "graph-unknown-form" ||
        name == "graph-foreign-model" || name == "graph-foreign-descriptor")
      continue;
    if (name.starts_with("manifest-") || name.starts_with("target-") ||
        name.starts_with("graph-"))
      CHECK(uses.count(name.str()) == 1);
  }
}
