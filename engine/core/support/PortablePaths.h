// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Paths as they are the same in another checkout, or on another machine.
#ifndef LH_CORE_SUPPORT_PORTABLEPATHS_H
#define LH_CORE_SUPPORT_PORTABLEPATHS_H

#include "core/support/Diagnostic.h"

#include <map>

namespace lh {

/// Says of a path where it lies as seen from the manifest or from the library:
/// "@{library}/schedules/tile.mlir", "@{manifest}/net.onnx", and two folders
/// above the manifest's "@{manifest^2}/models/net.onnx"; or in the folder of
/// something that is told by what it holds, "@{with 5f2c}/weights.bin". What
/// has only the root in common with these stays as it is. Without folders all
/// does.
class PortablePaths {
public:
  PortablePaths() = default;
  /// Absolute folders.
  PortablePaths(StringRef manifestFolder, ArrayRef<std::string> libraries);
  /// A folder outside of these, with what has the hash `with` in it: a model's.
  /// Of two with the same the first.
  void addFolder(StringRef folder, StringRef with);

  /// pack() for people, who know a model by its name.
  std::string shown(StringRef path) const;

  /// `path`, or another text that is none.
  std::string pack(StringRef path) const;
  /// What pack() was given, here.
  std::string unpack(StringRef packed) const;

  /// All paths in a text.
  std::string packAll(StringRef text) const;
  std::string unpackAll(StringRef text) const;

private:
  using Texts = std::map<std::string, std::string, std::less<>>;

  void add(std::string folder, std::string name);
  Texts::const_iterator innermost(StringRef path) const;

  Texts names;   ///< by folder, with a '/' behind it
  Texts folders; ///< by name, likewise
};

} // namespace lh

#endif // LH_CORE_SUPPORT_PORTABLEPATHS_H
