// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A target in one file, to be copied elsewhere.
#include "core/graph/WholeTarget.h"

#include "core/manifest/ManifestText.h"

using namespace lh;

FailureOr<std::string> lh::wholeTargetText(const TargetSpec &target,
                                           SourceStore &sources,
                                           DiagnosticSink &sink) {
  if (!target.bases.empty())
    return yamlText(documentOf(target));
  FailureOr<StringRef> text = sources.load(target.file, {}, sink);
  if (failed(text))
    return failure();
  return text->str();
}
