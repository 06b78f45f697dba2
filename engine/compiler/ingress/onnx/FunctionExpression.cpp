// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The expressions of functions/*.txt; functions/README.md says what they mean.
#include "compiler/ingress/onnx/FunctionBody.h"

#include "compiler/ingress/onnx/ops/Attention.h"
#include "compiler/ingress/onnx/ops/LayerNormalization.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

#include <cmath>
#include <deque>

using namespace lh;
using namespace mlir;

FunctionTerm FunctionBody::shaped(Elements elements, bool isScalar) const {
  return Term::of(
      ImportedValue{Value(), DType::Int64, std::move(elements), isScalar});
}

std::optional<double> FunctionBody::known(const Term &term) const {
  if (!term.value)
    return term.number;
  if (!term.value->elements || term.value->elements->size() != 1)
    return std::nullopt;
  std::optional<int64_t> size = emit.known(term.value->elements->front());
  return size ? std::optional<double>(*size) : std::nullopt;
}

/// Nothing doesn't.
bool FunctionBody::holds(const Term &term) {
  std::optional<double> number = term.isNothing() ? 0.0 : known(term);
  if (!number)
    fail("its function asks for what only the run knows, before '" +
         cursor.left().take_front(20) + "'");
  return number.value_or(0) != 0;
}

/// Of numbers: in `dtype`, or int64 as shapes are.
ImportedValue FunctionBody::valueOf(const Term &term,
                                    std::optional<DType> dtype) {
  if (term.value)
    return *term.value;
  DType type = dtype.value_or(DType::Int64);
  double number = term.number.value_or(0);
  if (type == DType::Int64)
    return *shaped({emit.index(wholeNumber(number))}, true).value;
  return {emit.constant({}, {number}, type), type, std::nullopt, false};
}

/// Integers, such as those of a shape.
FunctionBody::Elements FunctionBody::elementsOf(const Term &term) {
  if (isSkipping || hasFailed)
    return {};
  ImportedValue value = valueOf(term);
  FailureOr<Sizes> elements = node.elements(value, "what gives sizes");
  hasFailed = failed(elements);
  return hasFailed ? Elements() : *elements;
}

/// The right side of `or` and `and` is asked only where the left doesn't
/// decide.
FunctionTerm FunctionBody::expression() {
  Term left = conjunction();
  while (cursor.take("or ")) {
    bool isDecided = holds(left);
    llvm::SaveAndRestore skip(isSkipping, isSkipping || isDecided);
    Term right = conjunction();
    left = Term::of(isDecided || holds(right) ? 1.0 : 0.0);
  }
  return left;
}

FunctionTerm FunctionBody::conjunction() {
  Term left = comparison();
  while (cursor.take("and ")) {
    bool isOpen = holds(left);
    llvm::SaveAndRestore skip(isSkipping, isSkipping || !isOpen);
    Term right = comparison();
    left = Term::of(isOpen && holds(right) ? 1.0 : 0.0);
  }
  return left;
}

FunctionTerm FunctionBody::comparison() {
  Term left = sum();
  for (StringRef op : {"==", "!=", "<=", ">=", "<", ">"})
    if (cursor.take(op))
      return binary(op, left, sum());
  return left;
}

FunctionTerm FunctionBody::sum() {
  Term left = product();
  for (;;) {
    StringRef op = cursor.left().take_front(1);
    if ((op != "+" && op != "-") || !cursor.take(op))
      return left;
    left = binary(op, left, product());
  }
}

FunctionTerm FunctionBody::product() {
  Term left = factor();
  for (;;) {
    StringRef op = cursor.left().take_front(1);
    if ((op != "*" && op != "/" && op != "%") || !cursor.take(op))
      return left;
    left = binary(op, left, factor());
  }
}

FunctionTerm FunctionBody::factor() {
  if (cursor.take("-"))
    return binary("-", Term::of(0.0), factor());
  if (cursor.take("not "))
    return Term::of(holds(factor()) ? 0.0 : 1.0);
  if (cursor.take("(")) {
    Term inside = expression();
    cursor.take(")");
    return inside;
  }
  if (cursor.take("["))
    return list();
  if (cursor.sees("\"")) {
    Term term;
    term.text = cursor.takeText();
    return term;
  }
  if (std::optional<double> number = cursor.takeNumber())
    return Term::of(*number);
  StringRef name = cursor.takeName();
  if (!callFollows())
    return named(name);
  Terms results = call(name, {true});
  return results.empty() ? Term() : results.front();
}

