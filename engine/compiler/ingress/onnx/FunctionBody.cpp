// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The statements of functions/*.txt; functions/README.md says what they mean.
#include "compiler/ingress/onnx/FunctionBody.h"

#include "compiler/ingress/onnx/ops/Attention.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace lh;
using namespace mlir;

/// Only the first failure is said: what follows comes of it.
FunctionTerm FunctionBody::fail(const Twine &message, DiagKind kind) {
  if (isSkipping)
    return {};
  if (!hasFailed)
    (void)node.error(message, kind);
  hasFailed = true;
  return {};
}

void FunctionBody::bindInputs() {
  for (size_t i = 0; i < std::max(node.inputCount(), function.inputs.size());
       ++i) {
    bool isKnown = i < function.inputs.size();
    if (node.has(i) && !isKnown)
      fail("input " + Twine(i) + " is not supported",
           DiagKind::IngressUnsupportedOp);
    else if (isKnown && !node.has(i) && !function.inputs[i].isOptional)
      fail("input " + Twine(i) + " ('" + function.inputs[i].name +
           "') is missing");
    else if (isKnown)
      names[function.inputs[i].name] =
          node.has(i) ? Term::of(node.raw(i)) : Term();
  }
}

void FunctionBody::bindAttributes() {
  using Kind = FunctionAttribute::Kind;
  for (const FunctionAttribute &attribute : function.attributes) {
    // One that is absent leaves an input of its name, as newer opsets have.
    Term &term = names[attribute.name];
    const OnnxAttribute *given = node.attribute(attribute.name);
    if (!given && !attribute.otherwise.empty()) {
      cursor = FunctionCursor(attribute.otherwise);
      term = expression();
    }
    if (!given)
      continue;
    term = Term();
    if (attribute.kind == Kind::Text)
      term.text = StringRef(given->s);
    else if (attribute.kind == Kind::Floats)
      term.floats = given->floats;
    else if (attribute.kind == Kind::Integers)
      term = shaped(emit.staticSizes(given->ints), false);
    else
      term.number = attribute.kind == Kind::Float
                        ? static_cast<double>(given->f)
                        : static_cast<double>(given->i);
  }
}

LogicalResult FunctionBody::run() {
  Operation *last = emit.lastOperation();
  names["opset"] = Term::of(static_cast<double>(node.opset));
  bindInputs();
  bindAttributes();
  statements(function.body);
  if (hasFailed)
    return failure();
  std::vector<Value *> results;
  for (auto [name, result] : llvm::zip(function.outputs, node.results)) {
    auto found = names.find(name);
    if (found == names.end() || found->second.isNothing())
      continue;
    result = valueOf(found->second);
    if (result->tensor)
      results.push_back(&result->tensor);
  }
  emit.fuseSince(last, results);
  return success();
}

void FunctionBody::statements(StringRef text) {
  FunctionCursor after = cursor;
  cursor = FunctionCursor(text);
  while (!cursor.left().empty() && !hasFailed)
    statement();
  cursor = after;
}

void FunctionBody::statement() {
  StringRef word = cursor.takeName();
  if (word == "if")
    return condition();
  if (word == "require")
    return demand(DiagKind::IngressInvalidNode);
  if (word == "fit")
    return demand(DiagKind::IngressShapeMismatch);
  if (word == "support")
    return demand(DiagKind::IngressUnsupportedOp);
  if (word == "agree")
    return agreement();
  assign(word);
}

/// if CONDITION { ... } else if CONDITION { ... } else { ... }
void FunctionBody::condition() {
  bool isDone = false;
  do {
    llvm::SaveAndRestore skip(isSkipping, isSkipping || isDone);
    Term asked = expression();
    bool applies = !isDone && holds(asked);
    StringRef block = cursor.takeBlock();
    isDone |= applies;
    if (applies)
      statements(block);
    if (!cursor.take("else"))
      return;
  } while (cursor.take("if"));
  StringRef block = cursor.takeBlock();
  if (!isDone)
    statements(block);
}

/// require, fit or support CONDITION : MESSAGE
void FunctionBody::demand(DiagKind kind) {
  bool isMet = holds(expression());
  cursor.take(":");
  std::string message = filledIn(cursor.takeText());
  if (!isMet)
    fail(message, kind);
}

/// agree SIZES, SIZES : WHAT; the run compares what the import doesn't know.
void FunctionBody::agreement() {
  Elements first = elementsOf(expression());
  cursor.take(",");
  Elements second = elementsOf(expression());
  cursor.take(":");
  std::string what = filledIn(cursor.takeText());
  if (first.size() != second.size())
    fail(what + " must be as many", DiagKind::IngressShapeMismatch);
  for (auto [a, b] : llvm::zip(first, second))
    hasFailed |= !hasFailed && failed(checkSame(node, a, b, what));
}

/// A message in which {x} is the shape of x, or the number or text that it is.
std::string FunctionBody::filledIn(StringRef message) {
  std::string text;
  while (!message.empty()) {
    auto [before, rest] = message.split('{');
    text += before;
    auto [name, after] = rest.split('}');
    message = after;
    if (name.empty())
      continue;
    Term term = named(name);
    if (term.text)
      text += *term.text;
    else if (std::optional<double> number = known(term))
      text += std::to_string(wholeNumber(*number));
    else if (term.value)
      text += shapeText(materialize(*term.value, emit));
  }
  return text;
}

/// a, _, b = CALL, or a = EXPRESSION
void FunctionBody::assign(StringRef first) {
  SmallVector<StringRef> targets{first};
  while (cursor.take(","))
    targets.push_back(cursor.takeName());
  if (first.empty() || !cursor.take("=")) {
    fail("its function is malformed before '" + cursor.left().take_front(20) +
         "'");
    return;
  }
  if (targets.size() == 1) {
    names[first] = expression();
    return;
  }
  SmallVector<bool> wanted;
  for (StringRef target : targets)
    wanted.push_back(target != "_");
  Terms results = call(cursor.takeName(), wanted);
  for (auto [target, result] : llvm::zip(targets, results))
    names[target] = result;
}
