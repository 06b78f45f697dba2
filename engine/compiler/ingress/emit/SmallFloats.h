// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The float formats of eight and four bits in bodies, by bit arithmetic.
#ifndef LH_COMPILER_INGRESS_EMIT_SMALLFLOATS_H
#define LH_COMPILER_INGRESS_EMIT_SMALLFLOATS_H

#include "compiler/ingress/emit/Scalars.h"

namespace lh {

/// The f64 value of a code (i8); exact. All arithmetic on bits is on those of
/// f64, so that it means the same after lh-widen.
mlir::Value emitDecode(mlir::OpBuilder &b, mlir::Location loc, mlir::Value code,
                       DType from);

/// The code (i8) of an f64 value, rounded as encodeSmallFloat() does.
mlir::Value emitEncode(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::Value value, DType to, const CastRules &rules);

/// An f64 value with its last bits replaced by one that says whether any was
/// set: a format of at most 11 bits of precision rounds it as it would
/// have rounded the value, whatever it is converted to in between.
mlir::Value emitSticky(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::Value value);

} // namespace lh

#endif // LH_COMPILER_INGRESS_EMIT_SMALLFLOATS_H
