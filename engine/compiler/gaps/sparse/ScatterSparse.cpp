// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sparse arguments become dense ones with masks.
#include "compiler/gaps/sparse/SparseArguments.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/Pass.h"

namespace lh {
#define GEN_PASS_DEF_SCATTERSPARSEPASS
#include "compiler/gaps/sparse/Passes.h.inc"
} // namespace lh

using namespace lh;
using namespace mlir;

namespace {

/// Which values of a body are 0 because something isn't stored: `masks` has
/// whether it is.
class BodyMasker {
public:
  explicit BodyMasker(Block &body) : body(body), builder(body.getParentOp()) {}

  void add(Value element, Value stored) { masks[element] = stored; }

  void run() {
    for (Operation &op : llvm::make_early_inc_range(body.without_terminator()))
      visit(&op);
  }

private:
  /// Null: it is always there.
  Value maskOf(Value value) const { return masks.lookup(value); }

  void visit(Operation *op) {
    if (op->getNumResults() != 1)
      return;
    builder.setInsertionPointAfter(op);
    if (isa<arith::MulFOp, arith::MulIOp, arith::AndIOp>(op))
      return maskProduct(op);
    // 0 divided by anything that the sparsifier lets divide is 0.
    if (isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::NegFOp,
            arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp,
            arith::TruncIOp, arith::SIToFPOp, arith::UIToFPOp, math::AbsFOp,
            math::SqrtOp>(op)) {
      if (Value mask = maskOf(op->getOperand(0)))
        masks[op->getResult(0)] = mask;
      return;
    }
    if (isa<arith::SelectOp>(op) &&
        (matchPattern(op->getOperand(2), m_AnyZeroFloat()) ||
         matchPattern(op->getOperand(2), m_Zero()))) {
      // Another tensor's mask.
      if (Value mask = maskOf(op->getOperand(1)))
        masks[op->getResult(0)] = mask;
      return;
    }
    if (isa<arith::AddFOp, arith::AddIOp, arith::SubFOp, arith::SubIOp>(op))
      join<arith::OrIOp>(op, /*needsBoth=*/true);
  }

  /// A product is there where all factors are.
  void maskProduct(Operation *op) {
    Value mask = join<arith::AndIOp>(op, /*needsBoth=*/false);
    if (!mask)
      return;
    Value product = op->getResult(0);
    Value zero = arith::ConstantOp::create(
        builder, op->getLoc(), builder.getZeroAttr(product.getType()));
    auto select =
        arith::SelectOp::create(builder, op->getLoc(), mask, product, zero);
    product.replaceUsesWithIf(
        select, [&](OpOperand &use) { return use.getOwner() != select; });
    masks[select] = mask;
  }

  template <typename Op> Value join(Operation *op, bool needsBoth) {
    Value left = maskOf(op->getOperand(0)), right = maskOf(op->getOperand(1));
    if (needsBoth && (!left || !right))
      return {};
    Value mask = left && right && left != right
                     ? Op::create(builder, op->getLoc(), left, right)
                     : (left ? left : right);
    if (mask)
      masks[op->getResult(0)] = mask;
    return mask;
  }

  Block &body;
  OpBuilder builder;
  llvm::DenseMap<Value, Value> masks;
};

/// Computes with `dense` and `stored` what `generic` does with `sparse`.
void maskOperand(linalg::GenericOp generic, Value sparse, Value dense,
                 Value stored) {
  SmallVector<Value> inputs(generic.getInputs());
  SmallVector<AffineMap> maps = generic.getIndexingMapsArray();
  BodyMasker masker(*generic.getBody());
  SmallVector<unsigned> places;
  for (auto [i, input] : llvm::enumerate(generic.getInputs()))
    if (input == sparse)
      places.push_back(static_cast<unsigned>(i));
  Block *body = generic.getBody();
  for (unsigned place : places) {
    auto next = static_cast<unsigned>(inputs.size());
    maps.insert(maps.begin() + next, maps[place]);
    inputs.push_back(stored);
    Value mask = body->insertArgument(
        next, IntegerType::get(generic.getContext(), 1), generic.getLoc());
    masker.add(body->getArgument(place), mask);
  }
  for (Value &input : inputs)
    if (input == sparse)
      input = dense;
  generic.getInputsMutable().assign(inputs);
  generic.setIndexingMapsAttr(
      Builder(generic.getContext()).getAffineMapArrayAttr(maps));
  masker.run();
}

/// Named ops among the users of `value` become generic ones.
LogicalResult generalizeUsers(Value value) {
  SmallVector<Operation *> users(value.getUsers().begin(),
                                 value.getUsers().end());
  for (Operation *user : users) {
    auto op = dyn_cast<linalg::LinalgOp>(user);
    bool isInput = op && llvm::none_of(op.getDpsInits(), [&](Value init) {
                     return init == value;
                   });
    if (!isInput)
      return user->emitError()
             << "takes a sparse tensor; the oracle knows linalg ops with "
                "sparse inputs alone";
    if (isa<linalg::GenericOp>(user)) {
      for (Operation &inner : user->getRegion(0).front())
        if (isa<sparse_tensor::SparseTensorDialect>(inner.getDialect()))
          return inner.emitError()
                 << "tells the sparsifier what to visit; the oracle doesn't "
                    "know such operations";
      continue;
    }
    IRRewriter rewriter(user);
    if (failed(linalg::generalizeNamedOp(rewriter, op)))
      return user->emitError() << "can't be made a linalg.generic";
  }
  return success();
}

FailureOr<unsigned> scatter(func::FuncOp function, unsigned index) {
  auto type = cast<RankedTensorType>(function.getArgumentTypes()[index]);
  auto dense = RankedTensorType::get(type.getShape(), type.getElementType());
  auto mask = RankedTensorType::get(type.getShape(),
                                    IntegerType::get(type.getContext(), 1));
  SmallVector<Value> values = insertStandIns(
      function, index,
      {{SparseArray::Elements, 0, dense}, {SparseArray::Stored, 0, mask}});
  Value sparse = function.getArgument(index + 2);
  if (failed(generalizeUsers(sparse)))
    return failure();
  SmallVector<Operation *> users;
  for (Operation *user : sparse.getUsers())
    if (!llvm::is_contained(users, user))
      users.push_back(user);
  for (Operation *user : users)
    maskOperand(cast<linalg::GenericOp>(user), sparse, values[0], values[1]);
  return 2u;
}

struct ScatterSparsePass : lh::impl::ScatterSparsePassBase<ScatterSparsePass> {
  void runOnOperation() override {
    if (failed(replaceSparseArguments(getOperation(), scatter)))
      signalPassFailure();
  }
};

} // namespace
