// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dialects that a file of IRDL declares.
#include "compiler/ingress/mlir/TextDepth.h"
#include "compiler/session/MlirDiagnostics.h"
#include "compiler/session/MlirSession.h"

#include "mlir/Dialect/IRDL/IR/IRDL.h"
#include "mlir/Dialect/IRDL/IRDLLoading.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace lh;
namespace irdl = mlir::irdl;

static mlir::OwningOpRef<mlir::ModuleOp>
readDialects(StringRef text, const std::string &file,
             mlir::MLIRContext &context, DiagnosticSink &sink) {
  unsigned before = sink.errorCount();
  MlirDiagnostics caught(context, DiagKind::IrBadDialect, {file});
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context, file);
  caught.flushTo(sink);
  if (!module && sink.errorCount() == before)
    (void)sink.error(DiagKind::IrBadDialect, {file},
                     "the file is no MLIR module");
  return module;
}

/// IRDL's loader takes what isn't a dialect for nothing, and ends the process
/// over a dialect of C++.
static LogicalResult checkDialects(mlir::ModuleOp module,
                                   DiagnosticSink &sink) {
  LogicalResult result = success();
  mlir::MLIRContext &context = *module.getContext();
  auto refuse = [&](mlir::Operation *op, const Twine &what) {
    result = sink.error(DiagKind::IrBadDialect, spanOf(op->getLoc()), what);
  };
  for (mlir::Operation &op : module.getOps()) {
    auto dialect = llvm::dyn_cast<irdl::DialectOp>(op);
    if (!dialect)
      refuse(&op, "'" + op.getName().getStringRef() +
                      "' declares no dialect: a file of dialects has "
                      "'irdl.dialect' alone");
    else if (StringRef name = dialect.getSymName();
             context.getLoadedDialect(name) ||
             llvm::is_contained(context.getAvailableDialects(), name))
      refuse(&op, "there is a dialect '" + name +
                      "' already: MLIR's own, a plugin's, or another file's");
  }
  if (module.getBody()->empty())
    result = sink.error(DiagKind::IrBadDialect, spanOf(module.getLoc()),
                        "the file declares no dialect ('irdl.dialect @name')");
  return result;
}

FailureOr<std::vector<std::string>>
MlirSession::declareDialects(const Located<std::string> &file,
                             DiagnosticSink &sink) {
  auto text = llvm::MemoryBuffer::getFile(file.value);
  if (!text)
    return sink.error(DiagKind::SupportCannotRead, file.where,
                      "cannot read '" + file.value +
                          "': " + text.getError().message());
  auto known = dialectsByText.find((*text)->getBuffer());
  if (known != dialectsByText.end())
    return known->second;
  if (failed(checkTextDepth(file.value, sink)))
    return failure();
  auto module = readDialects((*text)->getBuffer(), file.value, context(), sink);
  if (!module || failed(checkDialects(*module, sink)))
    return failure();
  MlirDiagnostics caught(context(), DiagKind::IrBadDialect, file.where);
  LogicalResult loaded = irdl::loadDialects(*module);
  bool isSilent = failed(loaded) && !caught.hasErrors();
  caught.flushTo(sink);
  if (isSilent)
    (void)sink.error(DiagKind::IrBadDialect, {file.value},
                     "IRDL can't load this dialect, and doesn't say why");
  if (failed(loaded))
    return failure();
  std::vector<std::string> names;
  for (auto dialect : module->getOps<irdl::DialectOp>())
    names.push_back(dialect.getSymName().str());
  declaredFiles.push_back(file.value);
  dialectsByText[(*text)->getBuffer().str()] = names;
  return names;
}
