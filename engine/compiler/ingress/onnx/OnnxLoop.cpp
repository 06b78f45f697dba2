// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// scf.for and scf.while around a body that is built first.
#include "compiler/ingress/onnx/OnnxLoop.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace lh;
using namespace mlir;

FailureOr<RankedTensorType> lh::joinTypes(RankedTensorType a,
                                          RankedTensorType b) {
  if (a.getElementType() != b.getElementType() || a.getRank() != b.getRank())
    return failure();
  SmallVector<int64_t> shape(a.getShape());
  for (auto [own, other] : llvm::zip(shape, b.getShape()))
    if (own != other)
      own = ShapedType::kDynamic;
  return RankedTensorType::get(shape, a.getElementType());
}

namespace {

/// One attempt at a loop with given types of the carried values.
class LoopAttempt {
public:
  LoopAttempt(NodeContext &node, const LoopSpec &spec, ArrayRef<Type> types)
      : node(node), emit(node.emit), b(node.emit.builder), loc(node.emit.loc),
        spec(spec), types(types), block(region.emplaceBlock()) {}

  /// Builds the body's operations; they stay in `region`.
  LogicalResult build(OnnxLoopBody body);
  /// The types that the carried values need; an error when there are none.
  FailureOr<SmallVector<Type>> settledTypes();
  /// The loop itself, round the body.
  FailureOr<std::vector<ImportedValue>> finish();

private:
  struct Stack {
    DType dtype;
    Value start;
  };

  bool isCounted() const { return !step.goesOn; }
  bool keepsTypes() const;
  bool isPlaced(Value slice) const {
    return isCounted() && tensorTypeOf(slice).hasStaticShape();
  }
  OpFoldResult count();
  Stack startStack(const ImportedValue &slice);
  Value push(const Stack &stack, Value slice, Value onto, bool isReversed);
  Value place(Value source, Value into, OpFoldResult offset);
  SmallVector<Value> starts(ArrayRef<Stack> stacks);
  Value trueConstant() { return arith::ConstantIntOp::create(b, loc, 1, 1); }
  void endBody(ArrayRef<Stack> stacks, bool isFor);
  ValueRange emitFor(ArrayRef<Value> inits);
  ValueRange emitWhile(ArrayRef<Value> inits);

  NodeContext &node;
  Emitter &emit;
  OpBuilder &b;
  Location loc;
  const LoopSpec &spec;
  SmallVector<Type> types;
  Region region;
  Block &block;
  LoopStep step;
};

} // namespace

LogicalResult LoopAttempt::build(OnnxLoopBody body) {
  Value iteration = block.addArgument(b.getIndexType(), loc);
  std::vector<ImportedValue> carried;
  for (auto [type, value] : llvm::zip(types, spec.carried))
    carried.push_back({block.addArgument(type, loc), value.dtype, {}, false});
  Emitter::RegionScope scope(emit);
  b.setInsertionPointToStart(&block);
  FailureOr<LoopStep> built = body(iteration, carried);
  if (failed(built))
    return failure();
  step = std::move(*built);
  emit.loc = loc;
  return success();
}

FailureOr<SmallVector<Type>> LoopAttempt::settledTypes() {
  if (step.carried.size() != types.size())
    return node.error("the body gives " + Twine(step.carried.size()) +
                      " loop-carried values; " + Twine(types.size()) +
                      " are carried");
  SmallVector<Type> settled;
  for (auto [i, value] : llvm::enumerate(step.carried)) {
    auto joined = joinTypes(cast<RankedTensorType>(types[i]),
                            tensorTypeOf(value.tensor));
    if (failed(joined) || value.dtype != spec.carried[i].dtype)
      return node.error("loop-carried value " + Twine(i) +
                            " changes its rank or element type",
                        DiagKind::IngressUnsupportedOp);
    settled.push_back(*joined);
  }
  return settled;
}

