// Shorter ways to exp and erf than upstream's polynomials, and a quotient of a
// row and its sum as a product.
#ifndef LH_COMPILER_GAPS_ROWS_MATHPOLYNOMIALS_H
#define LH_COMPILER_GAPS_ROWS_MATHPOLYNOMIALS_H

#include "mlir/IR/PatternMatch.h"

namespace lh {

/// `math.exp` on f32 within 1 unit in the last place; results below the
/// smallest normal number may be zero. Preferred to upstream's.
void populateExpPolynomial(mlir::RewritePatternSet &patterns);

/// `math.erf` on f32 within 5 units in the last place. Preferred to upstream's.
void populateErfQuotient(mlir::RewritePatternSet &patterns);

/// Vectors divided by the sum of a vector are multiplied by its reciprocal.
void populateQuotientsBySums(mlir::RewritePatternSet &patterns);

} // namespace lh

#endif // LH_COMPILER_GAPS_ROWS_MATHPOLYNOMIALS_H
