// The marks that the passes around kernels of products on GPUs, and schedules,
// tell each other by.
#ifndef LH_COMPILER_GAPS_GPU_KERNELMARKS_H
#define LH_COMPILER_GAPS_GPU_KERNELMARKS_H

#include "llvm/ADT/StringRef.h"

namespace lh {

/// What a product multiplies and sums up, "f16 x f16 -> f32", whether it is of
/// batches of matrices, whether its first operand has to be gathered from an
/// image, and whether large tiles would lie mostly empty; or, of a product that
/// no kernel could take, why: lh-type-products sets them.
inline constexpr llvm::StringLiteral typesMark = "lh.types";
inline constexpr llvm::StringLiteral untypedMark = "lh.untyped";
inline constexpr llvm::StringLiteral batchedMark = "lh.batched";
inline constexpr llvm::StringLiteral gatheredMark = "lh.gathered";
inline constexpr llvm::StringLiteral thinMark = "lh.thin";

/// The unit attribute on the op that gathers; and how many neighbours in a row
/// of its result are neighbours in memory too.
inline constexpr llvm::StringLiteral gatherMark = "lh.gather";
inline constexpr llvm::StringLiteral contiguousMark = "lh.contiguous";

/// The kernel that a schedule has chosen for a product, by name; an instruction
/// that its code must have; and what it needs: the tile that operands are
/// padded to (a #dlti.map of rows, columns and sum, which schedules can ask
/// for), the least number of tiles along the sum, and whether it reads B by
/// columns.
inline constexpr llvm::StringLiteral kernelMark = "lh.kernel";
inline constexpr llvm::StringLiteral instructionMark = "lh.instruction";
inline constexpr llvm::StringLiteral tileMark = "lh.tile";
inline constexpr llvm::StringLiteral roundsMark = "lh.rounds";
inline constexpr llvm::StringLiteral turnedMark = "lh.turned";

/// The unit attribute on a launch that computes a whole product and writes
/// each element of its result: schedules set it.
inline constexpr llvm::StringLiteral productLaunchMark = "lh.product";

/// On a loop of a kernel: how many of its blocks should have their registers on
/// one multiprocessor. Schedules set it; kernels with cut edges lose it.
inline constexpr llvm::StringLiteral residentBlocksMark = "lh.resident_blocks";

/// On the module: how many of its products need kernels with an instruction, by
/// instruction; the budget counts the kernels that have it.
inline constexpr llvm::StringLiteral instructionsMark = "lh.instructions";

} // namespace lh

#endif // LH_COMPILER_GAPS_GPU_KERNELMARKS_H
