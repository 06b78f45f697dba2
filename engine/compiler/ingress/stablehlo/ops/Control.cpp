// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops, branches and calls.
#include "compiler/ingress/stablehlo/OpTable.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace lh;
using namespace mlir;

/// The tensors of values, in the types that the operation declares.
static SmallVector<Value> declaredTensors(OpContext &c,
                                          ArrayRef<HloValue> values) {
  SmallVector<Value> tensors;
  for (auto [i, value] : llvm::enumerate(values))
    tensors.push_back(c.emit.castTo(value.tensor, c.declared(i)));
  return tensors;
}

static bool haveDeclaredTypes(const OpContext &c, ArrayRef<HloValue> values) {
  if (values.size() != c.resultCount())
    return false;
  for (auto [i, value] : llvm::enumerate(values)) {
    bool fits = value.tensor && value.dtype == c.resultType(i) &&
                rankOf(value.tensor) == c.declared(i).getRank();
    for (size_t dim = 0;
         fits && dim < static_cast<size_t>(c.declared(i).getRank()); ++dim) {
      int64_t a = c.declared(i).getShape()[dim];
      int64_t b = tensorTypeOf(value.tensor).getShape()[dim];
      fits = a == b || ShapedType::isDynamic(a) || ShapedType::isDynamic(b);
    }
    if (!fits)
      return false;
  }
  return true;
}

static LogicalResult refuseYield(const OpContext &c) {
  return c.mismatch("a region doesn't give values of the result's types");
}

namespace {
/// `for (i = start; i < limit; i += 1)` as a while loop has it.
struct Counting {
  unsigned counter; ///< which of the carried values
  Value limit;      ///< a scalar of the program, from outside of the loop
};
} // namespace

static std::optional<unsigned> argumentOf(Value value, Region &region) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != &region.front())
    return std::nullopt;
  return argument.getArgNumber();
}

static bool isOne(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getName().getStringRef() != "stablehlo.constant")
    return false;
  auto dense = dyn_cast_or_null<DenseIntElementsAttr>(op->getAttr("value"));
  return dense && dense.getNumElements() == 1 &&
         (*dense.value_begin<APInt>()).isOne();
}

/// The constant inside of a region that a value is; else null.
static Operation *constantOf(Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->getName().getStringRef() == "stablehlo.constant" ? op
                                                                    : nullptr;
}

/// Whether the loop counts one of its values up by one, from any start, to what
/// doesn't change.
static std::optional<Counting> countingOf(Operation &loop) {
  Region &condition = loop.getRegion(0), &body = loop.getRegion(1);
  Operation &test = condition.front().back(), &end = body.front().back();
  if (test.getNumOperands() != 1)
    return std::nullopt;
  Operation *compare = test.getOperand(0).getDefiningOp();
  if (!compare || compare->getName().getStringRef() != "stablehlo.compare" ||
      compare->getNumOperands() != 2)
    return std::nullopt;
  auto direction =
      dyn_cast_or_null<StringAttr>(compare->getAttr("comparison_direction"));
  std::optional<unsigned> counter =
      argumentOf(compare->getOperand(0), condition);
  if (!direction || direction.getValue() != "LT" || !counter)
    return std::nullopt;
  Value limit = compare->getOperand(1);
  std::optional<unsigned> carriedLimit = argumentOf(limit, condition);
  if (carriedLimit) { // carried, and never changed
    if (*carriedLimit >= end.getNumOperands() ||
        argumentOf(end.getOperand(*carriedLimit), body) != carriedLimit)
      return std::nullopt;
    limit = loop.getOperand(*carriedLimit);
  } else if (limit.getParentRegion() == &condition && !constantOf(limit)) {
    return std::nullopt;
  }
  if (*counter >= end.getNumOperands())
    return std::nullopt;
  Operation *step = end.getOperand(*counter).getDefiningOp();
  if (!step || step->getName().getStringRef() != "stablehlo.add" ||
      step->getNumOperands() != 2 ||
      argumentOf(step->getOperand(0), body) != counter ||
      !isOne(step->getOperand(1)))
    return std::nullopt;
  auto type = dyn_cast<RankedTensorType>(limit.getType());
  if (!type || type.getRank() != 0 || !isa<IntegerType>(type.getElementType()))
    return std::nullopt;
  return Counting{*counter, limit};
}

