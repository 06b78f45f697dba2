// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a linalg op multiplies, in roles of loops.
#ifndef LH_COMPILER_GAPS_PRODUCTS_PRODUCTFORM_H
#define LH_COMPILER_GAPS_PRODUCTS_PRODUCTFORM_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <array>

namespace lh {

/// The letters of the roles, in the order of their sizes: batch, rows, columns,
/// the sum.
inline constexpr llvm::StringLiteral roleLetters = "bmnk";

/// A product's loops: a letter for each, and their sizes by role.
struct ProductRoles {
  std::string loops;
  std::array<llvm::SmallVector<int64_t>, roleLetters.size()> sizes;
};

/// The loops' roles; none for what is no product of two operands. Of a
/// convolution (`windows`) the sizes of the sum are those of the window's loops
/// first, then channels.
std::optional<ProductRoles> rolesOf(mlir::linalg::LinalgOp op, bool windows);

/// A product's loops as a letter and a size for each, -1 for an unknown one:
/// of matrices without batches of one, and without loops of one trip beside
/// another one of their role.
struct ProductShape {
  std::string loops;
  llvm::SmallVector<int64_t> sizes;
};

/// What products have in common that compute the same; `roles` are the op's.
ProductShape shapeOf(mlir::linalg::LinalgOp product, const ProductRoles &roles,
                     bool windows);

/// The element types of A, B and C.
llvm::SmallVector<mlir::Type> elementTypesOf(mlir::linalg::LinalgOp product);

/// Of a convolution: its strides, then its dilations.
llvm::SmallVector<int64_t> stepsOf(mlir::linalg::LinalgOp convolution);

/// Whether a tensor is computed from weights and constants alone.
bool comesFromWeights(mlir::Value value);

} // namespace lh

#endif // LH_COMPILER_GAPS_PRODUCTS_PRODUCTFORM_H
