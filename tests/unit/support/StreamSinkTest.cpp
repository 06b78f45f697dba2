// Diagnostics as people see them.
#include "support/StreamSink.h"

#include <catch2/catch.hpp>

using namespace lh;

namespace {

struct Printed {
  llvm::vfs::InMemoryFileSystem files;
  SourceStore store{files};
  std::string text;
  llvm::raw_string_ostream stream{text};

  Printed() {
    files.addFile("/p/m.yaml", 0,
                  llvm::MemoryBuffer::getMemBuffer(
                      "name: x\n\ttile: {schdule: a}\n\xC3\xBC: b\n"));
  }
};

} // namespace

TEST_CASE("place, message, kind, line and caret are printed", "[support]") {
  Printed printed;
  StreamSink sink(printed.stream, printed.store, {false, "/p"});
  (void)sink.error(DiagKind::ManifestUnknownKey, {"/p/m.yaml", 2, 9, 7},
                   "unknown key 'schdule'", {{{"/p/m.yaml", 1, 1, 0}, "here"}});
  CHECK(printed.text ==
        "m.yaml:2:9: error: unknown key 'schdule' [manifest-unknown-key]\n"
        "  \ttile: {schdule: a}\n"
        "  \t       ^~~~~~~\n"
        "m.yaml:1:1: note: here\n"
        "  name: x\n"
        "  ^\n");
}

TEST_CASE("the same diagnostic is printed once but counted", "[support]") {
  Printed printed;
  StreamSink sink(printed.stream, printed.store);
  for (int i = 0; i < 3; ++i)
    sink.warning(DiagKind::ManifestUnknownKey, {"/p/none.yaml", 2, 9, 0}, "w");
  CHECK(printed.text ==
        "/p/none.yaml:2:9: warning: w [manifest-unknown-key]\n");
  CHECK(sink.warningCount() == 3);
}

TEST_CASE("what has no place is said by lh-run", "[support]") {
  Printed printed;
  StreamSink sink(printed.stream, printed.store);
  (void)sink.error(DiagKind::SupportCannotRead, {}, "cannot read 'x'");
  CHECK(printed.text ==
        "lh-run: error: cannot read 'x' [support-cannot-read]\n");
}

TEST_CASE("colours come only when asked for", "[support]") {
  Printed printed;
  StreamSink sink(printed.stream, printed.store, {true, ""});
  (void)sink.error(DiagKind::SupportCannotRead, {}, "x");
  CHECK(StringRef(printed.text).contains("\033[1;31merror\033[0m: x"));
}

TEST_CASE("a character of two bytes takes one place", "[support]") {
  Printed printed;
  StreamSink sink(printed.stream, printed.store);
  (void)sink.error(DiagKind::SupportCannotRead, {"/p/m.yaml", 3, 5, 0}, "x");
  CHECK(StringRef(printed.text).ends_with("  \xC3\xBC: b\n     ^\n"));
}
