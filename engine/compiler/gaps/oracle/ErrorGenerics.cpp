// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors through linalg.generic: its body computes them beside the values.
#include "compiler/gaps/oracle/ErrorFlow.h"
#include "compiler/gaps/oracle/ErrorSums.h"

using namespace mlir;
using namespace lh;

namespace lh {
/// One generic op on its way to a generic op that computes errors too.
class GenericErrors {
public:
  GenericErrors(ErrorFlow &flow, linalg::GenericOp op)
      : flow(flow), state(flow.state), op(op), body(*op.getBody()),
        builder(op) {}

  LogicalResult run();

private:
  /// An output whose error the op computes.
  struct Extra {
    unsigned output;
    Value init;     ///< what the error starts from
    Value argument; ///< the error so far, in the body
    bool isSum = false;
  };

  void bindInputs();
  LogicalResult bindOutput(unsigned output);
  LogicalResult yieldErrors();
  Value sumError(const ErrorSum &sum, Value soFar);
  void addExtra(unsigned output, Value init, bool isSum);
  linalg::GenericOp rebuild();
  LogicalResult recordResults(linalg::GenericOp result);

  ErrorFlow &flow;
  ErrorState &state;
  linalg::GenericOp op;
  Block &body;
  OpBuilder builder;
  SmallVector<OpOperand *> inexactInputs;
  SmallVector<Extra> extras;
  SmallVector<std::optional<ErrorSum>> sums; ///< per output
  SmallVector<unsigned> depths;              ///< per output
  llvm::DenseSet<Operation *> done; ///< what sums account for as a whole
};
} // namespace lh

void GenericErrors::bindInputs() {
  unsigned position = static_cast<unsigned>(op.getNumDpsInputs());
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument argument = body.getArgument(input->getOperandNumber());
    state.facts[argument] = state.facts.lookup(input->get());
    if (!state.errorOf(input->get()))
      continue;
    inexactInputs.push_back(input);
    Value error =
        body.insertArgument(position++, builder.getF64Type(), op.getLoc());
    state.set(argument, error, state.depths.lookup(input->get()));
  }
}

void GenericErrors::addExtra(unsigned output, Value init, bool isSum) {
  Value argument = body.addArgument(builder.getF64Type(), op.getLoc());
  extras.push_back({output, init, argument, isSum});
}

/// Sums have a rule of their own; otherwise what has been computed so far has
/// an error like any other value.
LogicalResult GenericErrors::bindOutput(unsigned output) {
  OpOperand *operand = op.getDpsInitOperand(output);
  Value init = operand->get();
  BlockArgument argument =
      body.getArgument(static_cast<unsigned>(op.getNumDpsInputs()) +
                       static_cast<unsigned>(inexactInputs.size()) + output);
  sums.push_back(findSum(op, argument, output));
  depths.push_back(state.depths.lookup(init));
  if (sums.back()) {
    ErrorSum &sum = *sums.back();
    if (failed(measureSum(sum, op, init, flow.model, state)))
      return failure();
    done.insert(sum.whole.begin(), sum.whole.end());
    addExtra(output, sumInit(builder, sum, op.getLoc(), init, flow),
             /*isSum=*/true);
    return success();
  }
  if (argument.use_empty())
    return success();
  if (state.errorOf(init) || flow.touches(op)) {
    addExtra(output, flow.errorTensor(builder, init), /*isSum=*/false);
    state.set(argument, extras.back().argument, depths.back());
  }
  return success();
}

/// What one more round of the sum adds to its error.
Value GenericErrors::sumError(const ErrorSum &sum, Value soFar) {
  ErrorAlgebra algebra(builder, op.getLoc());
  Value error = soFar;
  for (Value term : sum.terms) {
    Value size = algebra.magnitude(flow.rules.wide(term));
    error = algebra.add(error, state.errorOf(term));
    error = algebra.add(error, algebra.multiply(size, sum.perTerm));
  }
  return error;
}

