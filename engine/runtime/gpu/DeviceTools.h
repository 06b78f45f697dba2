// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The vendors' tools that device code is made with, where they are here.
#ifndef LH_RUNTIME_GPU_DEVICETOOLS_H
#define LH_RUNTIME_GPU_DEVICETOOLS_H

#include "core/support/Diagnostic.h"

#include <functional>
#include <string>

namespace lh {

/// Paths; what isn't there is empty. Nothing else is looked up later: what MLIR
/// would find by itself depends on more than these.
struct DeviceTools {
  std::string ptxas;      ///< assembles PTX ahead of time
  std::string libdevice;  ///< NVIDIA's math functions as bitcode
  std::string lld;        ///< links HSACO files
  std::string deviceLibs; ///< AMD's math functions: a folder `amdgcn/bitcode`
  std::string ocloc;      ///< compiles SPIR-V for Intel's GPUs ahead of time
};

/// Looks in the folders that CUDA_HOME, CUDA_PATH, CUDA_ROOT and ROCM_PATH
/// name, where the vendors' packages put things, and in PATH. `variable` reads
/// the environment and may be null.
DeviceTools
findDeviceTools(const std::function<const char *(const char *)> &variable);

/// A toolkit folder as MLIR's serializers want it, with links to what they may
/// use; removed with the object.
class ToolkitFolder {
public:
  explicit ToolkitFolder(const DeviceTools &tools);
  ~ToolkitFolder();
  ToolkitFolder(const ToolkitFolder &) = delete;
  ToolkitFolder &operator=(const ToolkitFolder &) = delete;

  /// Empty when it can't be made.
  StringRef path() const { return folder; }

private:
  std::string folder;
};

} // namespace lh

#endif // LH_RUNTIME_GPU_DEVICETOOLS_H
