// The parts that manifests and bubble files share: parameters, bubbles, edges.
#ifndef LH_MANIFEST_BUBBLEREADER_H
#define LH_MANIFEST_BUBBLEREADER_H

#include "manifest/Manifest.h"
#include "manifest/YamlReader.h"

namespace lh {

/// Each reads its key of `root`, a checked document; absent keys are empty.
std::vector<ParameterDecl> readParameters(const YamlNode &root,
                                          DiagnosticSink &sink);
std::vector<BubbleDecl> readBubbles(const YamlNode &root, DiagnosticSink &sink);
/// `a -> b -> c` is two edges.
std::vector<EdgeDecl> readEdges(const YamlNode &root, DiagnosticSink &sink);

/// The action of a bubble or a bubble file; nothing when it has none.
std::optional<ActionDecl> readAction(const YamlNode &bubble,
                                     DiagnosticSink &sink);
/// The contract under `key`.
std::optional<FormDecl> readForm(const YamlNode &bubble, StringRef key);
/// `numerics:`; what is absent or wrong stays strict.
NumericsDecl readNumerics(const YamlNode &bubble, DiagnosticSink &sink);

} // namespace lh

#endif // LH_MANIFEST_BUBBLEREADER_H
