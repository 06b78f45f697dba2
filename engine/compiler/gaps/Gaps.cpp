// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registration of all gap passes.
#include "compiler/gaps/Gaps.h"

#include "mlir/Pass/Pass.h"

namespace lh {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/gaps/Passes.h.inc"
} // namespace lh

void lh::registerGapPasses() {
  if (!mlir::PassInfo::lookup("lh-entry-abi"))
    registerDeclaredGapPasses();
}
