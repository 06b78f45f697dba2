// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What won a race, as manifests.
#ifndef LH_CLI_BENCHCHOICE_H
#define LH_CLI_BENCHCHOICE_H

#include "core/bench/BenchRecord.h"
#include "core/graph/ResolvedGraph.h"
#include "core/support/SourceStore.h"

namespace lh {

/// Why no choice can be written to `path`: it names files as the manifest does,
/// so it lies in the same folder. "" when it can.
std::string whyNoChoiceAt(StringRef path, const ResolvedGraph &graph);

/// Writes a manifest that runs the fastest pipeline alone, for the target it
/// was the fastest on, to `file`, and says so on `out`. Where cases
/// have different winners there is one for each, with its pipeline and target
/// in the file's name. Fails when nothing has won.
LogicalResult writeChoices(const BenchRecord &record,
                           const ResolvedGraph &graph,
                           const std::map<std::string, std::string> &params,
                           const std::string &file, SourceStore &sources,
                           llvm::raw_ostream &out, DiagnosticSink &sink);

} // namespace lh

#endif // LH_CLI_BENCHCHOICE_H
