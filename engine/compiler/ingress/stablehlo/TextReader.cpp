// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Short forms by their table, and those few that no table describes.
#include "compiler/ingress/stablehlo/TextReader.h"

#include "compiler/ingress/stablehlo/ShortForms.h"
#include "compiler/ingress/stablehlo/Syntax.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace lh;
using namespace mlir;

using Operand = OpAsmParser::UnresolvedOperand;

namespace {

/// Reads one operation word by word.
class FormReader {
public:
  FormReader(OpAsmParser &parser, OperationState &state)
      : parser(parser), state(state), start(parser.getCurrentLocation()) {}

  ParseResult read(StringRef form);

private:
  ParseResult readWord(StringRef word);
  ParseResult readOperandsBeforeCommas();
  ParseResult readAttribute(StringRef name, StringRef kind);
  ParseResult readLiteral(StringRef word);
  ParseResult readTypes(StringRef how);
  ParseResult readFunctionType();
  ParseResult finish(ArrayRef<Type> inputs, ArrayRef<Type> results);
  ParseResult inferTypes(StringRef how, ArrayRef<Type> given);

  Builder &builder() { return parser.getBuilder(); }

  OpAsmParser &parser;
  OperationState &state;
  SmallVector<Operand> operands;
  SMLoc start;
};

} // namespace

ParseResult FormReader::read(StringRef form) {
  SmallVector<StringRef> words;
  form.split(words, ' ', -1, /*KeepEmpty=*/false);
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] != "?,") {
      if (readWord(words[i]))
        return failure();
      continue;
    }
    if (failed(parser.parseOptionalComma()))
      while (words[i + 1] != "attrs")
        ++i;
  }
  return readTypes(words.back());
}

ParseResult FormReader::readWord(StringRef word) {
  if (word == "$")
    return parser.parseOperand(operands.emplace_back());
  if (word == "$*")
    return parser.parseOperandList(operands);
  if (word == "$,")
    return readOperandsBeforeCommas();
  if (word == "attrs")
    return parser.parseOptionalAttrDict(state.attributes);
  if (word.starts_with("<"))
    return readPart(parser, word.drop_front().drop_back(), state.attributes);
  auto [name, kind] = word.split(':');
  if (!kind.empty())
    return readAttribute(name, kind);
  return readLiteral(word);
}

ParseResult FormReader::readOperandsBeforeCommas() {
  while (true) {
    Operand operand;
    OptionalParseResult isThere = parser.parseOptionalOperand(operand);
    if (!isThere.has_value())
      return success();
    if (failed(*isThere) || parser.parseComma())
      return failure();
    operands.push_back(operand);
  }
}

ParseResult FormReader::readAttribute(StringRef name, StringRef kind) {
  if (kind == "list") {
    SmallVector<int64_t> values;
    if (readIntegers(parser, values))
      return failure();
    state.addAttribute(name, builder().getDenseI64ArrayAttr(values));
    return success();
  }
  if (kind == "i64") {
    int64_t value = 0;
    if (parser.parseInteger(value))
      return failure();
    state.addAttribute(name, builder().getI64IntegerAttr(value));
    return success();
  }
  if (kind == "word") {
    StringRef word;
    if (parser.parseKeyword(&word))
      return failure();
    state.addAttribute(name, builder().getStringAttr(word));
    return success();
  }
  if (kind == "symbol") {
    StringAttr symbol;
    if (parser.parseSymbolName(symbol))
      return failure();
    state.addAttribute(name, symbol);
    return success();
  }
  Attribute value;
  if (parser.parseAttribute(value))
    return failure();
  state.addAttribute(name, value);
  return success();
}

ParseResult FormReader::readLiteral(StringRef word) {
  switch (word.front()) {
  case ',':
    return parser.parseComma();
  case '=':
    return parser.parseEqual();
  case '(':
    return parser.parseLParen();
  case ')':
    return parser.parseRParen();
  case '[':
    return parser.parseLSquare();
  case ']':
    return parser.parseRSquare();
  case '{':
    return parser.parseLBrace();
  case '}':
    return parser.parseRBrace();
  default:
    return parser.parseKeyword(word);
  }
}

ParseResult FormReader::finish(ArrayRef<Type> inputs, ArrayRef<Type> results) {
  state.addTypes(results);
  return parser.resolveOperands(operands, inputs, start, state.operands);
}

/// `(types) -> types`, behind the first parenthesis.
ParseResult FormReader::readFunctionType() {
  SmallVector<Type> inputs, results;
  if (failed(parser.parseOptionalRParen()) &&
      (parser.parseTypeList(inputs) || parser.parseRParen()))
    return failure();
  if (parser.parseArrowTypeList(results))
    return failure();
  return finish(inputs, results);
}

