// The list of gap passes.
#include "ir/gaps/Gaps.h"
#include "ir/gaps/BufferPasses.h"
#include "ir/gaps/KernelBudget.h"
#include "ir/gaps/KernelLaunch.h"
#include "ir/gaps/KernelPasses.h"
#include "ir/gaps/RowPasses.h"

void lh::registerGapPasses() {
  registerHoistWeightsPass();
  registerEntryAbiPass();
  registerWidenPass();
  registerErrorBoundsPass();
  registerApproximateMathPass();
  registerFuseRowsPass();
  registerVectorizeRowsPass();
  registerFuseAttentionPass();
  registerFuseElementwisePass();
  registerMarkEpiloguesPass();
  registerStartAtZeroPass();
  registerWidenOperandsPass();
  registerPackWordsPass();
  registerLowerWordsPass();
  registerMarkProductsPass();
  registerHideSelectsPass();
  registerForwardMaskedPass();
  registerReadOnlyArgumentsPass();
  registerSplitEmptiesPass();
  registerLowerExpandShapePass();
  registerExposeScoresPass();
  registerPreciseMathPass();
  registerCallLanesPass();
  registerOverlapRowsPass();
  registerStreamResultsPass();
  registerPrefetchInputsPass();
  registerPlanMemoryPass();
  registerClipWindowsPass();
  registerJoinInPlacePass();
  registerPadBordersPass();
  registerMarkIndependentPass();
  registerShareLoopsPass();
  registerChannelsLastPass();
  registerGatherWindowsPass();
  registerFillWindowsPass();
  registerIntegerProductsPass();
  registerKernelPasses();
  registerWinogradPass();
  registerLowerWinogradPass();
  registerLaunchKernelsPass();
  registerKernelBudgetPass();
}

llvm::ArrayRef<llvm::StringRef> lh::gapPassNames() {
  static constexpr llvm::StringRef names[] = {
      "lh-hoist-weights",      "lh-entry-abi",        "lh-widen",
      "lh-approximate-math",   "lh-fuse-rows",        "lh-read-only-arguments",
      "lh-lower-expand-shape", "lh-expose-scores",    "lh-error-bounds",
      "lh-precise-math",       "lh-stream-results",   "lh-fuse-elementwise",
      "lh-mark-epilogues",     "lh-start-at-zero",    "lh-prefetch-inputs",
      "lh-widen-operands",     "lh-mark-products",    "lh-plan-memory",
      "lh-mark-independent",   "lh-clip-windows",     "lh-join-in-place",
      "lh-pad-borders",        "lh-share-loops",      "lh-hide-selects",
      "lh-pack-words",         "lh-lower-words",      "lh-channels-last",
      "lh-gather-windows",     "lh-fill-windows",     "lh-fuse-attention",
      "lh-vectorize-rows",     "lh-overlap-rows",     "lh-integer-products",
      "lh-type-products",      "lh-lay-out-products", "lh-fuse-into-kernels",
      "lh-share-memory",       "lh-winograd",         "lh-lower-winograd",
      "lh-launch-kernels",     "lh-kernel-budget",    "lh-call-lanes",
      "lh-forward-masked",     "lh-split-empties"};
  return names;
}
