// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints diagnostics for people: place, message, the line and a caret.
#include "core/support/StreamSink.h"

#include "core/support/FileSystem.h"
#include "core/support/Readable.h"
#include "core/support/VisibleText.h"

#include "llvm/Support/xxhash.h"

#include <algorithm>

using namespace lh;

static constexpr size_t mostShown = 100, mostNotes = 20;

/// Everything that makes two diagnostics the same to a reader.
static std::string identity(const Diagnostic &diagnostic) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << static_cast<int>(diagnostic.kind) << '\0'
         << static_cast<int>(diagnostic.severity) << '\0'
         << diagnostic.where.file << '\0' << diagnostic.where.line << '\0'
         << diagnostic.where.column << '\0' << diagnostic.message;
  for (const DiagnosticNote &note : diagnostic.notes)
    stream << '\0' << note.where.file << '\0' << note.where.line << '\0'
           << note.where.column << '\0' << note.message;
  return text;
}

void StreamSink::printPlace(const SourceSpan &where) {
  if (!where.isKnown()) {
    stream << "lh-run: ";
    return;
  }
  stream << visibleLine(displayPath(where.file, options.workingDirectory))
         << ':';
  if (where.line != 0) {
    stream << where.line << ':';
    if (where.column != 0)
      stream << where.column << ':';
  }
  stream << ' ';
}

void StreamSink::printLabel(StringRef label, llvm::raw_ostream::Colors color) {
  if (options.color)
    stream.changeColor(color, /*Bold=*/true);
  stream << label;
  if (options.color)
    stream.resetColor();
  stream << ": ";
}

void StreamSink::printLabel(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return printLabel("error", llvm::raw_ostream::RED);
  case Severity::Warning:
    return printLabel("warning", llvm::raw_ostream::MAGENTA);
  case Severity::Remark:
    return printLabel("remark", llvm::raw_ostream::BLUE);
  }
}

void StreamSink::printSource(const SourceSpan &where) {
  if (!where.isKnown() || where.line == 0 || where.column == 0)
    return;
  std::optional<StringRef> line = sources.line(where.file, where.line);
  if (!line || where.column > line->size() + 1)
    return;
  LineExcerpt excerpt = excerptOf(line->rtrim('\r'), where.column);
  StringRef before = excerpt.skipped > 0 ? "..." : "";
  stream << "  " << before << visibleLine(excerpt.text)
         << (excerpt.isCut ? "..." : "") << "\n  "
         << std::string(before.size(), ' ');
  size_t column = where.column - excerpt.skipped;
  for (char c : visibleLine(excerpt.text.take_front(column - 1)))
    // A UTF-8 continuation byte takes no place of its own on the screen.
    if ((static_cast<unsigned char>(c) & 0xC0) != 0x80)
      stream << (c == '\t' ? '\t' : ' ');
  stream << '^';
  size_t rest =
      excerpt.text.size() - std::min<size_t>(excerpt.text.size(), column);
  for (size_t i = 1; i < where.length && i <= rest; ++i)
    stream << '~';
  stream << '\n';
}

void StreamSink::print(const Diagnostic &diagnostic) {
  printPlace(diagnostic.where);
  printLabel(diagnostic.severity);
  stream << visibleMessage(readableMessage(diagnostic.message)) << " ["
         << kindName(diagnostic.kind) << "]\n";
  printSource(diagnostic.where);
  ArrayRef<DiagnosticNote> notes = diagnostic.notes;
  for (const DiagnosticNote &note : notes.take_front(mostNotes)) {
    printPlace(note.where);
    printLabel("note", llvm::raw_ostream::CYAN);
    stream << visibleMessage(readableMessage(note.message)) << '\n';
    printSource(note.where);
  }
  if (notes.size() <= mostNotes)
    return;
  printPlace({});
  printLabel("note", llvm::raw_ostream::CYAN);
  stream << "and " << notes.size() - mostNotes << " more notes\n";
}

/// Counts what can't be shown any more.
bool StreamSink::isShown(const Diagnostic &diagnostic) {
  if (!known.insert(llvm::xxh3_64bits(identity(diagnostic))).second)
    return false;
  if (diagnostic.severity == Severity::Remark)
    return true;
  Count &count = diagnostic.severity == Severity::Error ? errors : warnings;
  bool fits = count.shown < mostShown;
  ++(fits ? count.shown : count.dropped);
  return fits;
}

void StreamSink::handle(const Diagnostic &diagnostic) {
  if (isShown(diagnostic))
    print(diagnostic);
}

void StreamSink::printRest(Severity severity, const Count &count) {
  if (count.dropped == 0)
    return;
  printPlace({});
  printLabel(severity);
  stream << count.dropped << " more; the first " << count.shown
         << " are shown [" << kindName(DiagKind::SupportTooManyErrors) << "]\n";
}

StreamSink::~StreamSink() {
  printRest(Severity::Error, errors);
  printRest(Severity::Warning, warnings);
}