/// The limit's value, outside of the loop.
static FailureOr<Value> limitOf(OpContext &c, const Counting &counting) {
  Emitter &emit = c.emit;
  DType dtype = c.dtype(counting.counter);
  if (Operation *constant = constantOf(counting.limit)) {
    auto dense =
        dyn_cast_or_null<DenseIntElementsAttr>(constant->getAttr("value"));
    if (dense && dense.getNumElements() == 1) {
      APInt number = *dense.value_begin<APInt>();
      return emit.asValue(emit.index(
          isUnsigned(dtype) ? static_cast<int64_t>(number.getZExtValue())
                            : number.getSExtValue()));
    }
  }
  for (auto [i, operand] : llvm::enumerate(c.op.getOperands()))
    if (operand == counting.limit)
      return c.index(i);
  return failure();
}

static std::vector<HloValue> carriedValues(const OpContext &c,
                                           ValueRange state) {
  std::vector<HloValue> values;
  for (auto [i, tensor] : llvm::enumerate(state))
    values.push_back({tensor, c.dtype(i)});
  return values;
}

/// The condition as i1; null where it fails.
static Value conditionOf(OpContext &c, ValueRange state) {
  Emitter &emit = c.emit;
  Location loc = emit.loc;
  auto test = c.bodies.importRegion(c.op.getRegion(0), carriedValues(c, state));
  emit.loc = loc;
  if (failed(test))
    return {};
  bool fits = test->size() == 1 && test->front().tensor &&
              test->front().dtype == DType::Bool &&
              rankOf(test->front().tensor) == 0;
  if (!fits) {
    (void)c.error("its condition must be one truth value");
    return {};
  }
  return emit.scalars(DType::Bool)
      .fromBool(emit.scalarOf(test->front().tensor));
}

/// What the next turn carries; empty where it fails.
static SmallVector<Value> nextTurn(OpContext &c, ValueRange state) {
  Location loc = c.emit.loc;
  auto next = c.bodies.importRegion(c.op.getRegion(1), carriedValues(c, state));
  c.emit.loc = loc;
  if (failed(next))
    return {};
  if (haveDeclaredTypes(c, *next))
    return declaredTensors(c, *next);
  (void)refuseYield(c);
  return {};
}

/// scf.for: its bounds are read once, and the counter is one of the carried
/// values still.
static LogicalResult countedLoop(OpContext &c, const Counting &counting,
                                 Value limit, ArrayRef<Value> inits) {
  Emitter &emit = c.emit;
  OpBuilder &b = emit.builder;
  FailureOr<Value> start = c.index(counting.counter);
  if (failed(start))
    return failure();
  bool isGood = true;
  auto loop = scf::ForOp::create(
      b, emit.loc, *start, limit, indexConstant(b, emit.loc, 1), inits,
      [&](OpBuilder &, Location loc, Value, ValueRange state) {
        Emitter::RegionScope scope(emit);
        SmallVector<Value> next = nextTurn(c, state);
        isGood = next.size() == state.size();
        scf::YieldOp::create(b, loc, isGood ? ValueRange(next) : state);
      });
  for (auto [i, result] : llvm::enumerate(loop.getResults()))
    c.set(i, result);
  return success(isGood);
}

