// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The forms that have a name: what `plan` may begin with and end in.
#ifndef LH_CORE_GRAPH_NAMEDFORMS_H
#define LH_CORE_GRAPH_NAMEDFORMS_H

#include "core/manifest/Manifest.h"

namespace lh {

/// What an ONNX importer makes; or a module of tosa, linalg, loops, vector, or
/// llvm. Nothing for other names.
std::optional<FormDecl> originForm(StringRef name);
std::vector<StringRef> originFormNames();

/// What a path may end in: linalg, memref or llvm.
std::optional<FormDecl> goalForm(StringRef name);
std::vector<StringRef> goalFormNames();

/// What backends make code of.
FormDecl codeForm();

} // namespace lh

#endif // LH_CORE_GRAPH_NAMEDFORMS_H
