// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules as text.
#include "compiler/session/ModuleText.h"

#include "mlir/IR/BuiltinOps.h"

#include "llvm/Support/raw_ostream.h"

using namespace lh;

static std::string textOf(mlir::ModuleOp module, mlir::OpPrintingFlags flags) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, flags);
  stream << '\n';
  return text;
}

std::string lh::moduleText(mlir::ModuleOp module) { return textOf(module, {}); }

std::string lh::textWithoutData(mlir::ModuleOp module) {
  constexpr int64_t mostShown = 16; // elements of a constant
  mlir::OpPrintingFlags flags;
  flags.elideLargeElementsAttrs(mostShown);
  flags.elideLargeResourceString(mostShown);
  return textOf(module, flags);
}