/// Integers of a shape: sizes, vectors of them, and ranges (a..b, without b).
FunctionTerm FunctionBody::list() {
  Elements elements;
  while (!cursor.take("]") && !hasFailed) {
    Term term = expression();
    if (cursor.take("..")) {
      double end = known(expression()).value_or(0);
      for (double each = known(term).value_or(0); each < end; ++each)
        elements.push_back(emit.index(static_cast<int64_t>(each)));
    } else {
      elements.append(elementsOf(term));
    }
    cursor.take(",");
  }
  return shaped(elements, false);
}

FunctionTerm FunctionBody::named(StringRef name) {
  auto found = names.find(name);
  if (found != names.end())
    return found->second;
  return fail("its function knows no '" + name + "'");
}

/// "(" or "<name =" after a name; a lone "<" compares.
bool FunctionBody::callFollows() const {
  FunctionCursor ahead = cursor;
  if (!ahead.take("<"))
    return ahead.sees("(");
  return !ahead.takeName().empty() && ahead.take("=") && !ahead.sees("=");
}

static std::optional<double> folded(StringRef op, double a, double b) {
  return llvm::StringSwitch<std::optional<double>>(op)
      .Case("+", a + b)
      .Case("-", a - b)
      .Case("*", a * b)
      .Case("/", b == 0 ? 0 : a / b)
      .Case("%", std::fmod(a, b))
      .Case("==", a == b)
      .Case("!=", a != b)
      .Case("<", a < b)
      .Case("<=", a <= b)
      .Case(">", a > b)
      .Case(">=", a >= b)
      .Default(std::nullopt);
}

/// Without one operand the other is the result.
FunctionTerm FunctionBody::binary(StringRef op, Term a, Term b) {
  if (a.text || b.text)
    return Term::of((a.text == b.text) == (op == "==") ? 1.0 : 0.0);
  if (a.isNothing() || b.isNothing())
    return a.isNothing() ? b : a;
  std::optional<double> x = known(a), y = known(b);
  if (x && y)
    return Term::of(*folded(op, *x, *y));
  if (op == "-" && a.number == 0.0)
    return callOperator("Neg", {}, {b}, {true}).front();
  std::optional<DType> dtype;
  for (const Term *side : {&a, &b})
    if (side->value)
      dtype = side->value->dtype;
  StringRef name = llvm::StringSwitch<StringRef>(op)
                       .Case("+", "Add")
                       .Case("-", "Sub")
                       .Case("*", "Mul")
                       .Case("/", "Div")
                       .Case("%", "Mod")
                       .Case("<", "Less")
                       .Case("<=", "LessOrEqual")
                       .Case(">", "Greater")
                       .Case(">=", "GreaterOrEqual")
                       .Default("Equal");
  Term left = Term::of(valueOf(a, dtype)), right = Term::of(valueOf(b, dtype));
  return callOperator(name, {}, {left, right}, {true}).front();
}

/// <name = EXPRESSION, ...>; what is nothing is left out. The name of a type is
/// its number, too.
std::vector<OnnxAttribute> FunctionBody::attributes() {
  std::vector<OnnxAttribute> list;
  while (!cursor.take(">") && !hasFailed) {
    OnnxAttribute attribute;
    attribute.name = cursor.takeName();
    cursor.take("=");
    Term term = sum();
    cursor.take(",");
    if (term.isNothing())
      continue;
    if (std::optional<double> number = known(term)) {
      attribute.i = wholeNumber(*number);
      attribute.f = static_cast<float>(*number);
    }
    if (term.text) {
      attribute.s = *term.text;
      if (std::optional<DType> dtype = parseDType(*term.text))
        attribute.i = onnxTypeOf(*dtype);
    }
    if (term.value && term.value->elements)
      for (OpFoldResult element : *term.value->elements)
        attribute.ints.push_back(emit.known(element).value_or(0));
    list.push_back(std::move(attribute));
  }
  return list;
}

FunctionBody::Terms FunctionBody::call(StringRef name, ArrayRef<bool> wanted) {
  std::vector<OnnxAttribute> given;
  if (cursor.take("<"))
    given = attributes();
  Terms arguments;
  cursor.take("(");
  while (!cursor.take(")") && !hasFailed) {
    arguments.push_back(expression());
    cursor.take(",");
  }
  if (hasFailed || isSkipping)
    return Terms(wanted.size());
  bool isBuiltin =
      (name.front() >= 'a' && name.front() <= 'z') && !name.contains('.');
  if (isBuiltin)
    return {callBuiltin(name, arguments)};
  return callOperator(name, std::move(given), arguments, wanted);
}

