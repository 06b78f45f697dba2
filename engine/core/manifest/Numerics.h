// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `numerics:`: what several bubbles together may do to the numbers.
#ifndef LH_CORE_MANIFEST_NUMERICS_H
#define LH_CORE_MANIFEST_NUMERICS_H

#include "core/manifest/Manifest.h"

namespace lh {

/// What a path through both may do: of each key the weaker promise, with its
/// place. Of Winograd tiles that is the one with the larger input tile, of
/// operand types the one with fewer bits of mantissa, then of exponent. Equal
/// promises keep the first one's place.
NumericsDecl mergeNumerics(const NumericsDecl &first,
                           const NumericsDecl &second);

} // namespace lh

#endif // LH_CORE_MANIFEST_NUMERICS_H
