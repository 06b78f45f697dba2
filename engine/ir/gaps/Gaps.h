// The passes that upstream lacks; docs/upstream-gaps.md says why each exists.
#ifndef LH_IR_GAPS_GAPS_H
#define LH_IR_GAPS_GAPS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace lh {

/// `lh-hoist-weights` (module, on tensors): what depends on weight arguments
/// of @main alone moves to `@prepare(weights...) -> prepared...`.
void registerHoistWeightsPass();

/// `lh-entry-abi` (module, on memrefs, right after one-shot-bufferize): gives
/// entry functions their C interface and records it in `lh.abi`.
void registerEntryAbiPass();

/// `lh-widen` (module, on tensors): all floating-point compute becomes f64.
void registerWidenPass();

/// `lh-error-bounds` (module, on tensors, before lh-widen): each float result
/// N of @main gets a result `N#bound`, how far a correct implementation may be
/// off; or the module gets `lh.unbounded`, why there is none.
void registerErrorBoundsPass();

/// `lh-approximate-math` (any op): f32 math ops become polynomials; all, or
/// those that `functions` names.
void registerApproximateMathPass();

/// `lh-fuse-rows` (functions, on tensors): reductions and what is computed from
/// them along the same rows become one loop over rows.
void registerFuseRowsPass();

/// `lh-fuse-attention` (functions, linalg on tensors): two batched products
/// with a softmax between them become one loop over heads and tiles of rows.
void registerFuseAttentionPass();

/// `lh-fuse-elementwise` (any op, linalg on tensors): fuses elementwise ops
/// with a single user into it, unless that is a contraction.
void registerFuseElementwisePass();

/// `lh-mark-epilogues` (any op, linalg on tensors): `lh.epilogue` on each
/// elementwise op that is all that becomes of the result of a contraction or of
/// windows, and `lh.has_epilogue` on the windows.
void registerMarkEpiloguesPass();

/// `lh-mark-products` (any op, linalg on tensors): `lh.product` on each product
/// of numbers of one type of at least 32 bits, integers too.
void registerMarkProductsPass();

/// `lh-channels-last` (module, linalg on tensors): convolutions of images
/// [batch][channels][height][width], and what is between them, compute with the
/// channels innermost; tensors are turned where others read or write them.
void registerChannelsLastPass();

/// `lh-gather-windows` (any op, linalg on tensors, after lh-channels-last):
/// convolutions become products of their windows, marked `lh.windows`.
void registerGatherWindowsPass();

/// `lh-winograd` (any op, linalg on tensors, after lh-channels-last):
/// convolutions by 3 x 3 windows become products between upstream's Winograd
/// transforms, a block of tiles at a time.
void registerWinogradPass();

/// `lh-lower-winograd` (any op, on tensors): those transforms of f32 become
/// loops over vectors of channels, of `bits`.
void registerLowerWinogradPass();

/// `lh-fill-windows` (any op, on tensors, when products are tiled): the rows of
/// windows that a tile reads are copied right before it.
void registerFillWindowsPass();

/// `lh-widen-operands` (any op, linalg on tensors): matrix products that widen
/// their operands' elements, or sum up in f16 or bf16, become products of wide
/// tensors.
void registerWidenOperandsPass();

/// `lh-integer-products` (any op, linalg on tensors, after lh-channels-last):
/// convolutions and products of dequantised bytes become those of the bytes,
/// with `bytes` alone.
void registerIntegerProductsPass();

/// `lh-pack-words` (any op, linalg on tensors, after lh-widen-operands):
/// products of bytes or bf16, and convolutions of bytes, become those of words,
/// 32 bits that hold four or two numbers along the sum.
void registerPackWordsPass();

/// `lh-lower-words` (any op, on vectors): dot products of words become x86's
/// instructions for them, `bits` wide.
void registerLowerWordsPass();

/// `lh-start-at-zero` (any op, linalg on tensors): a contraction that adds to
/// something becomes one that starts at zero, and an addition.
void registerStartAtZeroPass();

/// `lh-hide-selects` (any op): arith.select on index becomes one on i64, which
/// the analysis of bounds doesn't follow.
void registerHideSelectsPass();

/// `lh-forward-masked` (any op, vectors on tensors): a vector.transfer_read of
/// what a vector.transfer_write wrote under the same mask becomes that vector.
void registerForwardMaskedPass();

/// `lh-read-only-arguments` (module, on tensors, before one-shot-bufferize):
/// tensors that a caller hands to a public function are not written.
void registerReadOnlyArgumentsPass();

/// `lh-lower-expand-shape` (any op, on memrefs, before
/// expand-strided-metadata): memref.expand_shape with several dynamic sizes in
/// one group becomes memref.reinterpret_cast.
void registerLowerExpandShapePass();

/// `lh-expose-scores` (module, as imported): for each result N that holds
/// positions along axis A (the importer marks their maker with `lh.picks`), a
/// result `N#scores<A>`: the tensor whose elements were compared. For each
/// that holds selected boxes (`lh.selects`, four numbers), `N#selects-scores`,
/// `N#selects-boxes` and, with the numbers, `N#selects-rules`.
void registerExposeScoresPass();

/// `lh-precise-math` (module, before convert-math-to-llvm): expm1 of scalars is
/// left to libm.
void registerPreciseMathPass();

/// `lh-stream-results` (functions, on memrefs): vectors written to large
/// results that are never read go past the caches.
void registerStreamResultsPass();

/// `lh-prefetch-inputs` (functions, on memrefs): loops that read large inputs
/// by vectors ask for them ahead.
void registerPrefetchInputsPass();

/// `lh-plan-memory` (functions, on memrefs, after deallocation): buffers of
/// known sizes share one allocation; each thread's those of its own.
void registerPlanMemoryPass();

/// `lh-clip-windows` (functions, on tensors, vectorized): windows read images
/// that are not padded left and right, and are computed between the rows above
/// and below.
void registerClipWindowsPass();

/// `lh-join-in-place` (functions, on tensors, right before bufferization): parts
/// of a concatenation of channels are computed where they belong.
void registerJoinInPlacePass();

/// `lh-pad-borders` (functions, on tensors, right before bufferization): padded
/// images become loops over rows, which write each number once.
void registerPadBordersPass();

/// `lh-mark-independent` (functions, on tensors, right before bufferization):
/// `lh.independent` on each scf.for whose iterations threads could share.
void registerMarkIndependentPass();

/// `lh-share-loops` (functions, on memrefs): scf.forall loops, and scf.for loops
/// marked `lh.independent`, become scf.parallel where that takes less time.
void registerShareLoopsPass();

/// All of the above. Call once per process: MLIR's pass registry is global.
void registerGapPasses();

/// Their names, for those who must say that stock mlir-opt lacks them.
llvm::ArrayRef<llvm::StringRef> gapPassNames();

} // namespace lh

#endif // LH_IR_GAPS_GAPS_H
