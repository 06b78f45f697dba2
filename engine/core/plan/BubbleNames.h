// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bubbles that a name on the command line stands for.
#ifndef LH_CORE_PLAN_BUBBLENAMES_H
#define LH_CORE_PLAN_BUBBLENAMES_H

#include "core/support/Diagnostic.h"

#include <vector>

namespace lh {

/// The indices of those `bubbles` that `asked` names, ascending: the bubble
/// itself and all inside of it, 'optimize/tile/single' by 'optimize' or
/// 'optimize/tile'. Where there is none, names of composite bubbles around it
/// may be left out: by 'tile'.
std::vector<size_t> bubblesNamed(ArrayRef<StringRef> bubbles, StringRef asked);

/// What may be asked for among `bubbles`, to suggest one of it.
std::vector<StringRef> namesToAskFor(ArrayRef<StringRef> bubbles);

} // namespace lh

#endif // LH_CORE_PLAN_BUBBLENAMES_H
