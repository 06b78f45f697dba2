// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every discardable attribute of ours, on payloads and on schedules. Below what
// a mark says stand its type, who sets it, who reads it, and the bubble of the
// library that leaves none of it: `never` where the compiled code's users read
// it. Who `people` are reads modules and reports.
// tests/structure/check_marks.py compares this with what sets and reads marks,
// tests/e2e/marks.py with what is left of them along a pipeline.
#ifndef LH_COMPILER_GAPS_MARKS_H
#define LH_COMPILER_GAPS_MARKS_H

#include "llvm/ADT/StringRef.h"

namespace lh {

//===----------------------------------------------------------------------===//
// Arguments and results of functions
//===----------------------------------------------------------------------===//

/// A tensor's name in the model; of a schedule's entry, the parameter that the
/// argument is bound to.
/// string | sets: importer, lh-hoist-weights, lh-error-bounds,
/// lh-expose-scores, schedules | reads: lh-entry-abi, driver | until: never
inline constexpr llvm::StringLiteral nameMark = "lh.name";

/// The element type as the model names it: MLIR's integers have no sign.
/// string | sets: importer, lh-widen, lh-error-bounds | reads: lh-entry-abi
/// | until: never
inline constexpr llvm::StringLiteral typeMark = "lh.type";

/// The model's names for sizes that aren't known.
/// array of strings | sets: importer, lh-error-bounds | reads: lh-entry-abi
/// | until: never
inline constexpr llvm::StringLiteral symbolsMark = "lh.symbols";

/// The argument is an initialiser of the model, the same in each call.
/// string, its name | sets: importer | reads: lh-hoist-weights, lh-entry-abi,
/// transform.lh.match.product | until: never
inline constexpr llvm::StringLiteral weightMark = "lh.weight";

/// Where a weight lies.
/// [file, offset, bytes] | sets: importer | reads: lh-entry-abi | until: never
inline constexpr llvm::StringLiteral dataMark = "lh.data";

/// The argument is what @prepare returns at this place.
/// i64 | sets: lh-hoist-weights | reads: lh-entry-abi | until: never
inline constexpr llvm::StringLiteral preparedMark = "lh.prepared";

/// What the argument is of a sparse tensor: "tensor", its name; "array", one of
/// `positions` and `coordinates` of a "level", `values`, `elements`, `stored`;
/// "type", the tensor's.
/// dictionary | sets: lh-assemble-sparse, lh-scatter-sparse | reads:
/// lh-entry-abi | until: never
inline constexpr llvm::StringLiteral sparseMark = "lh.sparse";

/// Integers up to this magnitude give exact results.
/// i64 | sets: driver | reads: lh-entry-abi, driver | until: never
inline constexpr llvm::StringLiteral exactMark = "lh.exact";

/// How the input is filled so that only sums in order are exact.
/// [axis, exponent, sign] | sets: driver | reads: lh-entry-abi | until: never
inline constexpr llvm::StringLiteral orderedMark = "lh.ordered";

/// The result depends on numbers that the model draws; before, the operation
/// that draws them.
/// unit | sets: importer | reads: lh-entry-abi | until: never
inline constexpr llvm::StringLiteral drawnMark = "lh.drawn";

/// What a function on tensors takes and gives, as `lh.abi` says it, for code
/// that upstream's passes alone make pointers of.
/// dictionary | sets: driver | reads: backends | until: bufferize
inline constexpr llvm::StringLiteral signatureMark = "lh.signature";

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

/// How each entry takes its tensors.
/// dictionary | sets: lh-entry-abi | reads: backends | until: never
inline constexpr llvm::StringLiteral abiMark = "lh.abi";

/// Why no range of integers gives exact results; no sum has an order to be
/// tested; results on NaN and infinities are anything.
/// string | sets: driver | reads: lh-entry-abi, driver | until: never
inline constexpr llvm::StringLiteral inexactMark = "lh.inexact";
inline constexpr llvm::StringLiteral unorderedMark = "lh.unordered";
inline constexpr llvm::StringLiteral undefinedMark = "lh.undefined";
inline constexpr llvm::StringLiteral marksOfAbi[] = {inexactMark, unorderedMark,
                                                     undefinedMark};

/// Why there are no bounds of errors.
/// string | sets: lh-error-bounds | reads: people | until: never
inline constexpr llvm::StringLiteral unboundedMark = "lh.unbounded";

/// What kernels may use, and must contain: `.registers`, `.spills`,
/// `.shared_bytes`, `.instructions`.
/// i64, string | sets: kernel-budget.mlir | reads: backends | until: never
inline constexpr llvm::StringLiteral kernelBudgetMark = "lh.kernel_budget";

/// The library of vector functions that code may call, by LLVM's name of it
/// (`opt -vector-library`); `none`.
/// string | sets: vector-library.mlir | reads: code generation | until: never
inline constexpr llvm::StringLiteral vectorLibraryMark = "lh.vector_library";

/// A function that calls one of a kernel's for tiles of a product: "name", the
/// kernel; "computes", the pattern, as "product-bias"; "multiples", what its
/// rows, columns and sum are multiples of; "terms", of the longest sum, if
/// there is one; "types" of A, B and C. Or, empty, one that such functions
/// call.
/// dictionary | sets: driver | reads: lh.match.kernel, driver | until: lowering
inline constexpr llvm::StringLiteral kernelCallMark = "lh.kernel_call";

/// The bodies of kernels that are called, by kernel: "form", as "bitcode";
/// "functions", what they define; "bytes", a dense_resource, or "path", of a
/// shared library.
/// dictionary of dictionaries | sets: driver | reads: code generation
/// | until: never
inline constexpr llvm::StringLiteral kernelCodeMark = "lh.kernel_code";

/// How many products need kernels with an instruction, by instruction.
/// dictionary | sets: lh-lay-out-products | reads: backends | until: never
inline constexpr llvm::StringLiteral instructionsMark = "lh.instructions";

//===----------------------------------------------------------------------===//
// What importers know of ops, for the oracle
//===----------------------------------------------------------------------===//

/// The cast is the model's own.
/// unit | sets: importer, lh-error-bounds | reads: lh-widen, lh-error-bounds
/// | until: lowering
inline constexpr llvm::StringLiteral castMark = "lh.cast";

/// The op picks positions along this axis.
/// i64 | sets: importer | reads: lh-expose-scores | until: lowering
inline constexpr llvm::StringLiteral picksMark = "lh.picks";

/// The loops select boxes, by these limits.
/// list of f64 | sets: importer | reads: lh-expose-scores | until:
/// lower-to-llvm
inline constexpr llvm::StringLiteral selectsMark = "lh.selects";

//===----------------------------------------------------------------------===//
// Products and windows on tensors
//===----------------------------------------------------------------------===//

/// A product of words, which is no contraction to the interface.
/// unit | sets: lh-pack-words, pack-contractions.mlir | reads:
/// lh-multiply-windows, pack-contractions.mlir | until: lowering
inline constexpr llvm::StringLiteral productMark = "lh.product";

/// On the op that puts windows side by side: which they are.
/// #dlti.map | sets: lh-multiply-windows | reads: lh-lower-windows
/// | until: tile-contractions
inline constexpr llvm::StringLiteral windowsMark = "lh.windows";

/// The op is computed on each piece of the contraction before it.
/// unit | sets: pack-contractions.mlir | reads: tile-contractions.mlir
/// | until: tile-contractions
inline constexpr llvm::StringLiteral epilogueMark = "lh.epilogue";

/// The product stays whole until it becomes outer products (SME) or products of
/// tiles (AMX); or it is an operand of one of outer products, or the zeros that
/// one of tiles begins with.
/// unit | sets: pack-contractions.mlir, outer-products.mlir,
/// tile-contractions.mlir, finish-contractions.mlir | reads:
/// outer-products.mlir, lh-lower-tiles, lh-fuse-rows,
/// vectorize-elementwise.mlir, driver
/// | until: lower-vectors
inline constexpr llvm::StringLiteral outerMark = "lh.outer";

/// The function computes outer products.
/// unit | sets: outer-products.mlir | reads: outer-products.mlir
/// | until: lowering
inline constexpr llvm::StringLiteral streamingMark = "lh.streaming";

/// The loop over batches and heads of an attention.
/// unit | sets: lh-fuse-attention | reads: fuse-attention.mlir,
/// tile-contractions.mlir | until: lowering
inline constexpr llvm::StringLiteral attentionMark = "lh.attention";

/// The contraction is an attention's, and tiled before the others.
/// unit | sets: tile-contractions.mlir | reads: tile-contractions.mlir
/// | until: tile-contractions
inline constexpr llvm::StringLiteral aheadMark = "lh.ahead";

/// A product whose weights are unpacked in registers, and the loops of it: over
/// "blocks", "bytes", "lanes" and "places". unit or string
/// | sets: unpack-weights.mlir | reads: unpack-weights.mlir | until: lowering
inline constexpr llvm::StringLiteral unpackMark = "lh.unpack";

/// A strip of rows of a dot product; its partial sums, and what is around them.
/// unit | sets: dot-contractions.mlir | reads: dot-contractions.mlir
/// | until: tile-contractions
inline constexpr llvm::StringLiteral stripMark = "lh.strip";
inline constexpr llvm::StringLiteral dotMark = "lh.dot";

/// The op is turned in blocks (unit), or, of 3 loops, slice by slice (3).
/// unit or i64 | sets: lh-fuse-rows | reads: vectorize-elementwise.mlir
/// | until: vectorize-elementwise
inline constexpr llvm::StringLiteral turnMark = "lh.turn";

/// Rows to be cut into scalable strips (1), or what windows are cut into (2).
/// i64 | sets: vectorize-elementwise.mlir | reads: vectorize-elementwise.mlir
/// | until: vectorize-elementwise
inline constexpr llvm::StringLiteral scalableMark = "lh.scalable";

/// How the op is computed: "strategy", its name; "rule", what chose it; and the
/// strategy's own parameters, which its bubble asks for.
/// #dlti.map | sets: choose.mlir, choose-products.mlir | reads: strategies'
/// schedules and passes, explain
/// | until: tile-contractions, map-products
inline constexpr llvm::StringLiteral choiceMark = "lh.choice";

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// The loop, or the addition that is left of one, sums up.
/// unit | sets: tile-contractions.mlir, dot-contractions.mlir,
/// cut-windows.mlir, vectorize-elementwise.mlir | reads:
/// finish-contractions.mlir, vectorize-elementwise.mlir, driver
/// | until: lowering
inline constexpr llvm::StringLiteral sumMark = "lh.sum";

/// The sum is of scalable vectors.
/// unit | sets: tile-contractions.mlir | reads: finish-contractions.mlir
/// | until: lowering
inline constexpr llvm::StringLiteral scalableSumMark = "lh.scalable_sum";

/// The loop is over strips of scalable vectors; it has been peeled.
/// unit | sets: tile-contractions.mlir, thin-contractions.mlir,
/// dot-contractions.mlir | reads: tile-contractions.mlir,
/// thin-contractions.mlir, dot-contractions.mlir | until: lowering
inline constexpr llvm::StringLiteral stripsMark = "lh.strips";
inline constexpr llvm::StringLiteral peeledStripsMark = "lh.peeled_strips";

/// The loop is over rows of pixels.
/// unit | sets: cut-windows.mlir | reads: vectorize-elementwise.mlir
/// | until: lowering
inline constexpr llvm::StringLiteral rowsMark = "lh.rows";

/// The loop is over the pixels of a step, and in it are those over a window's
/// points.
/// unit | sets: cut-windows.mlir | reads: jam-pixels.mlir | until: lowering
inline constexpr llvm::StringLiteral pixelsMark = "lh.pixels";

/// The loop is over so many points of a window.
/// i64 | sets: cut-windows.mlir | reads: vectorize-elementwise.mlir
/// | until: lowering
inline constexpr llvm::StringLiteral pointsMark = "lh.points";

/// Threads could run the loop's iterations.
/// unit | sets: lh-share-loops | reads: lh-share-loops
/// | until: lowering
inline constexpr llvm::StringLiteral independentMark = "lh.independent";

//===----------------------------------------------------------------------===//
// Buffers and instructions
//===----------------------------------------------------------------------===//

/// How many buffers an allocation holds, and their bytes one by one.
/// list of i64 | sets: lh-plan-memory | reads: people | until: lowering
inline constexpr llvm::StringLiteral buffersMark = "lh.buffers";

/// How many numbers' products an instruction on words adds up, for each vscale
/// where its vectors are scalable.
/// i64 | sets: lh-lower-words | reads: driver | until: lowering
inline constexpr llvm::StringLiteral productsMark = "lh.products";

//===----------------------------------------------------------------------===//
// Kernels of products on GPUs
//===----------------------------------------------------------------------===//

/// What a product multiplies and sums up, "f16 x f16 -> f32"; whether it is of
/// batches, and whether its first operand is gathered from an image; or why no
/// kernel could take it.
/// string; bool | sets: lh-normalize-products | reads: choose-products.mlir,
/// lh-lay-out-products | until: map-products
inline constexpr llvm::StringLiteral typesMark = "lh.types";
inline constexpr llvm::StringLiteral batchedMark = "lh.batched";
inline constexpr llvm::StringLiteral gatheredMark = "lh.gathered";
inline constexpr llvm::StringLiteral untypedMark = "lh.untyped";

/// Large tiles would lie mostly empty.
/// bool | sets: lh-normalize-products | reads: choose-products.mlir
/// | until: map-products
inline constexpr llvm::StringLiteral smallMark = "lh.small";

/// The strategy of a product that is laid out for it, of the function that
/// computes it, and of its blocks of threads ("instruction": one for each).
/// string | sets: lh-lay-out-products, kernels | reads: tile-products.mlir,
/// map-products.mlir, driver | until: map-products
inline constexpr llvm::StringLiteral kernelMark = "lh.kernel";

/// The launch computes a whole product, each element once.
/// unit | sets: map-blocks.mlir | reads: lh-launch-kernels | until: lowering
inline constexpr llvm::StringLiteral productLaunchMark = "lh.product_launch";

/// The op gathers; so many neighbours of a row are neighbours in memory too.
/// unit; i64 | sets: lh-lay-out-products | reads: lh-load-contiguous
/// | until: map-products
inline constexpr llvm::StringLiteral gatherMark = "lh.gather";
inline constexpr llvm::StringLiteral contiguousMark = "lh.contiguous";

/// What threads copy a product's tiles.
/// #dlti.map | sets: tile-products.mlir | reads: map-blocks.mlir
/// | until: map-products
inline constexpr llvm::StringLiteral threadsMark = "lh.threads";

/// The loop is unrolled whole: over the columns or the rows of a warp's tiles,
/// or along their sum, in units of the matrix instruction; over a copy's
/// pieces. unit | sets: tile-products.mlir, map-blocks.mlir | reads:
/// map-blocks.mlir | until: map-products
inline constexpr llvm::StringLiteral unrollMark = "lh.unroll";

/// The copy of A's tile, which is mapped last.
/// unit | sets: map-blocks.mlir | reads: map-blocks.mlir
/// | until: map-products
inline constexpr llvm::StringLiteral leftMark = "lh.left";

/// How many blocks of the loop's kernel should have their registers on one
/// multiprocessor; kernels with cut edges lose it.
/// i64 | sets: map-products.mlir | reads: lower-to-nvvm.mlir
/// | until: lowering
inline constexpr llvm::StringLiteral residentBlocksMark = "lh.resident_blocks";

//===----------------------------------------------------------------------===//
// Ops of schedules
//===----------------------------------------------------------------------===//

/// Of a function that takes an operation's place: the argument is given the
/// operation's attribute of this name.
/// string | sets: users | reads: lh-call-lowerings | until: lh-call-lowerings
inline constexpr llvm::StringLiteral attributeMark = "lh.attribute";

/// {attribute = "parameter"}: the literal is replaced by the parameter's value.
/// dictionary | sets: schedules | reads: driver | until: never
inline constexpr llvm::StringLiteral bindMark = "lh.bind";

/// Why the op may find nothing.
/// string | sets: schedules | reads: driver | until: never
inline constexpr llvm::StringLiteral optionalMark = "lh.optional";

} // namespace lh

#endif // LH_COMPILER_GAPS_MARKS_H
