// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sparse arguments become the arrays that they are stored in.
#include "compiler/gaps/sparse/SparseArguments.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace lh {
#define GEN_PASS_DEF_ASSEMBLESPARSEPASS
#include "compiler/gaps/sparse/Passes.h.inc"
} // namespace lh

using namespace lh;
using namespace mlir;

/// The arrays of `type` in the order of `sparse_tensor.assemble`.
static SmallVector<StandIn> arraysOf(RankedTensorType type) {
  auto encoding = sparse_tensor::getSparseTensorEncoding(type);
  auto list = [](Type element) {
    return RankedTensorType::get({ShapedType::kDynamic}, element);
  };
  SmallVector<StandIn> arrays;
  for (auto [l, level] : llvm::enumerate(encoding.getLvlTypes())) {
    auto number = static_cast<unsigned>(l);
    if (level.isWithPosLT())
      arrays.push_back(
          {SparseArray::Positions, number, list(encoding.getPosElemType())});
    if (level.isWithCrdLT())
      arrays.push_back(
          {SparseArray::Coordinates, number, list(encoding.getCrdElemType())});
  }
  arrays.push_back({SparseArray::Values, 0, list(type.getElementType())});
  return arrays;
}

namespace {

struct AssembleSparsePass
    : lh::impl::AssembleSparsePassBase<AssembleSparsePass> {
  void runOnOperation() override {
    auto assemble = [](func::FuncOp function,
                       unsigned index) -> FailureOr<unsigned> {
      auto type = cast<RankedTensorType>(function.getArgumentTypes()[index]);
      SmallVector<Value> arrays =
          insertStandIns(function, index, arraysOf(type));
      auto count = static_cast<unsigned>(arrays.size());
      auto builder = OpBuilder::atBlockBegin(&function.front());
      Value whole = sparse_tensor::AssembleOp::create(
          builder, function.getLoc(), type, ValueRange(arrays).drop_back(),
          arrays.back());
      function.getArgument(index + count).replaceAllUsesWith(whole);
      return count;
    };
    if (failed(replaceSparseArguments(getOperation(), assemble)))
      signalPassFailure();
  }
};

} // namespace
