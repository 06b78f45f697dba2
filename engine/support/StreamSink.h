// Prints diagnostics for people: place, message, the line and a caret.
#ifndef LH_SUPPORT_STREAMSINK_H
#define LH_SUPPORT_STREAMSINK_H

#include "support/SourceStore.h"

#include "llvm/Support/raw_ostream.h"

#include <set>

namespace lh {

struct StreamSinkOptions {
  bool color = false;
  /// Files below this folder are shown relative to it; empty: as they are.
  std::string workingDirectory;
};

/// Prints each diagnostic at once as
/// `file:line:col: error: message [kind]`, its source line, a caret, and its
/// notes. A diagnostic that was printed before is dropped. Stream and store are
/// borrowed.
class StreamSink : public DiagnosticSink {
public:
  StreamSink(llvm::raw_ostream &stream, SourceStore &sources,
             StreamSinkOptions options = {})
      : stream(stream), sources(sources), options(std::move(options)) {}

private:
  void handle(const Diagnostic &diagnostic) override;
  void printPlace(const SourceSpan &where);
  void printSource(const SourceSpan &where);
  void printLabel(StringRef label, llvm::raw_ostream::Colors color);

  llvm::raw_ostream &stream;
  SourceStore &sources;
  StreamSinkOptions options;
  std::set<std::string> printed;
};

} // namespace lh

#endif // LH_SUPPORT_STREAMSINK_H
