// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Diagnostics as people see them.
#include "core/support/StreamSink.h"

#include "core/support/VisibleText.h"

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
  VisibleStream stream(printed.stream);
  StreamSink sink(stream, printed.store, {true, ""});
  (void)sink.error(DiagKind::SupportCannotRead, {}, "x");
  CHECK(StringRef(printed.text).contains("\033[1;31merror\033[0m: x"));
}

TEST_CASE("what a file says gives a terminal no orders", "[support]") {
  Printed printed;
  printed.files.addFile("/p/\x1b[31m.yaml", 0,
                        llvm::MemoryBuffer::getMemBuffer("a\x1b[2Jb: c\r\n"));
  StreamSink sink(printed.stream, printed.store);
  (void)sink.error(DiagKind::SupportCannotRead, {"/p/\x1b[31m.yaml", 1, 7, 0},
                   "'x\n/p/m.yaml:1:1: error: forged'");
  CHECK(printed.text == "/p/\\x1b[31m.yaml:1:7: error: 'x\n"
                        "  | /p/m.yaml:1:1: error: forged' "
                        "[support-cannot-read]\n"
                        "  a\\x1b[2Jb: c\n"
                        "           ^\n");
}

TEST_CASE("a character of two bytes takes one place", "[support]") {
  Printed printed;
  StreamSink sink(printed.stream, printed.store);
  (void)sink.error(DiagKind::SupportCannotRead, {"/p/m.yaml", 3, 5, 0}, "x");
  CHECK(StringRef(printed.text).ends_with("  \xC3\xBC: b\n     ^\n"));
}

TEST_CASE("after a hundred errors only their number is said", "[support]") {
  Printed printed;
  {
    StreamSink sink(printed.stream, printed.store);
    for (int i = 0; i < 250; ++i) {
      std::string number = std::to_string(i);
      (void)sink.error(DiagKind::SupportCannotRead, {}, "e" + number);
      (void)sink.error(DiagKind::SupportCannotRead, {}, "e" + number);
      if (i < 101)
        sink.warning(DiagKind::SupportCannotRead, {}, "w" + number);
    }
    CHECK(sink.errorCount() == 500);
  }
  StringRef text = printed.text;
  CHECK(text.count("error: e") == 100);
  CHECK(text.count("warning: w") == 100);
  CHECK(text.count("[support-too-many-errors]") == 2);
  CHECK(text.ends_with("lh-run: error: 150 more; the first 100 are shown "
                       "[support-too-many-errors]\n"
                       "lh-run: warning: 1 more; the first 100 are shown "
                       "[support-too-many-errors]\n"));
}

TEST_CASE("values, lines and notes are cut to a readable length", "[support]") {
  Printed printed;
  std::string line = "key: " + std::string(100000, 'x') + "\xC3\xBC! tail";
  printed.files.addFile("/p/long.yaml", 0,
                        llvm::MemoryBuffer::getMemBufferCopy(line));
  unsigned column = unsigned(line.find('!')) + 1;
  std::vector<DiagnosticNote> notes(
      1000, {{"/p/long.yaml", 1, column, 0}, std::string(100000, 'n')});
  StreamSink sink(printed.stream, printed.store, {false, "/p"});
  (void)sink.error(DiagKind::ManifestBadValue, {"/p/long.yaml", 1, column, 1},
                   "can't take '" + line + "' of 'key'; did you mean 'b'?",
                   notes);
  StringRef text = printed.text;
  auto [message, rest] = text.split('\n');
  CHECK(message.size() < 320);
  CHECK(message.starts_with("long.yaml:1:100008: error: can't take 'key: xxx"));
  CHECK(message.contains("! tail' of 'key'; did you mean 'b'?"));
  auto [shown, carets] = rest.split('\n');
  CHECK(shown.starts_with("  ...xxx"));
  CHECK(shown.ends_with("x\xC3\xBC! tail"));
  // The umlaut takes two bytes and one place.
  CHECK(carets.find('^') == shown.find('!') - 1);
  CHECK(text.ends_with("lh-run: note: and 980 more notes\n"));
  CHECK(text.size() < 100000);
}
