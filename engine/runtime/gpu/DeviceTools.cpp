// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Looks for ptxas, libdevice, lld, AMD's device libraries and ocloc.
#include "runtime/gpu/DeviceTools.h"

#include "runtime/emulated/Linker.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace lh;
namespace fs = llvm::sys::fs;

using Environment = std::function<const char *(const char *)>;

/// The folders that the variables name, then the usual ones.
static std::vector<std::string> roots(const Environment &variable,
                                      ArrayRef<const char *> names,
                                      ArrayRef<const char *> usual) {
  std::vector<std::string> folders;
  for (const char *name : names)
    if (const char *value = variable ? variable(name) : nullptr; value)
      folders.push_back(value);
  folders.insert(folders.end(), usual.begin(), usual.end());
  return folders;
}

/// The first of `places` that exists.
static std::string firstThere(ArrayRef<std::string> folders,
                              ArrayRef<const char *> places) {
  for (const std::string &folder : folders)
    for (const char *place : places)
      if (std::string path = folder + "/" + place; fs::exists(path))
        return path;
  return "";
}

static std::string program(ArrayRef<std::string> folders, const char *name) {
  std::string path =
      firstThere(folders, {(std::string("bin/") + name).c_str()});
  if (!path.empty())
    return path;
  llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName(name);
  return found ? *found : "";
}

DeviceTools lh::findDeviceTools(const Environment &variable) {
  std::vector<std::string> cuda =
      roots(variable, {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"},
            {"/usr/local/cuda", "/usr/lib/cuda"});
  std::vector<std::string> rocm =
      roots(variable, {"ROCM_PATH"},
            {"/opt/rocm", "/usr", "/usr/lib/x86_64-linux-gnu"});
  DeviceTools tools;
  tools.ptxas = program(cuda, "ptxas");
  tools.libdevice =
      firstThere(cuda, {"nvvm/libdevice/libdevice.10.bc",
                        "../nvidia-cuda-toolkit/libdevice/libdevice.10.bc"});
  tools.lld = findLinker();
  std::string ocml = firstThere(rocm, {"amdgcn/bitcode/ocml.bc"});
  if (!ocml.empty())
    tools.deviceLibs = StringRef(ocml).drop_back(strlen("/ocml.bc")).str();
  tools.ocloc = program({}, "ocloc");
  return tools;
}

/// A link to `tool` at `place` in `folder`, with the folders on the way.
static void link(StringRef folder, StringRef place, StringRef tool) {
  if (tool.empty())
    return;
  std::string path = (folder + "/" + place).str();
  if (!fs::create_directories(llvm::sys::path::parent_path(path)))
    (void)fs::create_link(tool, path); // its absence is noticed where it's used
}

ToolkitFolder::ToolkitFolder(const DeviceTools &tools) {
  llvm::SmallString<128> made;
  if (fs::createUniqueDirectory("lh-toolkit", made))
    return;
  folder = made.str().str();
  link(folder, "bin/ptxas", tools.ptxas);
  link(folder, "nvvm/libdevice/libdevice.10.bc", tools.libdevice);
  link(folder, "llvm/bin/ld.lld", tools.lld);
  link(folder, "amdgcn/bitcode", tools.deviceLibs);
}

ToolkitFolder::~ToolkitFolder() {
  if (!folder.empty())
    (void)fs::remove_directories(folder); // a leftover in TMPDIR harms nobody
}
