// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pipelines of llvm/lighthouse, another project's lists of passes and Python
// schedules in YAML (its lighthouse/pipeline/descriptor.py).
#ifndef LH_CORE_GRAPH_LIGHTHOUSEDESCRIPTOR_H
#define LH_CORE_GRAPH_LIGHTHOUSEDESCRIPTOR_H

#include "core/manifest/Manifest.h"
#include "core/support/SourceStore.h"

namespace lh {

/// One step of a pipeline, in the order in which they run.
struct LighthouseStep {
  enum class Kind {
    Pass,     ///< `text` is a pass with its options
    Schedule, ///< `text` is a file of the transform dialect, by absolute path
    Bubble,   ///< `text` is the library's bubble in the place of `python`
    Nothing,  ///< what `python` does, an earlier bubble has done
  };
  Kind kind = Kind::Pass;
  std::string text;
  std::string python; ///< "packing.py[block_pack_matmuls]"
  SourceSpan where;
};

/// Reads the descriptor at `path` with what it includes: a name is looked up in
/// the folder of the file that has it, then in the folders around that.
/// Variables are replaced as whole words. Reports all that can't be taken at
/// its line: other keys, files that aren't there or include themselves,
/// variables without a value, and Python that no bubble stands for.
FailureOr<std::vector<LighthouseStep>>
readLighthouse(StringRef path, SourceStore &sources, DiagnosticSink &sink);

/// The kernels of a list such as examples/KernelBench/level1.yaml as cases of
/// a manifest, which draw inputs of the shapes listed: models are
/// `${params.models}/NAME.mlir`. Entries with a `warning`, which don't run
/// there either, are left out.
FailureOr<std::vector<CaseDecl>> readLighthouseKernels(StringRef path,
                                                       SourceStore &sources,
                                                       DiagnosticSink &sink);

} // namespace lh

#endif // LH_CORE_GRAPH_LIGHTHOUSEDESCRIPTOR_H