LogicalResult GenericErrors::yieldErrors() {
  auto yield = cast<linalg::YieldOp>(body.getTerminator());
  unsigned bound = static_cast<unsigned>(extras.size());
  for (unsigned i = 0; i < op.getNumDpsInits(); ++i) {
    Value error = state.errorOf(yield.getOperand(i));
    bool isBound =
        llvm::any_of(ArrayRef(extras).take_front(bound),
                     [&](const Extra &extra) { return extra.output == i; });
    if (error && !isBound) {
      Value empty = tensor::EmptyOp::create(
          builder, op.getLoc(),
          tensor::getMixedSizes(builder, op.getLoc(), op.getDpsInits()[i]),
          builder.getF64Type());
      addExtra(i, empty, /*isSum=*/false);
    }
  }
  builder.setInsertionPoint(yield);
  ErrorAlgebra algebra(builder, op.getLoc());
  SmallVector<Value> yielded = llvm::to_vector(yield.getOperands());
  for (Extra &extra : extras) {
    Value value = yield.getOperand(extra.output);
    unsigned depth = state.depths.lookup(value);
    if (extra.isSum)
      for (Value term : sums[extra.output]->terms)
        depth = std::max(depth, state.depths.lookup(term));
    unsigned &known = depths[extra.output];
    known = std::max(known, depth);
    yielded.push_back(extra.isSum
                          ? sumError(*sums[extra.output], extra.argument)
                          : algebra.orZero(state.errorOf(value)));
  }
  yield->setOperands(yielded);
  return success();
}

linalg::GenericOp GenericErrors::rebuild() {
  SmallVector<Value> inputs = llvm::to_vector(op.getInputs());
  SmallVector<Value> outputs = llvm::to_vector(op.getOutputs());
  SmallVector<AffineMap> maps, outputMaps;
  for (OpOperand *input : op.getDpsInputOperands())
    maps.push_back(op.getMatchingIndexingMap(input));
  for (OpOperand *input : inexactInputs) {
    inputs.push_back(state.errorOf(input->get()));
    maps.push_back(op.getMatchingIndexingMap(input));
  }
  for (OpOperand &output : op.getDpsInitsMutable())
    maps.push_back(op.getMatchingIndexingMap(&output));
  SmallVector<Type> types = llvm::to_vector(op.getResultTypes());
  for (Extra &extra : extras) {
    outputs.push_back(extra.init);
    types.push_back(extra.init.getType());
    maps.push_back(
        op.getMatchingIndexingMap(op.getDpsInitOperand(extra.output)));
  }
  builder.setInsertionPoint(op);
  auto result =
      linalg::GenericOp::create(builder, op.getLoc(), types, inputs, outputs,
                                maps, op.getIteratorTypesArray());
  result.getRegion().takeBody(op.getRegion());
  op->replaceAllUsesWith(result.getResults().take_front(op.getNumResults()));
  return result;
}

LogicalResult GenericErrors::recordResults(linalg::GenericOp result) {
  unsigned values = op.getNumResults();
  auto yield = cast<linalg::YieldOp>(result.getBody()->getTerminator());
  for (unsigned i = 0; i < values; ++i)
    state.facts[result.getResult(i)] =
        sums[i] ? factsOf(*sums[i], state)
                : state.facts.lookup(yield.getOperand(i));
  for (auto [number, extra] : llvm::enumerate(extras)) {
    Value value = result.getResult(extra.output);
    Value error = result.getResult(values + static_cast<unsigned>(number));
    unsigned depth = depths[extra.output];
    if (extra.isSum) {
      const ErrorSum &sum = *sums[extra.output];
      depth += sum.isTrivial ? 0 : 1;
      if (depth > flow.model.maxDepth)
        return state.refuse(result, "is sum " + Twine(depth) +
                                        " of a chain, whose bounds explode");
      builder.setInsertionPointAfter(error.getDefiningOp());
      error = finishSum(builder, sum, value, error, flow.model);
    }
    state.set(value, error, depth);
  }
  return success();
}

LogicalResult GenericErrors::run() {
  bindInputs();
  for (unsigned i = 0; i < op.getNumDpsInits(); ++i)
    if (failed(bindOutput(i)))
      return failure();
  // A sum's terms aren't checked for overflow one by one.
  bool hasSum = llvm::any_of(sums, [](auto &sum) { return sum.has_value(); });
  if (failed(flow.throughBlock(body, /*checksRange=*/!hasSum, done)) ||
      failed(yieldErrors()))
    return failure();
  linalg::GenericOp result = rebuild();
  if (failed(recordResults(result)))
    return failure();
  op.erase();
  return success();
}

LogicalResult ErrorFlow::throughGeneric(linalg::GenericOp op) {
  return GenericErrors(*this, op).run();
}
