// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// provenance.json: where the expected outputs of a golden folder come from.
#ifndef LH_CORE_PLAN_PROVENANCE_H
#define LH_CORE_PLAN_PROVENANCE_H

#include "core/support/Diagnostic.h"

#include <map>
#include <optional>

namespace lh {

/// One sidecar. docs/testing.md describes each field.
struct Provenance {
  std::string producer;                        ///< the program that made them
  std::map<std::string, std::string> versions; ///< of it and what it uses
  std::string source;         ///< "oracle", or a pipeline; may be empty
  std::string target = "any"; ///< whom the numbers hold for
  std::map<std::string, std::string> dtypes; ///< element type by output
  std::string quantisation;                  ///< in words; may be empty
  std::optional<int64_t> seed;               ///< of generated inputs
  std::string model;     ///< how to make the model; may be empty
  std::string modelHash; ///< SHA-256
  std::map<std::string, std::string> files; ///< SHA-256 by path in the folder
  std::map<std::string, int64_t> nans; ///< how many an output has on purpose
  std::string notes; ///< a JSON object, ours to keep only; may be empty
};

/// Reads a sidecar; `file` names it in diagnostics. Fails, after reporting
/// every mistake at its place, when `text` is not a JSON object, lacks a field,
/// or has one that is unknown or of another form.
FailureOr<Provenance> readProvenance(StringRef text, StringRef file,
                                     DiagnosticSink &sink);

/// The sidecar as JSON text; the same for equal values.
std::string provenanceText(const Provenance &provenance);

} // namespace lh

#endif // LH_CORE_PLAN_PROVENANCE_H