/// scf.while, by a condition of any kind.
static LogicalResult testedLoop(OpContext &c, ArrayRef<Value> inits) {
  Emitter &emit = c.emit;
  OpBuilder &b = emit.builder;
  bool isGood = true;
  auto loop = scf::WhileOp::create(
      b, emit.loc, ValueRange(inits).getTypes(), inits,
      [&](OpBuilder &, Location loc, ValueRange state) {
        Emitter::RegionScope scope(emit);
        Value goesOn = conditionOf(c, state);
        isGood &= static_cast<bool>(goesOn);
        if (!goesOn)
          goesOn = arith::ConstantOp::create(b, loc, b.getBoolAttr(false));
        scf::ConditionOp::create(b, loc, goesOn, state);
      },
      [&](OpBuilder &, Location loc, ValueRange state) {
        Emitter::RegionScope scope(emit);
        SmallVector<Value> next = nextTurn(c, state);
        isGood &= next.size() == state.size();
        scf::YieldOp::create(
            b, loc, next.size() == state.size() ? ValueRange(next) : state);
      });
  for (auto [i, result] : llvm::enumerate(loop.getResults()))
    c.set(i, result);
  return success(isGood);
}

static LogicalResult whileLoop(OpContext &c) {
  if (c.resultCount() != c.inputCount() || !c.op.getRegion(0).hasOneBlock() ||
      !c.op.getRegion(1).hasOneBlock() || c.op.getRegion(0).front().empty() ||
      c.op.getRegion(1).front().empty())
    return c.error("it needs a result for each operand, and two regions of "
                   "one block");
  std::vector<HloValue> inits(c.values().begin(), c.values().end());
  if (!haveDeclaredTypes(c, inits))
    return refuseYield(c);
  SmallVector<Value> tensors = declaredTensors(c, inits);
  if (std::optional<Counting> counting = countingOf(c.op))
    if (FailureOr<Value> limit = limitOf(c, *counting); succeeded(limit))
      return countedLoop(c, *counting, *limit, tensors);
  return testedLoop(c, tensors);
}

/// Imports region `i` as a branch's block, which ends with a yield.
static LogicalResult importBranch(OpContext &c, unsigned i, Block *block) {
  Emitter &emit = c.emit;
  Emitter::RegionScope scope(emit);
  emit.builder.setInsertionPointToStart(block);
  Location loc = emit.loc;
  auto results = c.bodies.importRegion(c.op.getRegion(i), {});
  emit.loc = loc;
  if (failed(results))
    return failure();
  if (!haveDeclaredTypes(c, *results))
    return refuseYield(c);
  scf::YieldOp::create(emit.builder, loc, declaredTensors(c, *results));
  return success();
}

static SmallVector<Type> declaredTypes(const OpContext &c) {
  SmallVector<Type> types;
  for (size_t i = 0; i < c.resultCount(); ++i)
    types.push_back(c.declared(i));
  return types;
}

static LogicalResult takeResults(OpContext &c, Operation *op) {
  for (auto [i, result] : llvm::enumerate(op->getResults()))
    c.set(i, result);
  return success();
}

