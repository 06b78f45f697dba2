// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a sparse tensor is stored, level by level, as in MLIR's sparse_tensor
// dialect ("Compiler Support for Sparse Tensor Computations in MLIR", TACO
// 2022): CSR, CSC, COO, DCSR, blocks, n of m.
#ifndef LH_CORE_NUMERICS_SPARSEFORMAT_H
#define LH_CORE_NUMERICS_SPARSEFORMAT_H

#include "core/numerics/Tensor.h"

namespace lh {

/// Dense: every coordinate. Compressed: those that are stored, between two
/// positions. Singleton: one for each of the level above. Structured: `kept` of
/// every `size`.
enum class LevelKind { Dense, Compressed, Singleton, Structured };

struct SparseLevel {
  LevelKind kind = LevelKind::Dense;
  /// Of a compressed level: whether a coordinate occurs once in its segment.
  bool isUnique = true;
  size_t dim = 0; ///< of which dimension of the tensor
  /// The level's coordinate is the dimension's divided by this, or, where
  /// `isRemainder`, what is left by that division.
  int64_t divisor = 1;
  bool isRemainder = false;
  int64_t size = 0; ///< how many coordinates there are
  int64_t kept = 0; ///< of a structured level

  int64_t coordinate(int64_t index) const {
    return isRemainder ? index % divisor : index / divisor;
  }
};

struct SparseFormat {
  std::vector<int64_t> shape;
  std::vector<SparseLevel> levels; ///< outermost first
};

/// What a tensor is of a sparse tensor: an array of a level, all values in
/// their order; or, where it is computed with as a dense one, all elements, and
/// which are stored.
enum class SparseArray { Positions, Coordinates, Values, Elements, Stored };

/// By SparseArray.
inline constexpr StringRef sparseArrayWords[] = {
    "positions", "coordinates", "values", "elements", "stored"};

/// The arrays of level `l`; those that its kind lacks are empty.
struct LevelArrays {
  std::vector<int64_t> positions, coordinates;
};

/// A stored element: where it is in the tensor, and which of the given ones it
/// is; none for a zero that the format stores along with others.
struct StoredElement {
  std::vector<int64_t> indices;
  std::optional<size_t> given;
};

struct SparseLayout {
  std::vector<LevelArrays> levels;
  /// In the order of the array of values. Those of a block that juts out of the
  /// tensor have indices beyond its shape.
  std::vector<StoredElement> elements;
};

/// Lays out elements at `indices`, which are within the shape and differ from
/// each other, in any order. nullopt where a group of a structured level has
/// more than the level keeps: `overfull` is one that is too many.
std::optional<SparseLayout> layOut(const SparseFormat &format,
                                   ArrayRef<std::vector<int64_t>> indices,
                                   size_t *overfull = nullptr);

/// Whether `indices` are within `shape`.
bool isInShape(ArrayRef<int64_t> indices, ArrayRef<int64_t> shape);

} // namespace lh

#endif // LH_CORE_NUMERICS_SPARSEFORMAT_H
