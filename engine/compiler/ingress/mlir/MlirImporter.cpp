// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MLIR's parser, with its diagnostics turned into ours.
#include "compiler/ingress/mlir/MlirImporter.h"

#include "compiler/ingress/mlir/TextDepth.h"
#include "core/support/Trial.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "mlir/Parser/Parser.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

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

using ModuleRef = mlir::OwningOpRef<mlir::ModuleOp>;

/// MLIR's hint is a flag of its tools; there is none here.
static std::string messageOf(mlir::Diagnostic &diagnostic) {
  std::string text = diagnostic.str();
  StringRef unknown = StringRef(text).split(" is unknown. If this is").first;
  if (unknown.size() < text.size())
    return unknown.str() + " is unknown here; '--plugin' loads one";
  if (StringRef(text).starts_with("operation being parsed with an unregistered "
                                  "dialect"))
    return "this operation is of no dialect that is known here; a manifest "
           "declares one by a file of IRDL ('dialects:'), '--plugin' loads one";
  return text;
}

/// Parses by `parse`; what MLIR says becomes diagnostics.
static FailureOr<ModuleRef>
parsed(const std::string &path, mlir::MLIRContext &context,
       DiagnosticSink &sink,
       llvm::function_ref<ModuleRef(const mlir::ParserConfig &)> parse) {
  unsigned before = sink.errorCount();
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        SourceSpan where = spanOf(diagnostic.getLocation());
        if (!where.isKnown())
          where = {path};
        if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
          (void)sink.error(DiagKind::IngressInvalidMlir, where,
                           messageOf(diagnostic));
        else if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Warning)
          sink.warning(DiagKind::IngressInvalidMlir, where, diagnostic.str());
        return llvm::success();
      });
  ModuleRef module =
      parse(mlir::ParserConfig(&context, /*verifyAfterParse=*/true));
  // A dialect's own parser may complain and go on.
  if (module && sink.errorCount() == before)
    return module;
  if (sink.errorCount() == before)
    return sink.error(DiagKind::IngressInvalidMlir, {path},
                      "the file is no MLIR module");
  return failure();
}

/// MLIR's reader trusts the numbers in bytecode: one that is damaged makes it
/// abort, or never end. So it reads such a file in a process of its own first.
static LogicalResult checkBytecode(const std::string &path,
                                   mlir::MLIRContext &context,
                                   DiagnosticSink &sink) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file || !(*file)->getBuffer().starts_with("ML\xEFR"))
    return success();
  uint64_t megabytes = (*file)->getBufferSize() >> 20;
  TrialLimits limits = {((uint64_t(1) << 10) + 64 * megabytes) << 20,
                        static_cast<unsigned>(10 + megabytes)};
  std::string end = endOfTrial(
      [&] {
        mlir::ScopedDiagnosticHandler silent(
            &context, [](mlir::Diagnostic &) { return llvm::success(); });
        // Without the verifier, which shares its work among threads.
        mlir::ParserConfig config(&context, /*verifyAfterParse=*/false);
        (void)mlir::parseSourceFile<mlir::ModuleOp>(path, config);
      },
      limits);
  if (end.empty())
    return success();
  return sink.error(DiagKind::IngressInvalidMlir, {path},
                    "the bytecode is damaged: MLIR's reader " + end + " on it");
}

FailureOr<ModuleRef> lh::importMlir(const std::string &path,
                                    mlir::MLIRContext &context,
                                    DiagnosticSink &sink) {
  if (path != "-" && !llvm::sys::fs::is_regular_file(path))
    return sink.error(DiagKind::IngressUnreadableModel, {path},
                      "cannot read the payload: there is no such file");
  if (path != "-" && (failed(checkTextDepth(path, sink)) ||
                      failed(checkBytecode(path, context, sink))))
    return failure();
  return parsed(path, context, sink, [&](const mlir::ParserConfig &config) {
    return mlir::parseSourceFile<mlir::ModuleOp>(path, config);
  });
}

FailureOr<ModuleRef> lh::importMlirText(StringRef text, const std::string &path,
                                        unsigned firstLine,
                                        mlir::MLIRContext &context,
                                        DiagnosticSink &sink) {
  if (std::optional<TextExcess> excess = excessIn(text))
    return sink.error(DiagKind::IngressInvalidMlir, {path, firstLine, 1, 0},
                      excess->what);
  // Blank lines in front keep the numbers of all others.
  std::string padded(firstLine > 0 ? firstLine - 1 : 0, '\n');
  padded += text;
  return parsed(path, context, sink, [&](const mlir::ParserConfig &config) {
    return mlir::parseSourceString<mlir::ModuleOp>(padded, config, path);
  });
}
