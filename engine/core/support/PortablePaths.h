// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Paths as they are the same in another checkout, or on another machine.
#ifndef LH_CORE_SUPPORT_PORTABLEPATHS_H
#define LH_CORE_SUPPORT_PORTABLEPATHS_H

#include "core/support/Diagnostic.h"

namespace lh {

/// Says of a path where it lies as seen from the manifest or from the library:
/// "@{library}/schedules/tile.mlir", "@{manifest}/net.onnx", and two folders
/// above the manifest's "@{manifest^2}/models/net.onnx". What has only the root
/// in common with these stays as it is. Without folders all does.
class PortablePaths {
public:
  PortablePaths() = default;
  /// Absolute folders.
  PortablePaths(StringRef manifestFolder, ArrayRef<std::string> libraries);

  /// `path`, or another text that is none.
  std::string pack(StringRef path) const;
  /// What pack() was given, here.
  std::string unpack(StringRef packed) const;

  /// All paths in a text.
  std::string packAll(StringRef text) const;
  std::string unpackAll(StringRef text) const;

private:
  /// Folder with a '/' behind it, and its name likewise; those within others
  /// first.
  std::vector<std::pair<std::string, std::string>> folders;
};

} // namespace lh

#endif // LH_CORE_SUPPORT_PORTABLEPATHS_H
