// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints diagnostics for people: place, message, the line and a caret.
#ifndef LH_CORE_SUPPORT_STREAMSINK_H
#define LH_CORE_SUPPORT_STREAMSINK_H

#include "core/support/SourceStore.h"

#include "llvm/Support/raw_ostream.h"

#include <set>

namespace lh {

struct StreamSinkOptions {
  bool color = false;
  /// Files below this folder are shown relative to it; empty: as they are.
  std::string workingDirectory = {};
};

/// Prints each diagnostic at once as
/// `file:line:col: error: message [kind]`, its source line, a caret, and its
/// notes. A diagnostic that was printed before is dropped, and so is what comes
/// after 100 errors or 100 warnings: how many these were is said at the end of
/// the sink's life. Long values and lines are cut, and a diagnostic has at most
/// 20 notes. Stream and store are borrowed.
class StreamSink : public DiagnosticSink {
public:
  StreamSink(llvm::raw_ostream &stream, SourceStore &sources,
             StreamSinkOptions options = {})
      : stream(stream), sources(sources), options(std::move(options)) {}
  ~StreamSink() override;

private:
  /// Of errors, or of warnings.
  struct Count {
    size_t shown = 0, dropped = 0;
  };

  void handle(const Diagnostic &diagnostic) override;
  bool isShown(const Diagnostic &diagnostic);
  void print(const Diagnostic &diagnostic);
  void printPlace(const SourceSpan &where);
  void printSource(const SourceSpan &where);
  void printLabel(StringRef label, llvm::raw_ostream::Colors color);
  void printLabel(Severity severity);
  void printRest(Severity severity, const Count &count);

  llvm::raw_ostream &stream;
  SourceStore &sources;
  StreamSinkOptions options;
  std::set<uint64_t> known; ///< hashes of what was printed or dropped
  Count errors, warnings;
};

} // namespace lh

#endif // LH_CORE_SUPPORT_STREAMSINK_H