FunctionBody::Terms
FunctionBody::callOperator(StringRef name,
                           std::vector<OnnxAttribute> attributes,
                           ArrayRef<Term> arguments, ArrayRef<bool> wanted) {
  Terms results(wanted.size());
  bool hasNothing = !arguments.empty() && arguments.front().isNothing();
  if (hasFailed || hasNothing || isSkipping)
    return results;
  std::deque<ImportedValue> storage;
  std::vector<ImportedValue *> inputs;
  for (const Term &argument : arguments) {
    if (!argument.isNothing())
      storage.push_back(valueOf(argument));
    inputs.push_back(argument.isNothing() ? nullptr : &storage.back());
  }
  OnnxNode inner;
  auto [domain, opType] = name.rsplit('.');
  inner.opType = opType.empty() ? name : opType;
  inner.domain = opType.empty() ? StringRef() : domain;
  inner.attributes = std::move(attributes);
  for (bool each : wanted)
    inner.outputs.push_back(each ? "y" : "");
  auto converted = node.bodies.applyOperator(inner, node, std::move(inputs));
  hasFailed |= failed(converted);
  if (!hasFailed)
    for (auto [result, value] : llvm::zip(results, *converted))
      if (value)
        result = Term::of(*value);
  return results;
}

/// What is asked at import.
FunctionTerm FunctionBody::question(StringRef name, ArrayRef<Term> arguments) {
  const Term &first = arguments.front();
  auto yes = [](bool holds) { return Term::of(holds ? 1.0 : 0.0); };
  if (name == "has")
    return yes(!first.isNothing());
  if (first.isNothing())
    return first;
  if (name == "at") {
    auto place = static_cast<size_t>(known(arguments.back()).value_or(0));
    return place < first.floats.size()
               ? Term::of(static_cast<double>(first.floats[place]))
               : Term();
  }
  if (name == "known")
    return yes(known(first).has_value());
  if (name == "wanted")
    return yes(node.wants(static_cast<size_t>(known(first).value_or(0))));
  ImportedValue value = valueOf(first);
  Term answer;
  answer.text = dtypeName(value.dtype);
  if (name == "type")
    return answer;
  Value tensor = materialize(value, emit);
  int64_t rank = rankOf(tensor);
  if (name == "rank")
    return Term::of(static_cast<double>(rank));
  int64_t at = wholeNumber(known(arguments.back()).value_or(0));
  if (at < -rank || at >= rank)
    return fail("an input of shape " + shapeText(tensor) +
                " has too few dimensions");
  auto dim = static_cast<size_t>(at < 0 ? at + rank : at);
  return shaped({emit.sizesOf(tensor)[dim]}, true);
}

/// The type of a value, or the one that a name or a number of ONNX stands for.
std::optional<DType> FunctionBody::typeOf(const Term &term) {
  std::optional<DType> type;
  if (term.value)
    return term.value->dtype;
  if (term.text)
    type = parseDType(*term.text);
  else if (term.number)
    type = dtypeOfOnnx(wholeNumber(*term.number));
  if (!type)
    fail("'" + Twine(wholeNumber(term.number.value_or(0))) +
             "' is no type that is supported",
         DiagKind::IngressUnsupportedType);
  return type;
}

/// What keeps the numbers of `x`, but for their type.
FunctionTerm FunctionBody::callBuiltin(StringRef name,
                                       ArrayRef<Term> arguments) {
  bool isQuestion = llvm::is_contained(
      {"has", "known", "wanted", "type", "rank", "size", "at"}, name);
  if (arguments.empty())
    return fail("its function asks '" + name + "' of nothing");
  if (isQuestion)
    return question(name, arguments);
  const Term &x = arguments.front();
  if (x.isNothing())
    return x;
  std::optional<DType> dtype = typeOf(arguments.back());
  if (!dtype)
    return {};
  ImportedValue value = valueOf(x, dtype);
  Value tensor = materialize(value, emit);
  if (name == "spread") {
    ImportedValue target = valueOf(arguments.back());
    hasFailed |= failed(
        checkBroadcast(node, tensor, materialize(target, emit), "an input"));
    return x;
  }
  if (name == "wide")
    dtype = computedType(*dtype);
  else if (name != "as")
    return fail("its function calls '" + name + "', which is nothing");
  return Term::of(ImportedValue{emit.convert(tensor, value.dtype, *dtype),
                                *dtype, std::nullopt, false});
}
