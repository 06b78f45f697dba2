// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// FLOP accounting by walking the module.
#include "compiler/session/ContractionFlops.h"

#include "compiler/gaps/Marks.h"
#include "compiler/gaps/products/Words.h"
#include "compiler/gaps/sparse/SparseArguments.h"
#include "compiler/session/MlirDiagnostics.h"
#include "core/numerics/Tensor.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace lh;

static constexpr double flopsPerMultiplyAdd = 2;

/// The bound, or the least constant that a min() of it can't exceed.
static std::optional<int64_t> largestBound(mlir::OpFoldResult bound) {
  if (auto constant = mlir::getConstantIntValue(bound))
    return constant;
  auto value = llvm::dyn_cast<mlir::Value>(bound);
  std::optional<int64_t> least;
  auto consider = [&](int64_t candidate) {
    least = std::min(least.value_or(candidate), candidate);
  };
  if (auto minimum = value.getDefiningOp<mlir::affine::AffineMinOp>()) {
    for (mlir::AffineExpr result : minimum.getMap().getResults())
      if (auto constant = llvm::dyn_cast<mlir::AffineConstantExpr>(result))
        consider(constant.getValue());
  } else if (auto minimum = value.getDefiningOp<mlir::arith::MinSIOp>()) {
    for (mlir::Value operand : minimum->getOperands())
      if (auto constant = mlir::getConstantIntValue(operand))
        consider(*constant);
  }
  return least;
}

static double tripCount(mlir::LoopLikeOpInterface loop) {
  auto lower = loop.getLoopLowerBounds();
  auto upper = loop.getLoopUpperBounds();
  auto steps = loop.getLoopSteps();
  if (!lower || !upper || !steps)
    return 1;
  double trips = 1;
  for (auto [from, to, by] : llvm::zip(*lower, *upper, *steps)) {
    auto first = mlir::getConstantIntValue(from);
    auto last = largestBound(to);
    auto step = mlir::getConstantIntValue(by);
    if (first && last && step && *step > 0)
      trips *= std::max(0.0, std::ceil(static_cast<double>(*last - *first) /
                                       static_cast<double>(*step)));
  }
  return trips;
}

double lh::enclosingTrips(mlir::Operation *op) {
  double trips = 1;
  for (mlir::Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp())
    if (auto loop = llvm::dyn_cast<mlir::LoopLikeOpInterface>(parent))
      trips *= tripCount(loop);
  return trips;
}

static double product(ArrayRef<int64_t> sizes) {
  double total = 1;
  for (int64_t size : sizes)
    total *= mlir::ShapedType::isDynamic(size) ? 1 : static_cast<double>(size);
  return total;
}

/// Pools have a convolution's form without its multiplication.
static bool multiplies(mlir::linalg::LinalgOp op) {
  return llvm::any_of(op.getBlock()->getOperations(), [](mlir::Operation &in) {
    return llvm::isa<mlir::arith::MulFOp, mlir::arith::MulIOp>(in);
  });
}

/// The operations of a contraction or a convolution; of any other op 0. How
/// much of a sparse tensor is stored isn't known.
static double linalgOperations(mlir::linalg::LinalgOp op) {
  if (!multiplies(op) || hasSparseOperand(op) ||
      (!mlir::linalg::isaContractionOpInterface(op) &&
       !mlir::linalg::isaConvolutionOpInterface(
           op, /*allowEmptyConvolvedDims=*/true)))
    return 0;
  return flopsPerMultiplyAdd * product(op.getStaticLoopRanges());
}

double lh::contractionOperations(mlir::Operation *op) {
  auto linalgOp = llvm::dyn_cast<mlir::linalg::LinalgOp>(op);
  return linalgOp ? linalgOperations(linalgOp) * enclosingTrips(op) : 0;
}

