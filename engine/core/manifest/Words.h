// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The words that manifests have for enumerators.
#ifndef LH_CORE_MANIFEST_WORDS_H
#define LH_CORE_MANIFEST_WORDS_H

#include "core/manifest/Manifest.h"

namespace lh {

constexpr EmitFormat allEmitFormats[] = {
    EmitFormat::Mlir,   EmitFormat::LlvmIr,        EmitFormat::Assembly,
    EmitFormat::Object, EmitFormat::SharedLibrary, EmitFormat::Ptx,
    EmitFormat::Cubin,  EmitFormat::Hsaco};

constexpr InputSet allInputSets[] = {InputSet::Drawn, InputSet::Exact,
                                     InputSet::Ordered, InputSet::Specials};

/// "mlir", "llvm-ir", "assembly", ...
StringRef wordOf(EmitFormat format);

/// "drawn", "exact", ...
StringRef wordOf(InputSet set);

/// "+", "and", "ceildiv", ...
StringRef wordOf(Operator op);

} // namespace lh

#endif // LH_CORE_MANIFEST_WORDS_H
