// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kind of file is given where a manifest may be, by what it holds.
#ifndef LH_CORE_GRAPH_MODELSNIFFING_H
#define LH_CORE_GRAPH_MODELSNIFFING_H

#include "core/manifest/Manifest.h"

namespace lh {

/// A kind of file that isn't a manifest.
struct SniffedFile {
  /// How a model of that kind is read; nothing where it can't be.
  std::optional<IngressKind> ingress;
  std::string manifest; ///< of the library's, for such models: "onnx"
  std::string kind;   ///< "an ONNX model"
  std::string remedy; ///< where it can't be read: what to do instead
};

/// `contents` of the file at `path`; nothing where it may be a manifest.
std::optional<SniffedFile> sniffModel(StringRef path, StringRef contents);

} // namespace lh

#endif // LH_CORE_GRAPH_MODELSNIFFING_H
