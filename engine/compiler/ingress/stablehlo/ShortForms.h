// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the short forms of StableHLO's and CHLO's operations are written.
#ifndef LH_COMPILER_INGRESS_STABLEHLO_SHORTFORMS_H
#define LH_COMPILER_INGRESS_STABLEHLO_SHORTFORMS_H

#include "core/support/Diagnostic.h"

namespace lh {

/// The form of `op` ("stablehlo.add"), in words separated by spaces; empty
/// where it has none or is read by a function of its own.
///
///   $       an operand                 $*      operands, separated by commas
///   $,      operands, each before a comma
///   NAME:i64, :list, :word, :bool, :any, :symbol
///           an attribute: a number, [1, 2], a bare word, true, what MLIR
///           reads, @symbol
///   <part>  a piece of syntax that several operations have
///   ?,      what follows, up to `attrs`, may be missing with its comma
///   attrs   the attributes in braces
/// The last word says how the types are written:
///   ft      a function type            results   those of the results
///   same    one for all, or a function type
///   select, complex, tuple             as the operation of that name has it
/// All other words stand for themselves. After the assembly formats of
/// StablehloOps.td and ChloOps.td in openxla/stablehlo, v1.20.
StringRef shortFormOf(StringRef op);

} // namespace lh

#endif // LH_COMPILER_INGRESS_STABLEHLO_SHORTFORMS_H
