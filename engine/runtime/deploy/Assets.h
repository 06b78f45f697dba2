// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files of this folder that are a part of the program.
#ifndef LH_RUNTIME_DEPLOY_ASSETS_H
#define LH_RUNTIME_DEPLOY_ASSETS_H

#include "llvm/ADT/StringRef.h"

namespace lh::assets {

extern const llvm::StringRef tensorHeader; ///< lighthouse.h

} // namespace lh::assets

#endif // LH_RUNTIME_DEPLOY_ASSETS_H
