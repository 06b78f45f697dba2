// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of a model as files that can be run by themselves.
#include "steps/ModelGroups.h"

#include "compiler/session/GroupModule.h"
#include "core/support/FileSystem.h"

#include "mlir/IR/BuiltinOps.h"

using namespace lh;

FailureOr<ModelGroups> ModelGroups::open(const Step &import, std::string entry,
                                         MlirSession &session,
                                         DiagnosticSink &sink) {
  auto model = std::make_unique<ModuleRunner>(session);
  if (failed(model->prepare(import, sink)))
    return failure();
  StepOutcome outcome = model->run(import);
  if (outcome.status == StepStatus::Passed)
    return ModelGroups(std::move(model), std::move(entry));
  for (Diagnostic &diagnostic : outcome.diagnostics)
    sink.emit(std::move(diagnostic));
  return failure();
}

FailureOr<bool> ModelGroups::write(ArrayRef<std::string> nodes,
                                   bool channelsLast, const std::string &file,
                                   std::string &whyNot, DiagnosticSink &sink) {
  whyNot = "it comes from no node";
  for (const std::string &node : nodes) {
    std::string bytes =
        groupModule(model->module(), entry, node, channelsLast, whyNot);
    if (bytes.empty())
      continue;
    if (failed(writeFileAtomically(file, bytes, {}, sink)))
      return failure();
    return true;
  }
  return false;
}
