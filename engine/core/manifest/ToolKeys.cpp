// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The keys of tools: other compilers.
#include "core/manifest/SharedKeys.h"

namespace lh::keys {

constexpr ValueSpec modelForm = oneOf(wordsOf<IngressKind>);
constexpr ValueSpec someModelForms = someOf(modelForm);
constexpr KeySpec toolKeys[] = {
    {"lighthouse", version, {}, versionDoc, "1", required},
    {"doc", text, field<&ToolSpec::doc>, "What the tool is.",
     "ONNX Runtime through its C interface"},
    {"takes", someModelForms, field<&ToolSpec::takes>,
     "The forms of models that it runs, by their words in `ingress`.", "[onnx]",
     required},
    {"version", someTexts, field<&ToolSpec::version>,
     "The program that prints the tool's version, and fails where it isn't "
     "installed.",
     "[python3, \"{here}/mine.py\", --version]", required,
     "The first line of its output counts."},
    {"at_least", text, field<&ToolSpec::least>,
     "The earliest version that will do.", "\"1.12\""},
    {"install", text, field<&ToolSpec::install>,
     "How to get it; told to who lacks it.", "apt-get install python3-torch"},
    {"serve", someTexts, field<&ToolSpec::serve>,
     "The program that loads a model and runs it as often as it is told.",
     "[python3, \"{here}/mine.py\", \"{model}\", \"{inputs}\", \"{outputs}\", "
     "\"{threads}\"]",
     required, "[tools.md](../tools.md) says what it is told and answers."},
    {"numerics", numerics, field<&ToolSpec::numerics>,
     "How far it may move the numbers; absent: strict.",
     "{reassociate: true, ulp: 4}"},
};
constexpr MappingSpec toolSpec{
    "tool", toolKeys, noChoice,
    "Another compiler that runs the same models, for `external`; "
    "[tools.md](../tools.md). The file's name is the tool's."};

} // namespace lh::keys

const lh::MappingSpec &lh::toolMapping() { return keys::toolSpec; }