ParseResult FormReader::readTypes(StringRef how) {
  // `return` without values has no types at all.
  if (how == "same" && operands.empty()) {
    if (failed(parser.parseOptionalColon()))
      return success();
  } else if (parser.parseColon()) {
    return failure();
  }
  SmallVector<Type> given, results;
  if (how == "results") {
    if (parser.parseTypeList(results))
      return failure();
    return finish({}, results);
  }
  if (succeeded(parser.parseOptionalLParen()))
    return readFunctionType();
  if (parser.parseTypeList(given))
    return failure();
  if (succeeded(parser.parseOptionalArrow())) {
    if (parser.parseTypeList(results))
      return failure();
    return finish(given, results);
  }
  return inferTypes(how, given);
}

/// The types that an operation's rule makes of those that are written.
ParseResult FormReader::inferTypes(StringRef how, ArrayRef<Type> given) {
  auto refuse = [&] {
    return parser.emitError(start, "these types don't fit '")
           << state.name << "'";
  };
  if (state.name.getStringRef().ends_with(".return"))
    return finish(given, {});
  if (how == "select") {
    if (given.size() != 2)
      return refuse();
    return finish({given[0], given[1], given[1]}, given[1]);
  }
  if (how == "complex") {
    auto tensor = dyn_cast<ShapedType>(given.front());
    auto element =
        tensor ? dyn_cast<ComplexType>(tensor.getElementType()) : ComplexType();
    if (!element)
      return refuse();
    Type part = tensor.clone(element.getElementType());
    return finish({part, part}, given.front());
  }
  if (how == "tuple") {
    auto tuple = dyn_cast<TupleType>(given.front());
    if (!tuple)
      return refuse();
    return finish(tuple.getTypes(), tuple);
  }
  if (given.size() == 1)
    return finish(SmallVector<Type>(operands.size(), given.front()),
                  given.front());
  return finish(given, given);
}

/// `dense<...> : type`, or `() {value = dense<...>} : () -> type` as it was
/// printed once.
static ParseResult readConstant(OpAsmParser &parser, OperationState &state) {
  if (succeeded(parser.parseOptionalLParen())) {
    Type type;
    if (parser.parseRParen() ||
        parser.parseOptionalAttrDict(state.attributes) || parser.parseColon() ||
        parser.parseLParen() || parser.parseRParen() || parser.parseArrow() ||
        parser.parseType(type))
      return failure();
    state.addTypes(type);
    return success();
  }
  ElementsAttr value;
  if (parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseAttribute(value, "value", state.attributes))
    return failure();
  state.addTypes(value.getShapedType());
  return success();
}

/// `(%a init: %b), (%c init: %d)`: first all inputs, then all initial values.
static ParseResult readReduced(OpAsmParser &parser,
                               SmallVector<Operand> &operands) {
  SmallVector<Operand> inits;
  do
    if (parser.parseLParen() || parser.parseOperand(operands.emplace_back()) ||
        parser.parseKeyword("init") || parser.parseColon() ||
        parser.parseOperand(inits.emplace_back()) || parser.parseRParen())
      return failure();
  while (succeeded(parser.parseOptionalComma()));
  operands.append(inits);
  return success();
}

/// A region that applies one operation to two scalars.
static void addAppliedRegion(Region &region, StringRef operation, Type element,
                             Location loc) {
  OpBuilder b(loc.getContext());
  auto scalar = RankedTensorType::get({}, element);
  Block *block = b.createBlock(&region, {}, {scalar, scalar}, {loc, loc});
  OperationState inner(loc, operation, block->getArguments(), scalar);
  Operation *made = b.create(inner);
  OperationState end(loc, "stablehlo.return", made->getResults(), TypeRange());
  b.create(end);
}

/// `reducer(%a: T, %b: T) (%c: U, %d: U) { ... }`: the region's arguments are
/// all first ones, then all second ones.
static ParseResult readReducer(OpAsmParser &parser, size_t count,
                               Region &region) {
  SmallVector<OpAsmParser::Argument> left, right;
  if (parser.parseKeyword("reducer"))
    return failure();
  auto readOne = [&](OpAsmParser::Argument &argument) {
    return parser.parseArgument(argument, /*allowType=*/true,
                                /*allowAttrs=*/true);
  };
  for (size_t i = 0; i < count; ++i)
    if (parser.parseLParen() || readOne(left.emplace_back()) ||
        parser.parseComma() || readOne(right.emplace_back()) ||
        parser.parseRParen())
      return failure();
  left.append(right);
  for (OpAsmParser::Argument &argument : left)
    if (parser.parseOptionalLocationSpecifier(argument.sourceLoc))
      return failure();
  return parser.parseRegion(region, left);
}

