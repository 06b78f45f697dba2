// Loops that threads share: the outermost, and those alone that take longer
// than it takes to wake a thread.
#include "ir/gaps/Gaps.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"

#include <cmath>

using namespace mlir;

/// Of a loop of unknown length. Such loops are long, or nobody cares.
static constexpr double unknownTrips = 64;
/// exp, tanh and their like, in additions.
static constexpr double mathCost = 16;

static double elementsOf(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped)
    return 1;
  double elements = 1;
  for (int64_t size : shaped.getShape())
    elements *=
        ShapedType::isDynamic(size) ? unknownTrips : static_cast<double>(size);
  return elements;
}

/// Numbers that an op by itself computes or moves. Views cost nothing.
static double ownWork(Operation &op) {
  double elements = 0;
  auto count = [&](Type type) {
    if (isa<VectorType, FloatType>(type))
      elements = std::max(elements, elementsOf(type));
  };
  if (isa<linalg::LinalgOp, memref::CopyOp>(op))
    for (Value operand : op.getOperands())
      elements = std::max(elements, elementsOf(operand.getType()));
  llvm::for_each(op.getOperandTypes(), count);
  llvm::for_each(op.getResultTypes(), count);
  return isa<math::MathDialect>(op.getDialect()) ? mathCost * elements
                                                 : elements;
}

static double tripsOf(std::optional<APInt> trips) {
  return trips ? static_cast<double>(trips->getZExtValue()) : unknownTrips;
}

static double tripsOf(scf::ForallOp loop) {
  double trips = 1;
  for (auto [lower, upper, step] :
       llvm::zip(loop.getMixedLowerBound(), loop.getMixedUpperBound(),
                 loop.getMixedStep())) {
    auto from = getConstantIntValue(lower), to = getConstantIntValue(upper),
         by = getConstantIntValue(step);
    bool isKnown = from && to && by;
    trips *= isKnown ? std::ceil(static_cast<double>(*to - *from) /
                                 static_cast<double>(*by))
                     : unknownTrips;
  }
  return trips;
}

/// Of all that the regions of `op` do, in additions.
static double workOf(Operation &op) {
  double work = ownWork(op);
  if (isa<linalg::LinalgOp>(op))
    return work;
  double inside = 0;
  for (Region &region : op.getRegions())
    for (Operation &inner : region.getOps())
      inside += workOf(inner);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    inside *= tripsOf(loop.getStaticTripCount());
  else if (auto forall = dyn_cast<scf::ForallOp>(op))
    inside *= tripsOf(forall);
  return work + inside;
}

/// A failed assertion leaves the code where it is, which only the thread that
/// called the code may do.
static bool mayGiveUp(scf::ForallOp loop) {
  return loop.walk([](cf::AssertOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

namespace {
class ShareLoopsPass
    : public PassWrapper<ShareLoopsPass, InterfacePass<FunctionOpInterface>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ShareLoopsPass)

  ShareLoopsPass() = default;
  ShareLoopsPass(const ShareLoopsPass &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "lh-share-loops"; }
  StringRef getDescription() const override {
    return "Makes scf.parallel of the outermost scf.forall loops that are "
           "worth waking threads for";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<scf::SCFDialect>();
  }

private:
  bool isWorthSharing(scf::ForallOp loop) {
    return tripsOf(loop) > 1 &&
           workOf(*loop) >= static_cast<double>(leastWork) && !mayGiveUp(loop);
  }

  void runOnOperation() override {
    if (threads < 2)
      return;
    SmallVector<scf::ForallOp> shared;
    getOperation()->walk<WalkOrder::PreOrder>([&](scf::ForallOp loop) {
      if (isWorthSharing(loop))
        shared.push_back(loop);
      return WalkResult::skip();
    });
    IRRewriter rewriter(&getContext());
    for (scf::ForallOp loop : shared) {
      rewriter.setInsertionPoint(loop);
      if (failed(scf::forallToParallelLoop(rewriter, loop)))
        return signalPassFailure();
    }
  }

  Option<int64_t> threads{
      *this, "threads", llvm::cl::init(1),
      llvm::cl::desc("threads that there are; with one, nothing is shared")};
  Option<int64_t> leastWork{
      *this, "least-work", llvm::cl::init(1 << 17),
      llvm::cl::desc("numbers computed or moved by a loop that is shared")};
};
} // namespace

void lh::registerShareLoopsPass() { PassRegistration<ShareLoopsPass>(); }