static LogicalResult branchIf(OpContext &c) {
  if (failed(c.needScalar(0, "the condition")))
    return failure();
  if (c.dtype() != DType::Bool)
    return c.error("the condition must be a truth value");
  Emitter &emit = c.emit;
  Value condition = emit.scalars(DType::Bool).fromBool(emit.scalarOf(c.in(0)));
  auto branch = scf::IfOp::create(emit.builder, emit.loc, declaredTypes(c),
                                  condition, /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  bool isGood = succeeded(importBranch(c, 0, branch.thenBlock()));
  isGood &= succeeded(importBranch(c, 1, branch.elseBlock()));
  if (!isGood) {
    branch.erase();
    return failure();
  }
  return takeResults(c, branch);
}

/// The last branch is also for indices that no other has.
static LogicalResult branchCase(OpContext &c) {
  unsigned count = c.op.getNumRegions();
  if (count == 0)
    return c.error("it has no branches");
  FailureOr<Value> index = c.index(0);
  if (failed(index))
    return failure();
  Emitter &emit = c.emit;
  SmallVector<int64_t> labels;
  for (unsigned i = 0; i + 1 < count; ++i)
    labels.push_back(i);
  auto branches = scf::IndexSwitchOp::create(
      emit.builder, emit.loc, declaredTypes(c), *index, labels, count - 1);
  bool isGood = true;
  for (unsigned i = 0; i < count; ++i) {
    Region &region = i + 1 < count ? branches.getCaseRegions()[i]
                                   : branches.getDefaultRegion();
    isGood &= succeeded(importBranch(c, i, &region.emplaceBlock()));
  }
  if (!isGood) {
    branches.erase();
    return failure();
  }
  return takeResults(c, branches);
}

static LogicalResult noValue(OpContext &c) {
  for (std::optional<HloValue> &result : c.results)
    result = HloValue();
  return success();
}

/// Custom calls that mean something on one device, or nothing at all.
static LogicalResult customCall(OpContext &c) {
  std::string target = c.word("call_target_name", "");
  bool isNothing = target == "Sharding" || target == "SPMDFullToShardShape" ||
                   target == "SPMDShardToFullShape" ||
                   target == "annotate_device_placement" ||
                   target == "LayoutConstraint";
  if (isNothing && c.inputCount() == c.resultCount()) {
    for (size_t i = 0; i < c.inputCount(); ++i)
      c.results[i] = c.value(i);
    return success();
  }
  // What a program asserts of its own open sizes: the run checks those that
  // matter where they are used.
  if (target == "shape_assertion" && c.resultCount() == 0)
    return success();
  return c.error("the function '" + target +
                     "' is none that is known here: Sharding, "
                     "annotate_device_placement, LayoutConstraint, "
                     "shape_assertion",
                 DiagKind::IngressUnsupportedOp);
}

/// By the function that says what it is composed of.
static LogicalResult composite(OpContext &c) {
  std::string name = c.word("decomposition", "");
  if (name.empty())
    return c.error("'decomposition' must name a function");
  auto results = c.bodies.importCall(c.op, name, c.values());
  if (failed(results))
    return failure();
  if (!haveDeclaredTypes(c, *results))
    return refuseYield(c);
  for (auto [i, value] : llvm::enumerate(*results))
    c.results[i] = value;
  return success();
}

/// Tuples are taken apart at import; nothing is left of them.
static LogicalResult makeTuple(OpContext &c) {
  HloValue tuple;
  tuple.parts = std::make_shared<const std::vector<HloValue>>(c.values());
  c.results[0] = std::move(tuple);
  return success();
}

static LogicalResult tupleElement(OpContext &c) {
  FailureOr<int64_t> index = c.integer("index");
  if (failed(index))
    return failure();
  const auto &parts = c.value(0).parts;
  if (!parts)
    return c.error("operand 0 is no tuple");
  if (*index < 0 || *index >= static_cast<int64_t>(parts->size()))
    return c.error("there is no element " + Twine(*index) + " in a tuple of " +
                   Twine(parts->size()));
  c.results[0] = (*parts)[static_cast<size_t>(*index)];
  return success();
}

void lh::addControlOps(HloTable &t) {
  t["stablehlo.while"] = {0, HloRow::any, HloRow::any, 2, whileLoop};
  t["stablehlo.if"] = {1, 1, HloRow::any, 2, branchIf};
  t["stablehlo.case"] = {1, 1, HloRow::any, HloRow::any, branchCase};
  t["stablehlo.tuple"] = {0, HloRow::any, 1, 0, makeTuple};
  t["stablehlo.get_tuple_element"] = {1, 1, 1, 0, tupleElement};
  t["stablehlo.after_all"] = {0, HloRow::any, 1, 0, noValue};
  t["stablehlo.create_token"] = {0, 0, 1, 0, noValue};
  t["stablehlo.custom_call"] = {0, HloRow::any, HloRow::any, HloRow::any,
                                customCall};
  t["stablehlo.composite"] = {0, HloRow::any, HloRow::any, HloRow::any,
                              composite};
}
