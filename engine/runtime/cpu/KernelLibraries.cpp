// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads kernels' shared libraries, from files or from memory.
#include "runtime/cpu/KernelLibraries.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace lh;

namespace {
/// A library's bytes as a file without a name, while it is loaded.
class UnnamedFile {
public:
  explicit UnnamedFile(StringRef bytes)
      : file(memfd_create("lh-kernel", MFD_CLOEXEC)) {
    while (file >= 0 && !bytes.empty()) {
      ssize_t written = write(file, bytes.data(), bytes.size());
      if (written <= 0)
        break;
      bytes = bytes.drop_front(static_cast<size_t>(written));
    }
  }
  ~UnnamedFile() {
    if (file >= 0)
      close(file);
  }
  UnnamedFile(const UnnamedFile &) = delete;
  UnnamedFile &operator=(const UnnamedFile &) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(file); }

private:
  int file;
};
} // namespace

static void *open(const KernelLibrary &library) {
  if (!library.path.empty())
    return dlopen(library.path.c_str(), RTLD_NOW | RTLD_LOCAL);
  UnnamedFile file(library.bytes);
  return dlopen(file.path().c_str(), RTLD_NOW | RTLD_LOCAL);
}

FailureOr<std::vector<RuntimeSymbol>>
lh::openLibraries(ArrayRef<KernelLibrary> libraries, const SourceSpan &where,
                  DiagnosticSink &sink) {
  std::vector<RuntimeSymbol> symbols;
  for (const KernelLibrary &library : libraries) {
    void *handle = open(library);
    if (!handle)
      return sink.error(DiagKind::BackendBadKernel, where,
                        "a kernel's library can't be loaded: " +
                            Twine(dlerror()));
    for (const std::string &name : library.functions) {
      void *address = dlsym(handle, name.c_str());
      if (!address)
        return sink.error(DiagKind::BackendBadKernel, where,
                          "a kernel's library lacks a function: " +
                              Twine(dlerror()));
      symbols.push_back({name, address});
    }
  }
  return symbols;
}
