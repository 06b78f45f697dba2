// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all backends do alike, and finding one by its name.
#include "runtime/abi/Backend.h"

#include "mlir/IR/BuiltinOps.h"

using namespace lh;

FailureOr<std::unique_ptr<Executable>>
Backend::compile(mlir::ModuleOp module, const TargetSpec &target,
                 StringRef entry, const SourceSpan &where,
                 DiagnosticSink &sink) const {
  FailureOr<CompiledCode> code =
      generate(module, target, entry, {}, where, sink);
  if (failed(code))
    return failure();
  return load(std::move(*code), target, where, sink);
}

FailureOr<std::optional<ClockedCode>>
Backend::generateClocked(mlir::ModuleOp /*module*/, const TargetSpec &,
                         StringRef /*entry*/, const SourceSpan &,
                         DiagnosticSink &) const {
  return std::optional<ClockedCode>();
}

FailureOr<std::unique_ptr<Executable>>
Backend::loadLibrary(CompiledCode, const LibraryFile &, StringRef /*folder*/,
                     const TargetSpec &target, const SourceSpan &where,
                     DiagnosticSink &sink) const {
  return sink.error(DiagKind::BackendEmitUnsupported, where,
                    "can't build a library for target '" + target.name +
                        "': " + unsupportedFormat(EmitFormat::SharedLibrary));
}

void BackendRegistry::add(std::unique_ptr<Backend> backend) {
  backends.push_back(std::move(backend));
}

const Backend *BackendRegistry::find(StringRef name) const {
  for (const std::unique_ptr<Backend> &backend : backends)
    if (backend->name() == name)
      return backend.get();
  return nullptr;
}

FailureOr<const Backend *> BackendRegistry::get(const TargetSpec &target,
                                                DiagnosticSink &sink) const {
  if (const Backend *backend = find(target.backend))
    return backend;
  std::vector<StringRef> names;
  for (const std::unique_ptr<Backend> &backend : backends)
    names.push_back(backend->name());
  return sink.error(DiagKind::BackendBadTarget, SourceSpan{target.file},
                    "target '" + target.name + "': no backend '" +
                        target.backend + "'" +
                        didYouMean(target.backend, names));
}

std::string BackendRegistry::unavailableReason(const TargetSpec &target) const {
  if (const Backend *backend = find(target.backend))
    return backend->unavailableReason(target);
  return "there is no backend '" + target.backend + "'";
}

std::string BackendRegistry::deviceLabel(const TargetSpec &target) const {
  const Backend *backend = find(target.backend);
  return backend ? backend->deviceLabel(target) : "";
}
