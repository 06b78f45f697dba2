// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations one by one: their operands, rules and results; regions and calls.
#include "compiler/ingress/stablehlo/OpTable.h"
#include "compiler/ingress/stablehlo/ProgramImporter.h"
#include "compiler/ingress/stablehlo/Quantisation.h"
#include "compiler/ingress/stablehlo/ScalarOps.h"
#include "compiler/ingress/stablehlo/ScalarRegion.h"

#include <utility>

using namespace lh;
using namespace mlir;

/// Functions that call functions can unfold to any size.
static constexpr size_t maxImportedOps = 1 << 18;
/// No memory holds more elements along one dimension.
static constexpr int64_t maxSize = int64_t(1) << 48;

FailureOr<std::vector<HloValue>>
ProgramImporter::importRegion(Region &region, ArrayRef<HloValue> arguments) {
  if (!region.hasOneBlock() || region.getNumArguments() != arguments.size())
    return sink.error(DiagKind::IngressInvalidNode, spanOf(region.getLoc()),
                      "a region must have one block of " +
                          Twine(arguments.size()) + " arguments");
  for (auto [own, value] : llvm::zip(region.getArguments(), arguments)) {
    auto type = dyn_cast<RankedTensorType>(own.getType());
    bool fits =
        !type || (value.tensor && rankOf(value.tensor) == type.getRank() &&
                  dtypeOf(type.getElementType()) == value.dtype);
    if (!fits)
      return sink.error(DiagKind::IngressShapeMismatch, spanOf(region.getLoc()),
                        "argument " + Twine(own.getArgNumber()) +
                            " of a region doesn't have the type of what it "
                            "stands for");
    values[own] = value;
  }
  return importBlock(region.front());
}

FailureOr<std::vector<HloValue>> ProgramImporter::importBlock(Block &block) {
  if (block.empty())
    return sink.error(DiagKind::IngressInvalidNode,
                      spanOf(block.getParentOp()->getLoc()),
                      "a region is empty");
  Operation &last = block.back();
  bool isTerminator = isa<func::ReturnOp>(last) ||
                      last.getName().getStringRef() == "stablehlo.return";
  // An unregistered operation isn't known as a terminator.
  if (!isTerminator)
    return sink.error(DiagKind::IngressInvalidNode, spanOf(last.getLoc()),
                      "a block must end with 'return' or 'stablehlo.return'");
  bool isGood = true;
  for (Operation &op : block)
    isGood &= &op == &last || succeeded(importOperation(op));
  FailureOr<std::vector<HloValue>> results = inputsOf(last);
  if (!isGood)
    return failure();
  return results;
}

FailureOr<std::vector<HloValue>> ProgramImporter::inputsOf(Operation &op) {
  std::vector<HloValue> inputs;
  for (Value operand : op.getOperands()) {
    auto found = values.find(operand);
    if (found == values.end())
      return failure(); // its operation has failed, and said so
    inputs.push_back(found->second);
  }
  return inputs;
}

static LogicalResult checkCounts(OpContext &c, const HloRow &row) {
  auto refuse = [&](StringRef what, size_t has, unsigned needs) {
    return c.error("it has " + Twine(has) + " " + what + ", " + Twine(needs) +
                   " are needed");
  };
  if (c.inputCount() < row.minInputs)
    return refuse("operands", c.inputCount(), row.minInputs);
  if (c.inputCount() > row.maxInputs)
    return refuse("operands", c.inputCount(), row.maxInputs);
  if (row.results != HloRow::any && c.resultCount() != row.results)
    return refuse("results", c.resultCount(), row.results);
  if (row.regions != HloRow::any && c.op.getNumRegions() != row.regions)
    return refuse("regions", c.op.getNumRegions(), row.regions);
  return success();
}

