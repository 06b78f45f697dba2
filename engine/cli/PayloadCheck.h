// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The `.mlir` payloads of a plan, opened before anything runs.
#ifndef LH_CLI_PAYLOADCHECK_H
#define LH_CLI_PAYLOADCHECK_H

#include "core/graph/ModuleForm.h"
#include "core/graph/ResolvedGraph.h"
#include "core/plan/Plan.h"

namespace lh {

class MlirSession;

/// By path; nothing where a payload has errors.
using PayloadForms = std::map<std::string, std::optional<ModuleForm>>;

/// Reads and verifies each MLIR text that a step of `plan` imports, once, and
/// reports what is wrong with it. Bytecode is left for the run.
PayloadForms openPayloads(const Plan &plan, MlirSession &session,
                          DiagnosticSink &sink);

/// Holds the payloads against the contracts of the pipelines that they go
/// through; `plan` must be complete.
LogicalResult checkPayloadForms(const PayloadForms &forms, const Plan &plan,
                                const ResolvedGraph &graph,
                                DiagnosticSink &sink);

} // namespace lh

#endif // LH_CLI_PAYLOADCHECK_H
