// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of a manifest as text, for files that the engine writes.
#ifndef LH_CORE_MANIFEST_FORMTEXT_H
#define LH_CORE_MANIFEST_FORMTEXT_H

#include "core/manifest/Manifest.h"

namespace lh {

/// `text` in double quotes, as YAML and JSON read it.
std::string quotedText(StringRef text);

/// `value` so that YAML reads the same value of the same type.
std::string yamlText(const Value &value);

/// What `requires:` or `ensures:` is followed by, on one line:
/// `{dialects: {none: ["linalg"]}, shapes: "static"}`.
std::string formText(const FormDecl &form);

} // namespace lh

#endif // LH_CORE_MANIFEST_FORMTEXT_H