/// Two spellings: `applies stablehlo.add across dimensions = [1] : type`, and
/// `across dimensions = [1] : type reducer(...) {...}`.
static ParseResult readReduce(OpAsmParser &parser, OperationState &state) {
  SmallVector<Operand> operands;
  SmallVector<int64_t> dimensions;
  SMLoc start = parser.getCurrentLocation();
  Location loc = parser.getEncodedSourceLoc(start);
  std::string applied;
  if (readReduced(parser, operands))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("applies"))) {
    FailureOr<OperationName> name = parser.parseCustomOperationName();
    if (failed(name))
      return failure();
    applied = name->getStringRef().str();
  }
  Builder &b = parser.getBuilder();
  FunctionType type;
  if (parser.parseKeyword("across") || parser.parseKeyword("dimensions") ||
      parser.parseEqual() || readIntegers(parser, dimensions) ||
      parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonType(type) ||
      parser.resolveOperands(operands, type.getInputs(), start, state.operands))
    return failure();
  state.addTypes(type.getResults());
  state.addAttribute("dimensions", b.getDenseI64ArrayAttr(dimensions));
  Region &region = *state.addRegion();
  if (applied.empty())
    return readReducer(parser, operands.size() / 2, region);
  auto shaped = dyn_cast<ShapedType>(type.getInput(0));
  if (!shaped)
    return parser.emitError(start, "'")
           << state.name << "' takes tensors, not " << type.getInput(0);
  addAppliedRegion(region, applied, shaped.getElementType(), loc);
  return success();
}

/// `(%i = %init, ...) : types attributes {...} cond {...} do {...}`.
static ParseResult readWhile(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Operand> inits;
  SmallVector<Type> types;
  SMLoc start = parser.getCurrentLocation();
  auto readOne = [&]() -> ParseResult {
    return failure(parser.parseArgument(arguments.emplace_back()) ||
                   parser.parseEqual() ||
                   parser.parseOperand(inits.emplace_back()));
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, readOne))
    return failure();
  if (!inits.empty() &&
      (parser.parseColonTypeList(types) ||
       parser.resolveOperands(inits, types, start, state.operands)))
    return failure();
  for (auto [argument, type] : llvm::zip(arguments, types))
    argument.type = type;
  state.addTypes(types);
  return failure(parser.parseOptionalAttrDictWithKeyword(state.attributes) ||
                 parser.parseKeyword("cond") ||
                 parser.parseRegion(*state.addRegion(), arguments) ||
                 parser.parseKeyword("do") ||
                 parser.parseRegion(*state.addRegion(), arguments));
}

/// `(%x, k = 8) : type -> (type, type)`.
static ParseResult readTopK(OpAsmParser &parser, OperationState &state) {
  Operand operand;
  int64_t k = 0;
  Type input;
  SmallVector<Type> results;
  if (parser.parseLParen() || parser.parseOperand(operand) ||
      parser.parseComma() || parser.parseKeyword("k") || parser.parseEqual() ||
      parser.parseInteger(k) || parser.parseRParen() ||
      parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonType(input) || parser.parseArrowTypeList(results))
    return failure();
  state.addAttribute("k", parser.getBuilder().getI64IntegerAttr(k));
  state.addTypes(results);
  return parser.resolveOperand(operand, input, state.operands);
}

/// `, max_ulp_difference = 3` and the like, which say how exact the test's
/// authors want a result; `{tolerance = 0.1 : f64}` once.
static ParseResult readCheckOptions(OpAsmParser &parser,
                                    OperationState &state) {
  while (succeeded(parser.parseOptionalComma())) {
    StringRef name;
    APInt whole;
    double number = 0;
    if (parser.parseKeyword(&name) || parser.parseEqual())
      return failure();
    // A colon behind the number belongs to the operands' types.
    OptionalParseResult isWhole = parser.parseOptionalInteger(whole);
    if (isWhole.has_value() ? failed(*isWhole)
                            : failed(parser.parseFloat(number)))
      return failure();
  }
  return parser.parseOptionalAttrDict(state.attributes);
}

/// What StableHLO's own tests end with: `check.expect_eq %x, %y : types` or
/// `check.expect_eq_const %x, dense<...> : type`.
static ParseResult readCheck(OpAsmParser &parser, OperationState &state) {
  Operand actual, expected;
  if (parser.parseOperand(actual) || parser.parseComma())
    return failure();
  OptionalParseResult hasOperand = parser.parseOptionalOperand(expected);
  if (!hasOperand.has_value()) {
    TypedAttr value;
    if (parser.parseAttribute(value, "value", state.attributes) ||
        readCheckOptions(parser, state))
      return failure();
    return parser.resolveOperand(actual, value.getType(), state.operands);
  }
  SmallVector<Type> types;
  if (failed(*hasOperand) || readCheckOptions(parser, state) ||
      parser.parseColonTypeList(types))
    return failure();
  return failure(parser.resolveOperand(actual, types.front(), state.operands) ||
                 parser.resolveOperand(expected, types.back(), state.operands));
}

ParseResult lh::readShortForm(OpAsmParser &parser, OperationState &state) {
  StringRef name = state.name.getStringRef();
  if (name.starts_with("check."))
    return readCheck(parser, state);
  if (name == "stablehlo.constant")
    return readConstant(parser, state);
  if (name == "stablehlo.reduce")
    return readReduce(parser, state);
  if (name == "stablehlo.while")
    return readWhile(parser, state);
  if (name == "chlo.top_k")
    return readTopK(parser, state);
  StringRef form = shortFormOf(name);
  if (form.empty())
    return parser.emitError(parser.getNameLoc(), "'")
           << name << "' has no short form; the generic one is \"" << name
           << "\"(...)";
  return FormReader(parser, state).read(form);
}