/// How many products `value` is the sum of; 0 where it is anything else.
static int64_t productsIn(mlir::Value value) {
  if (auto cast = value.getDefiningOp<mlir::vector::ShapeCastOp>())
    return productsIn(cast.getSource());
  mlir::Operation *sum = value.getDefiningOp();
  if (llvm::isa_and_nonnull<mlir::arith::MulFOp, mlir::arith::MulIOp>(sum))
    return 1;
  if (!llvm::isa_and_nonnull<mlir::arith::AddFOp, mlir::arith::AddIOp>(sum))
    return 0;
  int64_t left = productsIn(sum->getOperand(0)),
          right = productsIn(sum->getOperand(1));
  return left > 0 && right > 0 ? left + right : 0;
}

/// How many products are added to what a loop carries, a dot product's partial
/// sums, or carried before schedules unrolled it (`lh.sum` on the addition). 0
/// where `op` adds anything else.
static int64_t accumulates(mlir::Operation *op) {
  if (!llvm::isa<mlir::arith::AddFOp, mlir::arith::AddIOp>(op) ||
      !llvm::isa<mlir::VectorType>(op->getResult(0).getType()))
    return 0;
  auto isCarried = [](mlir::Value value) {
    auto argument = llvm::dyn_cast<mlir::BlockArgument>(value);
    return argument && llvm::isa<mlir::LoopLikeOpInterface>(
                           argument.getOwner()->getParentOp());
  };
  mlir::Value left = op->getOperand(0), right = op->getOperand(1);
  if (op->hasAttr(sumMark))
    return productsIn(right) > 0 ? productsIn(right) : productsIn(left);
  if (isCarried(left))
    return productsIn(right);
  return isCarried(right) ? productsIn(left) : 0;
}

static double vectorFlops(mlir::Operation *op) {
  if (auto products = op->getAttrOfType<mlir::IntegerAttr>(productsMark))
    return flopsPerMultiplyAdd * static_cast<double>(products.getInt());
  if (op->getNumResults() != 1 ||
      !mlir::getElementTypeOrSelf(op->getResult(0).getType()).isIntOrFloat())
    return 0;
  if (auto contract = llvm::dyn_cast<mlir::vector::ContractionOp>(op)) {
    llvm::SmallVector<int64_t> bounds;
    contract.getIterationBounds(bounds);
    return flopsPerMultiplyAdd * product(bounds);
  }
  bool multiplies =
      llvm::isa<mlir::vector::OuterProductOp, mlir::vector::FMAOp>(op);
  int64_t products = multiplies ? 1 : accumulates(op);
  if (products == 0)
    return 0;
  auto lanes = llvm::cast<mlir::VectorType>(op->getResult(0).getType());
  return flopsPerMultiplyAdd *
         static_cast<double>(products * lanes.getNumElements());
}

static void addKernelShare(mlir::linalg::LinalgOp op, KernelShare &share) {
  double operations = linalgOperations(op);
  if (operations <= 0)
    return;
  auto kernel = op->getAttrOfType<mlir::StringAttr>(kernelMark);
  (kernel ? share.kernels[kernel.str()] : share.withoutKernel) +=
      operations * enclosingTrips(op);
}

/// Whether it calls C functions that compute a tile.
static bool callsKernel(mlir::Operation *op) {
  auto call = llvm::dyn_cast<mlir::func::CallOp>(op);
  mlir::Operation *callee = call ? mlir::SymbolTable::lookupNearestSymbolFrom(
                                       call, call.getCalleeAttr())
                                 : nullptr;
  return callee && callee->hasAttr(kernelCallMark);
}

ContractionFlops lh::contractionFlops(mlir::ModuleOp module) {
  ContractionFlops share;
  module.walk([&](mlir::Operation *op) {
    if (auto linalgOp = llvm::dyn_cast<mlir::linalg::LinalgOp>(op)) {
      addKernelShare(linalgOp, share.kernels);
      // What is marked becomes outer products of vectors as it is lowered.
      double &kind = op->hasAttr(outerMark) ? share.vectorised : share.scalar;
      if (double flops = linalgOperations(linalgOp))
        kind += flops * enclosingTrips(op);
    } else if (callsKernel(op)) {
      ++share.kernelCalls;
    } else if (double flops = vectorFlops(op)) {
      share.vectorised += flops * enclosingTrips(op);
    }
  });
  return share;
}

