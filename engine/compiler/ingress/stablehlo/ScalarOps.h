// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations on single elements, as tensors and regions use them.
#ifndef LH_COMPILER_INGRESS_STABLEHLO_SCALAROPS_H
#define LH_COMPILER_INGRESS_STABLEHLO_SCALAROPS_H

#include "compiler/ingress/stablehlo/OpContext.h"

namespace lh {

/// The element types that an operation takes; bits.
namespace Takes {
enum : unsigned {
  Float = 1,
  Signed = 2,
  Unsigned = 4,
  Bool = 8,
  Integer = Signed | Unsigned,
  Number = Float | Integer,
  Logic = Integer | Bool,
  Any = Number | Bool,
};
} // namespace Takes

/// One element of each operand, in the types that arithmetic is done in.
struct ScalarOp {
  mlir::Operation &op;
  Scalars s;   ///< of operand 0's type
  DType dtype; ///< of operand 0, as the program has it
  mlir::ValueRange in;
};

/// Gives the result in the type of `s`, or i1 where the row's result is Bool.
using ScalarFunction = mlir::Value (*)(const ScalarOp &);

struct ScalarRow {
  unsigned operands = 1;
  unsigned takes = Takes::Any;
  enum Result {
    Same,     ///< operand 0's type
    Truth,    ///< i1
    Selected, ///< `select`: operand 1's type, operand 0 is i1
    Declared, ///< its function gets operand 0 as it is, and gives the result's
              ///< type
    Bits      ///< operand 0's type, computed in that
  } result = Same;
  ScalarFunction compute = nullptr;
  bool inDouble = false; ///< a series, which is computed in float64
  /// Of its attributes: why they don't fit, if they don't.
  std::optional<std::string> (*whyNot)(mlir::Operation &) = nullptr;
};

/// Null for what is no elementwise operation. `name` has its dialect.
const ScalarRow *findScalarRow(StringRef name);

/// All of them, in no particular order.
std::vector<std::string> scalarOpNames();

/// Whether operands of these types, with a result of type `result`, fit.
/// Otherwise why not.
std::optional<std::string> whyNotScalar(const ScalarRow &row,
                                        mlir::Operation &op,
                                        ArrayRef<DType> operands, DType result);

/// The operation on `values` of the types `operands`.
mlir::Value computeScalar(const ScalarRow &row, mlir::Operation &op,
                          mlir::OpBuilder &b, mlir::Location loc,
                          mlir::ValueRange values, ArrayRef<DType> operands,
                          DType result);

/// The bits of an element as an element of another type of as many bits.
mlir::Value castBits(mlir::OpBuilder &b, mlir::Location loc,
                     mlir::Value element, DType from, DType to);

/// Functions that are sums of series (lgamma, zeta, ...), in float64.
const ScalarRow *findSpecialFunction(StringRef name);
std::vector<std::string> specialFunctionNames();

} // namespace lh

#endif // LH_COMPILER_INGRESS_STABLEHLO_SCALAROPS_H
