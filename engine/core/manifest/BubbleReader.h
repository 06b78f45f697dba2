// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts that manifests and bubble files share: parameters, bubbles, edges.
#ifndef LH_CORE_MANIFEST_BUBBLEREADER_H
#define LH_CORE_MANIFEST_BUBBLEREADER_H

#include "core/manifest/BrokenParts.h"
#include "core/manifest/Manifest.h"
#include "core/manifest/YamlReader.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace lh {

/// Calls `read` with each entry of the mapping `key` of `root`, a checked
/// document, and adds those that have errors to `broken`.
void readEntries(
    const YamlNode &root, StringRef key, BrokenPart &broken,
    DiagnosticSink &sink,
    llvm::function_ref<void(const Located<std::string> &, const YamlNode &)>
        read);
/// The same for a list: whether `read` finds errors, or the checker did.
void readItems(const YamlNode &root, StringRef key, BrokenPart &broken,
               DiagnosticSink &sink,
               llvm::function_ref<void(const YamlNode &)> read);

/// Each reads its key of `root`, a checked document; absent keys are empty.
/// What has errors is there, too.
std::vector<ParameterDecl>
readParameters(const YamlNode &root, BrokenPart &broken, DiagnosticSink &sink);
std::vector<BubbleDecl> readBubbles(const YamlNode &root, BrokenPart &broken,
                                    DiagnosticSink &sink);
/// `a -> b -> c` is two edges.
std::vector<EdgeDecl> readEdges(const YamlNode &root, BrokenPart &broken,
                                DiagnosticSink &sink);

/// The action of a bubble or a bubble file; nothing when it has none.
std::optional<ActionDecl> readAction(const YamlNode &bubble,
                                     DiagnosticSink &sink);
/// `with:`.
Bindings readBindings(const YamlNode &bubble, DiagnosticSink &sink);
/// The contract under `key`.
std::optional<FormDecl> readForm(const YamlNode &bubble, StringRef key);
/// `numerics:`; what is absent or wrong stays strict.
NumericsDecl readNumerics(const YamlNode &bubble, DiagnosticSink &sink);

} // namespace lh

#endif // LH_CORE_MANIFEST_BUBBLEREADER_H