/// "a 2-d convolution of 4 groups", "a depthwise 1-d convolution", "a product".
static std::string describe(mlir::linalg::LinalgOp op) {
  auto dims = mlir::linalg::inferConvolutionDims(op);
  if (failed(dims) || mlir::linalg::isaContractionOpInterface(op))
    return "a product";
  std::string rank =
      std::to_string(dims->outputImage.size()) + "-d convolution";
  if (dims->depth.empty())
    return "a " + rank;
  if (dims->outputChannel.empty())
    return "a depthwise " + rank;
  int64_t groups = 1;
  for (unsigned loop : dims->depth)
    groups *= op.getStaticLoopRanges()[loop];
  return "a " + rank + " of " + std::to_string(groups) + " groups";
}

/// Whether a matrix kernel was chosen for it, or for the blocks it is in.
static bool hasKernel(mlir::Operation *op) {
  for (; op; op = op->getParentOp())
    if (op->hasAttr(kernelMark))
      return true;
  return false;
}

std::vector<PlainContraction> lh::plainContractions(mlir::ModuleOp module) {
  std::vector<PlainContraction> left;
  module.walk([&](mlir::linalg::LinalgOp op) {
    double operations = linalgOperations(op);
    if (operations > 0 && !op->hasAttr(outerMark) && !hasKernel(op))
      left.push_back({namesIn(op.getLoc()), describe(op), spanOf(op.getLoc()),
                      operations * enclosingTrips(op)});
  });
  return left;
}

void lh::remarkOnPlainLoops(ArrayRef<PlainContraction> left,
                            const ContractionFlops &before,
                            const ContractionFlops &after,
                            DiagnosticSink &sink) {
  constexpr size_t named = 8;
  bool becameVectors = after.vectorised > before.vectorised;
  bool becameCalls = after.kernelCalls > before.kernelCalls;
  if (left.empty() || after.scalar > 0 || becameVectors || becameCalls)
    return;
  std::vector<PlainContraction> largest(left.begin(), left.end());
  llvm::stable_sort(largest, [](const auto &one, const auto &other) {
    return one.operations > other.operations;
  });
  double all = before.vectorised + before.scalar;
  auto say = [&](const PlainContraction &op, double operations) {
    std::string text;
    llvm::raw_string_ostream(text)
        << op.name << (op.name.empty() ? "" : ", ") << op.what
        << (op.name.empty() ? "" : ",")
        << " becomes plain loops: no schedule took it; "
        << llvm::format(operations < all / 10 ? "%.2g" : "%.0f",
                        operations / all * 100)
        << " % of the work in products and convolutions";
    sink.emit({DiagKind::IrMessage, Severity::Remark, op.where, text, {}});
  };
  for (const PlainContraction &op : ArrayRef(largest).take_front(named))
    say(op, op.operations);
  double rest = 0;
  for (const PlainContraction &op :
       ArrayRef(largest).drop_front(std::min(named, largest.size())))
    rest += op.operations;
  if (rest > 0)
    say({"", std::to_string(largest.size() - named) + " more", {}, 0}, rest);
}

/// Whether it isn't known how often `op` runs, or over what.
static bool isOpen(mlir::linalg::LinalgOp op) {
  if (llvm::any_of(op.getStaticLoopRanges(), mlir::ShapedType::isDynamic))
    return true;
  auto isConstant =
      [](std::optional<llvm::SmallVector<mlir::OpFoldResult>> all) {
        return all && llvm::all_of(*all, [](mlir::OpFoldResult value) {
                 return mlir::getConstantIntValue(value).has_value();
               });
      };
  for (mlir::Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp())
    if (auto loop = llvm::dyn_cast<mlir::LoopLikeOpInterface>(parent))
      if (!isConstant(loop.getLoopLowerBounds()) ||
          !isConstant(loop.getLoopUpperBounds()) ||
          !isConstant(loop.getLoopSteps()))
        return true;
  return false;
}

