// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The context that fuzzers import into.
#ifndef LH_TESTS_FUZZ_IMPORTCONTEXT_H
#define LH_TESTS_FUZZ_IMPORTCONTEXT_H

#include "mlir/IR/MLIRContext.h"

#include <memory>

namespace lh::fuzz {

/// The context for the next import. It is made anew every 500 times: a context
/// keeps every type and constant that was ever made in it.
inline mlir::MLIRContext &nextContext() {
  constexpr unsigned importsPerContext = 500;
  static unsigned imports = 0;
  static std::unique_ptr<mlir::MLIRContext> context;
  if (imports++ % importsPerContext == 0)
    context = std::make_unique<mlir::MLIRContext>(
        mlir::MLIRContext::Threading::DISABLED);
  return *context;
}

} // namespace lh::fuzz

#endif // LH_TESTS_FUZZ_IMPORTCONTEXT_H
