// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is in a module after a step, kept for `explain`.
#include "compiler/session/Inspect.h"

#include "compiler/session/ModuleText.h"
#include "core/json/Fields.h"
#include "core/support/FileSystem.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OperationSupport.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Path.h"

using namespace lh;

std::set<std::string> lh::originsOf(mlir::Location location) {
  std::set<std::string> names, lines;
  location->walk([&](mlir::Location inner) {
    if (auto name = llvm::dyn_cast<mlir::NameLoc>(inner))
      names.insert(name.getName().str());
    else if (auto file = llvm::dyn_cast<mlir::FileLineColRange>(inner))
      lines.insert(
          llvm::sys::path::filename(file.getFilename().strref()).str() + ":" +
          std::to_string(file.getStartLine()));
    return mlir::WalkResult::advance();
  });
  return names.empty() ? lines : names;
}

static std::string originsText(mlir::ModuleOp module) {
  // Many operations share a location, and locations are unique objects.
  std::map<std::string, std::map<std::string, int64_t>> counts;
  llvm::DenseMap<mlir::Attribute, std::set<std::string>> known;
  module.walk([&](mlir::Operation *op) {
    if (op == module)
      return;
    auto [origins, isNew] =
        known.try_emplace(mlir::Attribute(mlir::LocationAttr(op->getLoc())));
    if (isNew)
      origins->second = originsOf(op->getLoc());
    for (const std::string &origin : origins->second)
      ++counts[origin][op->getName().getStringRef().str()];
  });
  return writeOwn([&](auto &v) { v("origins", counts); });
}

void lh::inspectModule(mlir::ModuleOp module, const Step &step,
                       const InspectOptions &options) {
  if (options.folder.empty())
    return;
  std::string stem = options.folder + "/" + std::to_string(step.id);
  CollectingSink trouble;
  if (options.keepsText)
    (void)writeFileAtomically(stem + ".mlir", textWithoutData(module), {},
                              trouble);
  if (options.keepsOrigins)
    (void)writeFileAtomically(stem + ".json", originsText(module), {}, trouble);
}