/// Makes tensors of one rank have the sizes of the first, after a check where
/// only the run knows them.
static LogicalResult alignSizes(OpContext &c, ArrayRef<size_t> operands) {
  Emitter &emit = c.emit;
  Sizes first = emit.sizesOf(c.in(operands.front()));
  for (size_t i : operands.drop_front()) {
    Sizes own = emit.sizesOf(c.in(i));
    bool fits = own.size() == first.size();
    for (size_t dim = 0; fits && dim < own.size(); ++dim) {
      std::optional<int64_t> a = emit.known(first[dim]);
      std::optional<int64_t> b = emit.known(own[dim]);
      fits = !a || !b || *a == *b;
      emit.requireSame(first[dim], own[dim],
                       "the sizes of its operands differ");
      if (!a && b)
        first[dim] = own[dim];
    }
    if (!fits)
      return c.mismatch("operand " + Twine(i) + " has shape " +
                        shapeText(c.in(i)) + ", operand " +
                        Twine(operands.front()) + " has " +
                        shapeText(c.in(operands.front())));
  }
  for (size_t i : operands)
    emit.remember(c.in(i), first);
  return success();
}

/// Scalars may stand beside tensors where an operation says so.
static bool mayBeScalar(StringRef name, size_t operand) {
  return (name == "select" && operand == 0) ||
         (name == "clamp" && operand != 1);
}

LogicalResult ProgramImporter::convertElementwise(OpContext &c,
                                                  const ScalarRow &row) {
  HloRow counts{row.operands, row.operands, 1, 0, nullptr};
  if (failed(checkCounts(c, counts)))
    return failure();
  SmallVector<DType> dtypes;
  SmallVector<Value> tensors;
  SmallVector<size_t> alike;
  for (size_t i = 0; i < c.inputCount(); ++i) {
    dtypes.push_back(c.dtype(i));
    tensors.push_back(c.value(i).repeated ? c.value(i).repeated : c.in(i));
    if (c.rank(i) != 0 || !mayBeScalar(c.name(), i))
      alike.push_back(i);
  }
  DType result = c.resultType();
  if (std::optional<std::string> why = whyNotScalar(row, c.op, dtypes, result))
    return c.error(*why, DiagKind::IngressUnsupportedType);
  if (failed(alignSizes(c, alike)))
    return failure();
  Sizes sizes = emit.sizesOf(c.in(alike.front()));
  return c.result(emit.mapTo(
      sizes, tensors, emit.typeOf(result),
      [&](OpBuilder &b, Location loc, ValueRange scalars) {
        return computeScalar(row, c.op, b, loc, scalars, dtypes, result);
      }));
}

/// Operations whose operands and results may be tokens or tuples.
static bool takesOthers(StringRef name) {
  return llvm::is_contained({"after_all", "create_token",
                             "optimization_barrier", "custom_call", "tuple",
                             "get_tuple_element"},
                            name);
}

LogicalResult ProgramImporter::convert(OpContext &c) {
  if (!takesOthers(c.name())) {
    for (size_t i = 0; i < c.inputCount(); ++i)
      if (!c.in(i))
        return c.error("operand " + Twine(i) + " is no tensor");
    for (size_t i = 0; i < c.resultCount(); ++i)
      if (!isa<RankedTensorType>(c.op.getResultTypes()[i]))
        return c.error("result " + Twine(i) + " is no tensor");
  }
  StringRef name = c.op.getName().getStringRef();
  if (const ScalarRow *row = findScalarRow(name))
    return convertElementwise(c, *row);
  auto found = hloTable().find(name);
  if (found == hloTable().end())
    return c.error("it can only end a block");
  const HloRow &row = found->second;
  if (failed(checkCounts(c, row)))
    return failure();
  return row.convert(c);
}