/// Whether every value enters the loop with the type it has inside. Otherwise
/// scf.for won't do: its canonicalisation folds the cast that widens the type
/// back into the loop.
bool LoopAttempt::keepsTypes() const {
  bool keeps = llvm::all_of(llvm::zip(spec.carried, types), [](auto pair) {
    return std::get<0>(pair).tensor.getType() == std::get<1>(pair);
  });
  return keeps && llvm::all_of(step.stacked, [&](const ImportedValue &slice) {
           return isPlaced(slice.tensor);
         });
}

/// The number of iterations as far as it is known before the loop.
OpFoldResult LoopAttempt::count() {
  if (!spec.starts)
    return *spec.count;
  Value none = indexConstant(b, loc, 0);
  return indexSelect(b, loc, spec.starts, emit.asValue(*spec.count), none);
}

/// Slices of known sizes go into place; others grow a new tensor each time.
LoopAttempt::Stack LoopAttempt::startStack(const ImportedValue &slice) {
  RankedTensorType type = tensorTypeOf(slice.tensor);
  Sizes sizes{isPlaced(slice.tensor) ? count() : emit.index(0)};
  SmallVector<int64_t> shape{ShapedType::kDynamic};
  for (int64_t size : type.getShape()) {
    sizes.push_back(emit.index(ShapedType::isDynamic(size) ? 0 : size));
    shape.push_back(size);
  }
  Value start = emit.empty(sizes, type.getElementType());
  if (!isPlaced(slice.tensor))
    start = tensor::CastOp::create(
        b, loc, RankedTensorType::get(shape, type.getElementType()), start);
  return {slice.dtype, start};
}

Value LoopAttempt::place(Value source, Value into, OpFoldResult offset) {
  Sizes sizes = emit.sizesOf(source);
  bool isSlice = rankOf(source) + 1 == rankOf(into);
  if (isSlice)
    sizes.insert(sizes.begin(), emit.index(1));
  Sizes offsets(sizes.size(), emit.index(0)), strides(sizes.size(),
                                                      emit.index(1));
  offsets.front() = offset;
  return tensor::InsertSliceOp::create(b, loc, source, into, offsets, sizes,
                                       strides);
}

Value LoopAttempt::push(const Stack &stack, Value slice, Value onto,
                        bool isReversed) {
  OpFoldResult held = block.getArgument(0);
  OpFoldResult one = emit.index(1);
  if (isPlaced(slice)) {
    OpFoldResult last = emit.sub(emit.sizesOf(onto).front(), one);
    return place(slice, onto, isReversed ? emit.sub(last, held) : held);
  }
  Sizes sizes = emit.sizesOf(slice);
  sizes.insert(sizes.begin(), emit.add(held, one));
  Value grown = emit.empty(sizes, tensorTypeOf(slice).getElementType());
  // The first time there is nothing to keep, whatever its sizes.
  Sizes kept = sizes, zeros(sizes.size(), emit.index(0)),
        ones(sizes.size(), one);
  kept.front() = held;
  Sizes offsets = zeros;
  offsets.front() = isReversed ? one : emit.index(0);
  grown = tensor::InsertSliceOp::create(b, loc, onto, grown, offsets, kept,
                                        ones);
  grown = place(slice, grown, isReversed ? emit.index(0) : held);
  return tensor::CastOp::create(b, loc, stack.start.getType(), grown);
}

