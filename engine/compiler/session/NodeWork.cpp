// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each node of a model has to compute and to move.
#include "compiler/session/NodeWork.h"

#include "compiler/session/ContractionFlops.h"
#include "compiler/session/Inspect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

using namespace lh;

namespace {
/// A node in the making.
struct Tally {
  NodeWork work;
  double largest = 0; ///< operations of the op that names its kind
  llvm::DenseSet<mlir::Value> moved;
};
} // namespace

/// The product; of what isn't known 1.
static double productOf(ArrayRef<int64_t> sizes) {
  double product = 1;
  for (int64_t size : sizes)
    product *=
        mlir::ShapedType::isDynamic(size) ? 1 : static_cast<double>(size);
  return product;
}

static double bytesOf(mlir::Value value) {
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
  if (!type || !type.getElementType().isIntOrIndexOrFloat())
    return 0;
  mlir::Type element = type.getElementType();
  double bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  return productOf(type.getShape()) * bits / 8;
}

static bool isView(mlir::Operation *op) {
  return llvm::isa<mlir::tensor::ExpandShapeOp, mlir::tensor::CollapseShapeOp,
                   mlir::tensor::CastOp>(op);
}

/// What an op of a body takes at least for each point, where a multiply-add
/// takes two. A quotient or a root: an estimate and two of Newton's steps (six
/// instructions). Another function: what expf takes in the Cephes library, a
/// reduced argument, a polynomial of degree 5 and a scaling (ten instructions).
static double operationsOf(mlir::Operation &op) {
  if (llvm::isa<mlir::arith::ConstantOp>(op))
    return 0;
  if (llvm::isa<mlir::arith::DivFOp, mlir::math::SqrtOp, mlir::math::RsqrtOp>(
          op))
    return 12;
  if (llvm::isa<mlir::math::AbsFOp, mlir::math::AbsIOp, mlir::math::CeilOp,
                mlir::math::FloorOp, mlir::math::RoundEvenOp,
                mlir::math::TruncOp, mlir::math::CopySignOp, mlir::math::FmaOp,
                mlir::math::IsNaNOp, mlir::math::ClampFOp>(op))
    return 1;
  if (llvm::isa<mlir::math::MathDialect>(op.getDialect()))
    return 20;
  return llvm::isa<mlir::arith::ArithDialect>(op.getDialect()) ? 1 : 0;
}

/// The functions of numbers in the body, for each point of the loops.
static double elementOperations(mlir::linalg::LinalgOp op) {
  double each = 0;
  for (mlir::Operation &inner : op.getBlock()->without_terminator())
    each += operationsOf(inner);
  return each * productOf(op.getStaticLoopRanges()) * enclosingTrips(op);
}

static std::string nodeOf(mlir::Operation *op) {
  std::set<std::string> origins = originsOf(op->getLoc());
  return origins.empty() ? "" : *origins.begin();
}

/// Where it comes from, through views.
static mlir::Operation *makerOf(mlir::Value value) {
  mlir::Operation *maker = value.getDefiningOp();
  while (maker && isView(maker))
    maker = maker->getOperand(0).getDefiningOp();
  return maker;
}

/// Whether another node reads it, or the caller, through views.
static bool isReadOutside(mlir::Value value, StringRef node) {
  return llvm::any_of(value.getUsers(), [&](mlir::Operation *user) {
    return isView(user) ? isReadOutside(user->getResult(0), node)
                        : nodeOf(user) != node;
  });
}

/// Counts what an op takes from other nodes and gives to them.
static void addBytes(mlir::Operation *op, Tally &tally) {
  auto move = [&](mlir::Value value) {
    if (tally.moved.insert(value).second)
      tally.work.bytes += bytesOf(value);
  };
  for (mlir::Value operand : op->getOperands()) {
    mlir::Operation *maker = makerOf(operand);
    if (!maker || (!llvm::isa<mlir::tensor::EmptyOp>(maker) &&
                   nodeOf(maker) != tally.work.node))
      move(operand);
  }
  for (mlir::Value result : op->getResults())
    if (isReadOutside(result, tally.work.node))
      move(result);
}

static void addOperations(mlir::linalg::LinalgOp op, Tally &tally) {
  double operations = contractionOperations(op);
  if (operations <= 0)
    operations = elementOperations(op);
  tally.work.operations += operations;
  if (!tally.work.kind.empty() && operations <= tally.largest)
    return;
  tally.largest = operations;
  tally.work.kind = op->getName().getStringRef().str();
  tally.work.dtype = operandTypeOf(op);
}

std::vector<NodeWork> lh::nodeWork(mlir::ModuleOp module) {
  llvm::MapVector<std::string, Tally, std::map<std::string, unsigned>> nodes;
  module.walk([&](mlir::Operation *op) {
    auto linalgOp = llvm::dyn_cast<mlir::linalg::LinalgOp>(op);
    bool moves =
        llvm::isa<mlir::tensor::PadOp, mlir::tensor::ConcatOp,
                  mlir::tensor::ExtractSliceOp, mlir::tensor::InsertSliceOp,
                  mlir::tensor::GatherOp>(op);
    if (!linalgOp && !moves)
      return;
    std::string name = nodeOf(op);
    Tally &tally = nodes[name];
    tally.work.node = name;
    addBytes(op, tally);
    if (linalgOp)
      addOperations(linalgOp, tally);
    else if (tally.work.kind.empty())
      tally.work.kind = op->getName().getStringRef().str();
  });
  std::vector<NodeWork> all;
  for (auto &[name, tally] : nodes)
    all.push_back(std::move(tally.work));
  return all;
}
