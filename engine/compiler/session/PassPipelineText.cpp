// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A recursive-descent parser for pass strings.
#include "compiler/session/PassPipelineText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace lh;

/// More than anybody writes, and little enough for the stack of everything that
/// walks a pass string.
static constexpr unsigned maximumDepth = 64;

PassStringPlace::PassStringPlace(StringRef text, SourceSpan scalar)
    : scalar(std::move(scalar)) {
  if (text.contains('\n') || this->scalar.column == 0)
    return;
  if (this->scalar.length == text.size())
    shift = 0;
  else if (this->scalar.length == text.size() + 2)
    shift = 1; // the opening quote
}

SourceSpan PassStringPlace::at(size_t offset, size_t length) const {
  if (!shift)
    return scalar;
  SourceSpan span = scalar;
  span.column += *shift + static_cast<unsigned>(offset);
  span.length = static_cast<unsigned>(length);
  return span;
}

namespace {
class PassTextParser {
public:
  PassTextParser(StringRef text, const PassStringPlace &place,
                 DiagnosticSink &sink)
      : text(text), place(place), sink(sink) {}

  FailureOr<std::vector<PassElement>> parse() {
    auto elements = parseList();
    if (failed(elements))
      return failure();
    skipSpace();
    if (position < text.size())
      return fail("found '" + Twine(text[position]) +
                  "' after the end; a closing bracket has no opening one");
    return elements;
  }

private:
  FailureOr<std::vector<PassElement>> parseList() {
    std::vector<PassElement> elements;
    do {
      auto element = parseElement();
      if (failed(element))
        return failure();
      elements.push_back(std::move(*element));
    } while (consume(','));
    return elements;
  }

  FailureOr<PassElement> parseElement() {
    PassElement element;
    skipSpace();
    element.offset = position;
    element.name = text.substr(position).take_until(endsName).str();
    position += element.name.size();
    if (element.name.empty())
      return fail("expected the name of a pass or an operation");
    if (consume('(')) {
      element.isAnchor = true;
      if (++depth > maximumDepth)
        return failDeep(element.offset, element.name.size());
      auto nested = parseList();
      if (failed(nested))
        return failure();
      --depth;
      element.nested = std::move(*nested);
      if (!consume(')'))
        return fail("expected ')' to close '" + element.name + "('");
      return element;
    }
    if (consume('{') && failed(parseOptions(element)))
      return failure();
    skipSpace();
    if (position < text.size() && !StringRef(",)").contains(text[position]))
      return fail("expected ',' between passes");
    return element;
  }

  LogicalResult parseOptions(PassElement &element) {
    element.optionsOffset = position;
    unsigned open = 1;
    int64_t nested = 0; // options may hold pass strings of their own
    for (; position < text.size(); ++position) {
      char c = text[position];
      nested += (c == '(') - (c == ')');
      if (nested > maximumDepth || open > maximumDepth)
        return failDeep(position, 1);
      if (c == '{')
        ++open;
      else if (c == '}' && --open == 0)
        break;
    }
    if (position == text.size())
      return fail("expected '}' to close the options of '" + element.name +
                  "'");
    element.options = text.slice(element.optionsOffset, position).trim().str();
    // Trimming moved the start.
    element.optionsOffset +=
        text.substr(element.optionsOffset).take_while(llvm::isSpace).size();
    ++position;
    return success();
  }

  static bool endsName(char c) {
    return llvm::isSpace(c) || StringRef(",(){}").contains(c);
  }

  void skipSpace() {
    position += text.substr(position).take_while(llvm::isSpace).size();
  }

  bool consume(char wanted) {
    skipSpace();
    if (position == text.size() || text[position] != wanted)
      return false;
    ++position;
    return true;
  }

  LogicalResult failDeep(size_t offset, size_t length) {
    return sink.error(DiagKind::IrTooDeep, place.at(offset, length),
                      "passes are nested more than " + Twine(maximumDepth) +
                          " levels deep");
  }

  LogicalResult fail(const Twine &message) {
    return sink.error(DiagKind::IrBadPassString, place.at(position, 1),
                      message + "; a pass string is 'pass-a,pass-b{option=1},"
                                "func.func(pass-c)'");
  }

  StringRef text;
  const PassStringPlace &place;
  DiagnosticSink &sink;
  size_t position = 0;
  unsigned depth = 0; ///< anchors round `position`
};
} // namespace

FailureOr<std::vector<PassElement>>
lh::parsePassText(StringRef text, const PassStringPlace &place,
                  DiagnosticSink &sink) {
  return PassTextParser(text, place, sink).parse();
}

static void print(const PassElement &element, llvm::raw_ostream &out) {
  if (!element.impliedAnchor.empty())
    out << element.impliedAnchor << "(";
  out << element.name;
  if (element.isAnchor)
    out << "(" << printPassText(element.nested) << ")";
  else if (!element.options.empty())
    out << "{" << element.options << "}";
  if (!element.impliedAnchor.empty())
    out << ")";
}

std::string lh::printPassText(ArrayRef<PassElement> elements) {
  std::string text;
  llvm::raw_string_ostream out(text);
  for (const PassElement &element : elements) {
    if (&element != elements.begin())
      out << ",";
    print(element, out);
  }
  return text;
}