/// What a converter made must have the declared type; open sizes take on what
/// is known.
FailureOr<HloValue> ProgramImporter::finishResult(OpContext &c, size_t i) {
  if (!c.results[i])
    return c.error("result " + Twine(i) + " is not supported",
                   DiagKind::IngressUnsupportedOp);
  HloValue value = *c.results[i];
  if (!value.tensor)
    return value;
  if (!isa<RankedTensorType>(
          c.op.getResult(static_cast<unsigned>(i)).getType()))
    return c.error("result " + Twine(i) + " is a tensor");
  RankedTensorType type = c.declared(i), made = tensorTypeOf(value.tensor);
  bool fits = made.getRank() == type.getRank();
  SmallVector<int64_t> shape(made.getShape());
  for (size_t dim = 0; fits && dim < shape.size(); ++dim) {
    int64_t declared = type.getShape()[dim];
    if (shape[dim] > maxSize)
      return c.mismatch("a dimension of " + Twine(shape[dim]) +
                        " is more than any memory holds");
    if (ShapedType::isDynamic(declared))
      continue;
    fits = ShapedType::isDynamic(shape[dim]) || shape[dim] == declared;
    shape[dim] = declared;
  }
  if (value.dtype != c.resultType(i))
    return c.error("result " + Twine(i) + " is declared as '" +
                       dtypeName(c.resultType(i)) + "', but it is '" +
                       dtypeName(value.dtype) + "'",
                   DiagKind::IngressShapeMismatch);
  if (!fits) {
    std::string declared;
    llvm::raw_string_ostream(declared)
        << c.op.getResult(static_cast<unsigned>(i)).getType();
    return c.mismatch("result " + Twine(i) + " is declared as " + declared +
                      ", but it has shape " + shapeText(value.tensor));
  }
  value.tensor = emit.castTo(
      value.tensor, RankedTensorType::get(shape, made.getElementType()));
  Type own = c.op.getResult(static_cast<unsigned>(i)).getType();
  quant::QuantizedType quantised = quantisedTypeOf(own);
  bool rounds = quantised && c.name() != "constant";
  if (rounds) {
    value.tensor = emitDequantised(
        emit, emitQuantised(emit, value.tensor, quantised), quantised);
    value.repeated = {};
  }
  return value;
}

LogicalResult ProgramImporter::finishResults(OpContext &c) {
  for (size_t i = 0; i < c.resultCount(); ++i) {
    FailureOr<HloValue> value = finishResult(c, i);
    if (failed(value))
      return failure();
    values[c.op.getResult(static_cast<unsigned>(i))] = *value;
  }
  return success();
}

LogicalResult ProgramImporter::importOperation(Operation &op) {
  if (++importedOps > maxImportedOps) {
    if (importedOps == maxImportedOps + 1)
      return sink.error(DiagKind::IngressMalformedModel, spanOf(op.getLoc()),
                        "the program's calls unfold to more than " +
                            Twine(maxImportedOps) + " operations");
    return failure();
  }
  FailureOr<std::vector<HloValue>> inputs = inputsOf(op);
  if (failed(inputs))
    return failure();
  Location before = emit.loc;
  emit.loc = op.getLoc();
  std::string node = ("'" + op.getName().getStringRef() + "'").str();
  if (SourceSpan place = spanOf(op.getLoc()); place.isKnown())
    node += " of line " + std::to_string(place.line);
  emit.node = node;
  OpContext context(op, emit, std::move(*inputs), *this, sink);
  LogicalResult done = success();
  if (auto call = dyn_cast<func::CallOp>(op)) {
    auto results = importCall(op, call.getCallee(), context.values());
    done = success(succeeded(results));
    if (succeeded(results) && results->size() == context.resultCount())
      for (auto [i, value] : llvm::enumerate(*results))
        context.results[i] = value;
  } else {
    done = convert(context);
  }
  emit.loc = op.getLoc();
  emit.node = node;
  if (std::optional<std::string> mistake = std::exchange(emit.mistake, {}))
    done = succeeded(done) ? context.mismatch(*mistake) : done;
  if (succeeded(done))
    done = finishResults(context);
  emit.loc = before;
  return done;
}

FailureOr<std::vector<HloValue>>
ProgramImporter::importCall(Operation &user, StringRef name,
                            ArrayRef<HloValue> arguments) {
  auto refuse = [&](const Twine &message) {
    return sink.error(DiagKind::IngressUndefinedValue, spanOf(user.getLoc()),
                      message);
  };
  auto function = program.lookupSymbol<func::FuncOp>(name);
  if (!function || function.isExternal())
    return refuse("there is no function '@" + name + "' with a body");
  if (llvm::is_contained(calls, name.str()))
    return refuse("'@" + name + "' calls itself; no loop can be made of that");
  calls.push_back(name.str());
  auto results = importRegion(function.getBody(), arguments);
  calls.pop_back();
  return results;
}

FailureOr<SmallVector<Value>>
ProgramImporter::computeScalars(Region &region, OpBuilder &b, Location loc,
                                ValueRange scalars) {
  return ScalarRegion(program, values, calls, b, loc, sink)
      .run(region, scalars);
}