/// The element type of `value`; of an integer that an elementwise op made out
/// of a narrower one, as importers do for zero points, the narrower.
static mlir::Type elementBeforeWidening(mlir::Value value) {
  mlir::Type own = mlir::getElementTypeOrSelf(value.getType());
  auto producer = value.getDefiningOp<mlir::linalg::LinalgOp>();
  if (!own.isInteger() || !producer ||
      producer.getNumParallelLoops() != producer.getNumLoops())
    return own;
  for (mlir::OpOperand *input : producer.getDpsInputOperands()) {
    mlir::Type before = mlir::getElementTypeOrSelf(input->get().getType());
    if (before.isInteger() &&
        before.getIntOrFloatBitWidth() < own.getIntOrFloatBitWidth())
      return before;
  }
  return own;
}

/// MLIR's own word for a type that isn't ours.
std::string lh::operandTypeOf(mlir::Operation *op) {
  auto linalgOp = llvm::cast<mlir::linalg::LinalgOp>(op);
  bool hasInput = linalgOp.getNumDpsInputs() > 0;
  std::string text;
  llvm::raw_string_ostream(text)
      << elementBeforeWidening(hasInput ? linalgOp.getDpsInputOperand(0)->get()
                                        : linalgOp.getDpsInits()[0]);
  std::optional<DType> dtype = parseDType(text);
  return dtype ? dtypeName(*dtype).str() : text;
}

ContractionWork lh::contractionWork(mlir::ModuleOp module) {
  ContractionWork work;
  module.walk([&](mlir::linalg::LinalgOp op) {
    double operations = contractionOperations(op);
    if (operations <= 0)
      return;
    work.operations[operandTypeOf(op)] += operations;
    work.isOpen |= isOpen(op);
  });
  return work;
}

/// The op around a multiplication that adds products up, or does it in a loop;
/// null when the multiplication is of single elements, or counted.
static mlir::Operation *uncountedAround(mlir::Operation *multiplication) {
  mlir::Operation *loop = nullptr;
  for (mlir::Operation *op = multiplication->getParentOp(); op;
       op = op->getParentOp()) {
    if (auto linalgOp = llvm::dyn_cast<mlir::linalg::LinalgOp>(op)) {
      bool addsUp = loop || linalgOp.getNumReductionLoops() > 0;
      return addsUp && linalgOperations(linalgOp) <= 0 ? op : nullptr;
    }
    if (llvm::isa<mlir::LoopLikeOpInterface>(op))
      loop = op;
  }
  return loop;
}

void lh::remarkOnUncounted(mlir::ModuleOp module, const SourceSpan &where,
                           DiagnosticSink &sink) {
  constexpr size_t named = 8;
  std::vector<std::string> names;
  llvm::SmallPtrSet<mlir::Operation *, 16> known;
  module.walk([&](mlir::Operation *op) {
    if (!llvm::isa<mlir::arith::MulFOp, mlir::arith::MulIOp>(op) ||
        op->getResult(0).getType().isIndex())
      return;
    mlir::Operation *around = uncountedAround(op);
    if (!around || !known.insert(around).second)
      return;
    std::string name = namesIn(around->getLoc());
    if (name.empty())
      name = "a '" + around->getName().getStringRef().str() + "'";
    if (!llvm::is_contained(names, name))
      names.push_back(name);
  });
  if (names.empty())
    return;
  std::string text = llvm::join(ArrayRef(names).take_front(named), ", ");
  if (names.size() > named)
    text += " and " + std::to_string(names.size() - named) + " more";
  sink.emit({DiagKind::IrUncountedOps,
             Severity::Remark,
             where,
             "no formula of FLOPs covers " + text +
                 ": operations and GFLOP/s are without them",
             {}});
}
