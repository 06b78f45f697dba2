// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names of the attributes of VHLO's operations, in the order in which
// bytecode lists them: that of the alphabet.
#ifndef LH_COMPILER_INGRESS_STABLEHLO_VHLOATTRIBUTES_H
#define LH_COMPILER_INGRESS_STABLEHLO_VHLOATTRIBUTES_H

#include "core/support/Diagnostic.h"

namespace lh {

struct VhloAttributes {
  StringRef op;    ///< with its version: "reduce_v1"
  StringRef names; ///< separated by spaces
};

/// Every operation that has attributes. After VhloOps.td of openxla/stablehlo,
/// v1.20.
ArrayRef<VhloAttributes> vhloAttributes();

} // namespace lh

#endif // LH_COMPILER_INGRESS_STABLEHLO_VHLOATTRIBUTES_H
