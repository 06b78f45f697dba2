// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text to KernelSpec.
#ifndef LH_CORE_MANIFEST_KERNELPARSER_H
#define LH_CORE_MANIFEST_KERNELPARSER_H

#include "core/manifest/Manifest.h"

namespace lh {

/// The name of no kernel.
inline constexpr StringRef noKernel = "none";

/// A kernel file, YAML or JSON. The name is the stem of `file`; the body's path
/// is as written. All errors of the file are reported.
FailureOr<KernelSpec> parseKernel(StringRef text, StringRef file,
                                  DiagnosticSink &sink);

/// Where the body lies, as written.
const Located<std::string> &bodyFile(const KernelSpec &kernel);
Located<std::string> &bodyFile(KernelSpec &kernel);

} // namespace lh

#endif // LH_CORE_MANIFEST_KERNELPARSER_H
