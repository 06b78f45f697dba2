// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From counted code to what cores would take for it.
#ifndef LH_RUNTIME_MODEL_CODEMODEL_H
#define LH_RUNTIME_MODEL_CODEMODEL_H

#include "core/bench/CycleModel.h"
#include "core/manifest/Manifest.h"
#include "runtime/emulated/CountedCode.h"

namespace lh {

/// Counts the instructions by kind and models each core of the target's fact
/// `modelled_cores` whose vectors are as long as those of the machine that
/// counted.
ModelledCode modelCode(const CountedCode &counted, const TargetSpec &target);

/// The target's `modelled_cores` are LLVM's, and it has models of them; else
/// errors in the target's file.
LogicalResult checkCores(const TargetSpec &target, DiagnosticSink &sink);

} // namespace lh

#endif // LH_RUNTIME_MODEL_CODEMODEL_H