/// Adds the stacks to the body's arguments and ends it with its yield.
void LoopAttempt::endBody(ArrayRef<Stack> stacks, bool isFor) {
  Emitter::RegionScope scope(emit);
  SmallVector<Value> yields;
  for (const Stack &stack : stacks)
    block.addArgument(stack.start.getType(), loc);
  b.setInsertionPointToEnd(&block);
  if (!isFor) {
    yields.push_back(indexAdd(b, loc, block.getArgument(0),
                              indexConstant(b, loc, 1)));
    yields.push_back(step.goesOn ? step.goesOn : trueConstant());
  }
  for (auto [value, type] : llvm::zip(step.carried, types))
    yields.push_back(emit.castTo(value.tensor, cast<RankedTensorType>(type)));
  for (auto [i, stack] : llvm::enumerate(stacks)) {
    Value onto = block.getArgument(static_cast<unsigned>(1 + types.size() + i));
    bool isReversed = i < spec.reversed.size() && spec.reversed[i];
    yields.push_back(push(stack, step.stacked[i].tensor, onto, isReversed));
  }
  scf::YieldOp::create(b, loc, yields);
}

ValueRange LoopAttempt::emitFor(ArrayRef<Value> inits) {
  Value zero = indexConstant(b, loc, 0), one = indexConstant(b, loc, 1);
  auto loop = scf::ForOp::create(b, loc, zero, emit.asValue(count()), one,
                                 inits);
  loop.getRegion().takeBody(region);
  return loop.getResults();
}

ValueRange LoopAttempt::emitWhile(ArrayRef<Value> inits) {
  Value starts = spec.starts ? spec.starts : trueConstant();
  Value zero = indexConstant(b, loc, 0);
  std::optional<Value> bound;
  if (spec.count)
    bound = emit.asValue(*spec.count);
  SmallVector<Value> operands{zero, starts};
  operands.append(inits.begin(), inits.end());
  SmallVector<Type> results{b.getIndexType()};
  for (Value init : inits)
    results.push_back(init.getType());
  auto loop = scf::WhileOp::create(b, loc, results, operands);
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Location> places(operands.size(), loc);
  Block *before = b.createBlock(&loop.getBefore(), {},
                                ValueRange(operands).getTypes(), places);
  Value goesOn = before->getArgument(1);
  if (bound)
    goesOn = arith::AndIOp::create(
        b, loc, goesOn, indexLess(b, loc, before->getArgument(0), *bound));
  SmallVector<Value> passed{before->getArgument(0)};
  for (BlockArgument argument : before->getArguments().drop_front(2))
    passed.push_back(argument);
  scf::ConditionOp::create(b, loc, goesOn, passed);
  loop.getAfter().takeBody(region);
  return loop.getResults().drop_front();
}

FailureOr<std::vector<ImportedValue>> LoopAttempt::finish() {
  if (isCounted() && !spec.count)
    return node.error("the loop never ends");
  SmallVector<Stack> stacks;
  SmallVector<Value> inits;
  std::vector<ImportedValue> results;
  for (auto [value, type] : llvm::zip(spec.carried, types)) {
    inits.push_back(emit.castTo(value.tensor, cast<RankedTensorType>(type)));
    results.push_back({Value(), value.dtype, std::nullopt, false});
  }
  for (const ImportedValue &slice : step.stacked) {
    stacks.push_back(startStack(slice));
    inits.push_back(stacks.back().start);
    results.push_back({Value(), slice.dtype, std::nullopt, false});
  }
  bool isFor = isCounted() && keepsTypes();
  endBody(stacks, isFor);
  ValueRange values = isFor ? emitFor(inits) : emitWhile(inits);
  for (auto [result, value] : llvm::zip(results, values))
    result.tensor = value;
  return results;
}

FailureOr<std::vector<ImportedValue>>
lh::emitOnnxLoop(NodeContext &node, const LoopSpec &spec, OnnxLoopBody body) {
  SmallVector<Type> types;
  for (const ImportedValue &value : spec.carried)
    types.push_back(value.tensor.getType());
  while (true) { // ends: each turn makes a dimension dynamic
    LoopAttempt attempt(node, spec, types);
    if (failed(attempt.build(body)))
      return failure();
    FailureOr<SmallVector<Type>> settled = attempt.settledTypes();
    if (failed(settled))
      return failure();
    if (*settled == types)
      return attempt.finish();
    types = *settled;
  }
}
