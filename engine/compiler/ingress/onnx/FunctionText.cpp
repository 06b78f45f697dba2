// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tokens and signatures of functions/*.txt; functions/README.md has the
// grammar.
#include "compiler/ingress/onnx/FunctionText.h"

#include "compiler/ingress/onnx/OpTable.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace lh;

void FunctionCursor::skipBlanks() {
  rest = rest.ltrim();
  while (rest.consume_front("#"))
    rest = rest.drop_until([](char c) { return c == '\n'; }).ltrim();
}

StringRef FunctionCursor::takeFront(size_t count) {
  StringRef token = rest.take_front(count);
  rest = rest.drop_front(token.size());
  skipBlanks();
  return token;
}

bool FunctionCursor::take(StringRef token) {
  return sees(token) && !takeFront(token.size()).empty();
}

StringRef FunctionCursor::takeName() {
  if (rest.empty() || !(llvm::isAlpha(rest.front()) || rest.front() == '_'))
    return "";
  size_t size = 1;
  while (size < rest.size() &&
         (llvm::isAlnum(rest[size]) || rest[size] == '_' ||
          (rest[size] == '.' && llvm::isAlpha(rest.substr(size + 1)[0]))))
    ++size;
  return takeFront(size);
}

StringRef FunctionCursor::takeText() {
  if (!sees("\""))
    return "";
  StringRef quoted = takeFront(rest.find('"', 1) + 1);
  return quoted.drop_front().drop_back();
}

StringRef FunctionCursor::takeBlock() {
  if (!sees("{"))
    return "";
  size_t size = 0, depth = 0;
  do {
    depth += rest[size] == '{';
    depth -= rest[size] == '}';
    ++size;
  } while (depth > 0 && size < rest.size());
  return takeFront(size).drop_front().drop_back();
}

std::optional<double> FunctionCursor::takeNumber() {
  size_t size = rest.find_if_not(llvm::isDigit);
  if (size == 0 || rest.empty())
    return std::nullopt;
  // "1..3" is a range.
  if (rest.substr(size).starts_with(".") &&
      !rest.substr(size).starts_with(".."))
    size = rest.find_if_not(llvm::isDigit, size + 1);
  if (rest.substr(size).starts_with("e"))
    size = rest.find_if_not(llvm::isDigit, size + 2); // e-12
  double number = 0;
  if (takeFront(std::min(size, rest.size())).getAsDouble(number))
    return std::nullopt;
  return number;
}

/// name = default, or name: kind
static FunctionAttribute readAttribute(FunctionCursor &cursor) {
  using Kind = FunctionAttribute::Kind;
  FunctionAttribute attribute;
  attribute.name = cursor.takeName();
  if (cursor.take(":")) {
    attribute.kind = llvm::StringSwitch<Kind>(cursor.takeName())
                         .Case("float", Kind::Float)
                         .Case("text", Kind::Text)
                         .Case("ints", Kind::Integers)
                         .Case("floats", Kind::Floats)
                         .Default(Kind::Integer);
    return attribute;
  }
  [[maybe_unused]] bool hasDefault = cursor.take("=");
  assert(hasDefault && "an attribute has a default or a kind");
  StringRef from = cursor.left();
  bool isText = cursor.sees("\"");
  if (isText) {
    cursor.takeText();
  } else {
    cursor.take("-");
    cursor.takeNumber();
  }
  attribute.otherwise = from.drop_back(cursor.left().size()).rtrim();
  if (isText)
    attribute.kind = Kind::Text;
  else if (attribute.otherwise.contains('.'))
    attribute.kind = Kind::Float;
  return attribute;
}

static unsigned ruleOf(StringRef name) {
  return llvm::StringSwitch<unsigned>(name)
      .Case("float", OpRule::Float)
      .Case("integer", OpRule::Integer)
      .Case("bool", OpRule::Bool)
      .Case("same", OpRule::Same)
      .Case("widened", OpRule::WidenHalf)
      .Case("numeric", OpRule::Numeric)
      .Default(OpRule::None);
}

/// Reads `item`s with commas between them, up to `end`.
static void readList(FunctionCursor &cursor, StringRef end,
                     llvm::function_ref<void()> item) {
  while (!cursor.take(end)) {
    item();
    cursor.take(",");
  }
}

void lh::addFunctions(OpTable &table, StringRef text) {
  FunctionCursor cursor(text);
  while (!cursor.left().empty()) {
    FunctionText function;
    OpRow row;
    StringRef name = cursor.takeName();
    assert(!name.empty() && "a function begins with its name");
    if (cursor.take("@"))
      row.since = static_cast<int64_t>(cursor.takeNumber().value_or(1));
    if (cursor.take("<"))
      readList(cursor, ">",
               [&] { function.attributes.push_back(readAttribute(cursor)); });
    cursor.take("(");
    readList(cursor, ")", [&] {
      StringRef input = cursor.takeName();
      function.inputs.push_back({input, cursor.take("?")});
    });
    row.minInputs =
        static_cast<size_t>(llvm::find_if(function.inputs,
                                          [](const FunctionInput &each) {
                                            return each.isOptional;
                                          }) -
                            function.inputs.begin());
    cursor.take("->");
    do
      function.outputs.push_back(cursor.takeName());
    while (cursor.take(","));
    if (cursor.take(":"))
      while (!cursor.sees("{"))
        row.rules |= ruleOf(cursor.takeName());
    function.body = cursor.takeBlock();
    table.add(name, row, std::move(function));
  }
}
