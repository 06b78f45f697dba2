// Prints diagnostics for people: place, message, the line and a caret.
#include "support/StreamSink.h"

#include "support/FileSystem.h"

#include <algorithm>

using namespace lh;

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
  stream << displayPath(where.file, options.workingDirectory) << ':';
  if (where.line != 0) {
    stream << where.line << ':';
    if (where.column != 0)
      stream << where.column << ':';
  }
  stream << ' ';
}

void StreamSink::printLabel(StringRef label, llvm::raw_ostream::Colors color) {
  // Escape codes directly: raw_ostream drops colours on streams that are not
  // terminals, and whether to colour is the caller's decision.
  if (options.color)
    stream << "\033[1;3" << static_cast<int>(color) << 'm' << label
           << "\033[0m";
  else
    stream << label;
  stream << ": ";
}

void StreamSink::printSource(const SourceSpan &where) {
  if (!where.isKnown() || where.line == 0 || where.column == 0)
    return;
  std::optional<StringRef> line = sources.line(where.file, where.line);
  // A line that fills the screen helps nobody.
  if (!line || where.column > line->size() + 1 || line->size() > 500)
    return;
  stream << "  " << *line << "\n  ";
  for (char c : line->take_front(where.column - 1))
    // A UTF-8 continuation byte takes no place of its own on the screen.
    if ((static_cast<unsigned char>(c) & 0xC0) != 0x80)
      stream << (c == '\t' ? '\t' : ' ');
  stream << '^';
  size_t rest = line->size() - std::min<size_t>(line->size(), where.column);
  for (size_t i = 1; i < where.length && i <= rest; ++i)
    stream << '~';
  stream << '\n';
}

void StreamSink::handle(const Diagnostic &diagnostic) {
  if (!printed.insert(identity(diagnostic)).second)
    return;
  printPlace(diagnostic.where);
  switch (diagnostic.severity) {
  case Severity::Error:
    printLabel("error", llvm::raw_ostream::RED);
    break;
  case Severity::Warning:
    printLabel("warning", llvm::raw_ostream::MAGENTA);
    break;
  case Severity::Remark:
    printLabel("remark", llvm::raw_ostream::BLUE);
    break;
  }
  stream << diagnostic.message << " [" << kindName(diagnostic.kind) << "]\n";
  printSource(diagnostic.where);
  for (const DiagnosticNote &note : diagnostic.notes) {
    printPlace(note.where);
    printLabel("note", llvm::raw_ostream::CYAN);
    stream << note.message << '\n';
    printSource(note.where);
  }
}
