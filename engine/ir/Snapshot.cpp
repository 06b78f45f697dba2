// The module's text between steps, for reports.
#include "ir/Snapshot.h"

#include "support/FileSystem.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OperationSupport.h"

#include <algorithm>

using namespace lh;

static std::string textWithoutData(mlir::ModuleOp module) {
  constexpr int64_t mostShown = 16; // elements of a constant
  mlir::OpPrintingFlags flags;
  flags.elideLargeElementsAttrs(mostShown);
  flags.elideLargeResourceString(mostShown);
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, flags);
  stream << '\n';
  return text;
}

std::string lh::writeSnapshot(mlir::ModuleOp module, const Step &step,
                              StringRef folder, DiagnosticSink &sink) {
  std::string name = step.bubble;
  std::replace(name.begin(), name.end(), '/', '-');
  std::string path =
      folder.str() + "/" + std::to_string(step.id) + "-" + name + ".mlir";
  CollectingSink trouble;
  if (succeeded(writeFileAtomically(path, textWithoutData(module),
                                    step.declaredAt, trouble)))
    return path;
  for (Diagnostic &diagnostic : trouble.take()) {
    diagnostic.severity = Severity::Warning;
    sink.emit(std::move(diagnostic));
  }
  return "";
}
