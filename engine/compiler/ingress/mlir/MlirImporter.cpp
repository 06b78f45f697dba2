// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MLIR's parser, with its diagnostics turned into ours.
#include "compiler/ingress/mlir/MlirImporter.h"

#include "compiler/ingress/mlir/TextDepth.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "mlir/Parser/Parser.h"

#include "llvm/Support/FileSystem.h"

using namespace lh;

SourceSpan lh::spanOf(mlir::Location location) {
  SourceSpan span;
  location->walk([&](mlir::Location inner) {
    auto file = llvm::dyn_cast<mlir::FileLineColRange>(inner);
    if (!file)
      return mlir::WalkResult::advance();
    span = {file.getFilename().str(), file.getStartLine(),
            file.getStartColumn(), 0};
    return mlir::WalkResult::interrupt();
  });
  return span;
}

FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
lh::importMlir(const std::string &path, mlir::MLIRContext &context,
               DiagnosticSink &sink) {
  if (path != "-" && !llvm::sys::fs::is_regular_file(path))
    return sink.error(DiagKind::IngressUnreadableModel, {path},
                      "cannot read the payload: there is no such file");
  if (path != "-" && failed(checkTextDepth(path, sink)))
    return failure();
  unsigned before = sink.errorCount();
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        SourceSpan where = spanOf(diagnostic.getLocation());
        if (!where.isKnown())
          where = {path};
        if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
          (void)sink.error(DiagKind::IngressInvalidMlir, where,
                           diagnostic.str());
        else if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Warning)
          sink.warning(DiagKind::IngressInvalidMlir, where, diagnostic.str());
        return llvm::success();
      });
  mlir::ParserConfig config(&context, /*verifyAfterParse=*/true);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(path, config);
  if (module)
    return module;
  if (sink.errorCount() == before)
    return sink.error(DiagKind::IngressInvalidMlir, {path},
                      "the file is no MLIR module");
  return failure();
}
