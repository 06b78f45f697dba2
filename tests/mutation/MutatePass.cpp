// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pass plugin that gets one thing wrong on purpose; for tests only.
#include "Sites.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Config/llvm-config.h"

using namespace mlir;
using namespace lh::mutation;

static constexpr MutationOperator operators[] = {
    {"drop-last-tile", dropLastTile},
    {"loop-bound", shiftLoopBound},
    {"skip-first-iteration", skipFirstIteration},
    {"hoist-initialisation", hoistInitialisation},
    {"index-off-by-one", shiftIndex},
    {"slice-off-by-one", shiftSlice},
    {"pad-off-by-one", shiftPadding},
    {"map-off-by-one", shiftMap},
    {"transposed-access", transposeAccess},
    {"wrong-axis", swapAxes},
    {"wrong-lane", shiftLane},
    {"missing-initialisation", dropInitialisation},
    {"wrong-fill", changeFill},
    {"lost-store", dropStore},
    {"short-mask", shortenMask},
    {"wrong-padding-value", changePaddingValue},
    {"lost-accumulator", forgetAccumulator},
    {"swapped-operands", swapOperands},
    {"wrong-rounding", roundOtherwise},
    {"sign-flip", flipSign},
    {"skipped-nan", skipNan},
    {"predicate-flip", flipPredicate},
    {"signedness", confuseSigns},
    {"bool-as-bits", packBool},
    {"bfloat16-downgrade", downgradeToBfloat16},
    {"fast-math", addFastMath},
    {"dropped-guard", dropGuard},
    {"wrong-constant", changeConstant},
    {"nudged-constant", nudgeConstant},
    {"clamp-off-by-one", shiftClamp},
    {"device-missing-barrier", dropBarrier},
    {"device-weak-wait", weakenWait},
    {"device-stuck-phase", skipPhaseFlip},
    {"device-short-ring", shrinkRing},
    {"device-lost-swizzle", swapSwizzle},
    {"device-guard-off-by-one", shiftGuard},
    {"device-dropped-mask", dropMask},
    {"device-aliased-buffers", aliasBuffers},
    {"device-wrong-fragment", confuseFragments},
    {"device-wrong-lane", shiftLaneOfShuffle},
    {"device-wrong-thread", shiftThread},
};

llvm::ArrayRef<MutationOperator> lh::mutation::mutationOperators() {
  return operators;
}

namespace {

/// `lh-mutate{operator=NAME seed=N}` changes the module at one of the sites
/// where the operator applies, and fails where there is none. With
/// `operator=census` it changes nothing and counts each operator's sites. With
/// `in-kernels` only the code of kernels is looked at.
struct MutatePass : PassWrapper<MutatePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MutatePass)

  MutatePass() = default;
  MutatePass(const MutatePass &other) : PassWrapper(other) {}

  StringRef getArgument() const final { return "lh-mutate"; }
  StringRef getDescription() const final {
    return "makes one mistake, picked by 'operator' and 'seed'";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<affine::AffineDialect, arith::ArithDialect,
                    LLVM::LLVMDialect, math::MathDialect>();
  }

  void runOnOperation() override {
    if (kind == "census")
      return count();
    const auto *found = llvm::find_if(
        operators, [&](const auto &each) { return each.name == kind; });
    if (found == std::end(operators)) {
      getOperation().emitError("no mutation operator is called '")
          << kind << "'; see Sites.h";
      return signalPassFailure();
    }
    mutate(*found);
  }

  Sites sitesOf(const MutationOperator &which) {
    Sites sites;
    getOperation().walk([&](Operation *op) {
      if (!inKernels || op->getParentOfType<gpu::GPUModuleOp>())
        which.collect(op, sites);
    });
    return sites;
  }

  void count() {
    std::string counts;
    for (const MutationOperator &each : operators)
      counts +=
          " " + each.name.str() + "=" + std::to_string(sitesOf(each).size());
    getOperation().emitRemark("mutation sites:") << counts;
  }

  void mutate(const MutationOperator &which) {
    Sites sites = sitesOf(which);
    if (sites.empty()) {
      getOperation().emitError("no site for the mutation operator '")
          << kind << "'";
      return signalPassFailure();
    }
    Site &site = sites[seed % sites.size()];
    std::string before = textOf(site.op);
    Location where = site.op->getLoc();
    OpBuilder builder(site.op);
    std::string change = site.change(builder);
    std::string record =
        kind + " (site " + std::to_string(seed % sites.size()) + " of " +
        std::to_string(sites.size()) + "): " + change + " at '" + before + "'";
    getOperation()->setAttr("lh.mutant",
                            StringAttr::get(&getContext(), record));
    emitRemark(where) << "mutated: " << record;
  }

  Option<std::string> kind{*this, "operator",
                           llvm::cl::desc("the mistake, or 'census'"),
                           llvm::cl::init("census")};
  Option<bool> inKernels{*this, "in-kernels",
                         llvm::cl::desc("leave the host's code alone"),
                         llvm::cl::init(false)};
  Option<uint64_t> seed{*this, "seed", llvm::cl::desc("which site"),
                        llvm::cl::init(0)};
};

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "LighthouseMutation", LLVM_VERSION_STRING,
          [] { PassRegistration<MutatePass>(); }};
}
