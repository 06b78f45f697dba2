// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model's code as a library that programs use without lh-run.
#ifndef LH_RUNTIME_DEPLOY_BUILDLIBRARY_H
#define LH_RUNTIME_DEPLOY_BUILDLIBRARY_H

#include "runtime/abi/Backend.h"
#include "runtime/abi/HostFacts.h"

namespace lh {

/// The GPUs that a library's kernels are for (struct LhModelDevice of Model.h),
/// and what its code may call to use them.
struct LibraryDevice {
  std::string chip;
  int vendor = 0; ///< enum LhVendor
  int leastCapability = 0, mostCapability = 0;
  int leastDriver = 0;
  std::vector<std::string> functions; ///< that deploy/gpucalls.c has
};

/// What is known of a library before it is linked.
struct LibraryFacts {
  std::string name; ///< before its functions' names: a C identifier
  const EntryAbi *entry = nullptr;
  const TargetSpec *target = nullptr;
  std::string triple;
  const LibraryDevice *device = nullptr; ///< null: all runs on the CPU
  std::vector<std::string> features;     ///< of CpuFeatures.def, that it needs
  std::vector<std::string> needs;        ///< shared libraries
  uint64_t weightsBytes = 0;
  std::string weightsFile; ///< beside the library; empty: embedded
};

/// The C identifier for a library of this file name: "my_net" for
/// "out/libmy-net.so".
std::string libraryName(StringRef path);

/// The files that buildLibrary() makes for `path`, without their folder: the
/// library itself, the header, the description, CMake's package, and the
/// weights, if they are beside it.
std::vector<std::string> libraryFiles(const LibraryFile &file);

/// Writes them into `folder`, and for a static library a shared one of the same
/// parts, whose path is returned. `code` was generated for a library, for
/// machines of `target`, which is named in texts, and for GPUs like `device`,
/// if it has kernels. Fails with a diagnostic at `where`.
FailureOr<std::string>
buildLibrary(const CompiledCode &code, const LibraryFile &file,
             const TargetSpec &target, const LibraryDevice *device,
             const HostFacts &host, StringRef folder, const SourceSpan &where,
             DiagnosticSink &sink);

} // namespace lh

#endif // LH_RUNTIME_DEPLOY_BUILDLIBRARY_H
