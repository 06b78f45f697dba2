// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gives a module as text to the target's `compile:`.
#include "runtime/external/ExternalBackend.h"

#include "compiler/session/ModuleText.h"
#include "core/support/FileSystem.h"
#include "core/support/Needs.h"
#include "core/support/ScratchFolder.h"
#include "runtime/external/ExternalExecutable.h"
#include "runtime/external/TargetProgram.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace lh;

namespace {
class ExternalBackend : public Backend {
public:
  ExternalBackend(std::string architecture, bool allowsExec)
      : architecture(std::move(architecture)), allowsExec(allowsExec) {}

  StringRef name() const override { return "external"; }
  std::string unavailableReason(const TargetSpec &target) const override;
  FailureOr<CompiledCode> generate(mlir::ModuleOp module,
                                   const TargetSpec &target, StringRef entry,
                                   const CodeUse &use, const SourceSpan &where,
                                   DiagnosticSink &sink) const override;
  FailureOr<std::unique_ptr<Executable>>
  load(CompiledCode code, const TargetSpec &target, const SourceSpan &where,
       DiagnosticSink &sink) const override;
  /// What is made isn't kept: nobody knows what the programs are made of.
  std::string codeFacts(const TargetSpec &) const override { return ""; }
  std::string unsupportedFormat(EmitFormat format) const override;
  FailureOr<std::string> emit(mlir::ModuleOp module, const TargetSpec &target,
                              EmitFormat format, const SourceSpan &where,
                              DiagnosticSink &sink) const override;

private:
  LogicalResult checkMayRun(const TargetSpec &target, const SourceSpan &where,
                            DiagnosticSink &sink) const;

  std::string architecture;
  bool allowsExec;
};
} // namespace

std::string ExternalBackend::unavailableReason(const TargetSpec &target) const {
  const std::string &wanted = target.run.nativeOn;
  if (!wanted.empty() && wanted != architecture)
    return "it runs on " + wanted + ", this machine is " + architecture;
  return missingNeed(target.run.needs);
}

/// Plans are refused before; this is for those who make none.
LogicalResult ExternalBackend::checkMayRun(const TargetSpec &target,
                                           const SourceSpan &where,
                                           DiagnosticSink &sink) const {
  if (!allowsExec)
    return sink.error(DiagKind::PlanNotAllowed, target.compile.front().where,
                      "target '" + target.name +
                          "' is compiled by a program, which is started only "
                          "with --allow-exec");
  std::string reason = unavailableReason(target);
  if (reason.empty())
    return success();
  return sink.error(DiagKind::BackendUnavailable, where,
                    "target '" + target.name + "' can't run here: " + reason);
}

/// No program of the target's calls @prepare.
static LogicalResult checkUnprepared(const EntryAbi &entry,
                                     const SourceSpan &where,
                                     DiagnosticSink &sink) {
  for (const EntryArgument &argument : entry.arguments)
    if (argument.role == ArgumentRole::Prepared)
      return sink.error(DiagKind::BackendPrepared, where,
                        "'" + argument.tensor.name + "' of '" + entry.name +
                            "' is what '@prepare' makes of weights, which no "
                            "program of the target's calls; leave out what "
                            "moves work there (lh-hoist-weights)");
  return success();
}

static FailureOr<std::string>
readProgram(StringRef path, const TargetSpec &target, DiagnosticSink &sink) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (buffer && (*buffer)->getBufferSize() > 0)
    return (*buffer)->getBuffer().str();
  return sink.error(
      DiagKind::BackendProgramFailed, target.compile.front().where,
      "'compile' of target '" + target.name + "' ended well, but wrote " +
          (buffer ? "an empty" : "no") +
          " file '{program}', which is to hold the code");
}

FailureOr<CompiledCode>
ExternalBackend::generate(mlir::ModuleOp module, const TargetSpec &target,
                          StringRef entry, const CodeUse &,
                          const SourceSpan &where, DiagnosticSink &sink) const {
  if (failed(checkMayRun(target, where, sink)))
    return failure();
  std::string text = moduleText(module);
  noteTensorAbi(module);
  FailureOr<ModuleAbi> abi = readEntryAbi(module, entry, where, sink);
  if (failed(abi) || failed(checkUnprepared(abi->entry, where, sink)))
    return failure();
  ScratchFolder folder;
  if (!folder.isUsable())
    return sink.error(DiagKind::SupportCannotWrite, where,
                      "cannot make a temporary folder; is TMPDIR right?");
  TargetProgram program{"compile", target.compile};
  program.folder = folder.path();
  program.places = {{"module", folder.path() + "/module.mlir"},
                    {"entry", entry.str()},
                    {"program", folder.path() + "/program"}};
  if (failed(
          writeFileAtomically(program.places["module"], text, where, sink)) ||
      failed(runTargetProgram(program, target, sink)))
    return failure();
  FailureOr<std::string> made =
      readProgram(program.places["program"], target, sink);
  if (failed(made))
    return failure();
  CompiledCode compiled;
  compiled.object = std::move(*made);
  compiled.abi = std::move(*abi);
  return compiled;
}

FailureOr<std::unique_ptr<Executable>>
ExternalBackend::load(CompiledCode code, const TargetSpec &target,
                      const SourceSpan &where, DiagnosticSink &sink) const {
  if (failed(checkMayRun(target, where, sink)))
    return failure();
  return loadExternal(std::move(code), target, where, sink);
}

std::string ExternalBackend::unsupportedFormat(EmitFormat format) const {
  if (format == EmitFormat::Mlir)
    return "";
  return "a program of the target's makes its code, in a form of its own; "
         "'mlir' writes what it is given";
}

FailureOr<std::string> ExternalBackend::emit(mlir::ModuleOp,
                                             const TargetSpec &target,
                                             EmitFormat format,
                                             const SourceSpan &where,
                                             DiagnosticSink &sink) const {
  return sink.error(DiagKind::BackendEmitUnsupported, where,
                    "can't emit this format for target '" + target.name +
                        "': " + unsupportedFormat(format));
}

std::unique_ptr<Backend> lh::makeExternalBackend(const HostFacts &host,
                                                 bool allowsExec) {
  return std::make_unique<ExternalBackend>(host.arch, allowsExec);
}
