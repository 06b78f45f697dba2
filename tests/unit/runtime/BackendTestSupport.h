// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiles MLIR text for the backend's tests.
#ifndef LH_TESTS_RUNTIME_BACKENDTESTSUPPORT_H
#define LH_TESTS_RUNTIME_BACKENDTESTSUPPORT_H

#include "runtime/abi/Backend.h"
#include "runtime/abi/HostFacts.h"

namespace lh {

/// This machine, with the runners that were built.
HostFacts testHost();

/// `cpu: host`.
TargetSpec hostTarget();

/// The passes from bufferized functions (after lh-entry-abi) to LLVM.
inline constexpr const char *lowerMemRefs =
    "convert-linalg-to-loops,convert-scf-to-cf,"
    "expand-strided-metadata,lower-affine,convert-math-to-llvm,"
    "convert-arith-to-llvm,"
    "finalize-memref-to-llvm{use-generic-functions=true},"
    "convert-func-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts";

/// From tensors: bufferization, the entry's ABI, and the above.
std::string lowerTensors();

/// Parses `text` and runs `passes` (none: ""); both must succeed.
class LoweredModule {
public:
  LoweredModule(StringRef text, StringRef passes);
  ~LoweredModule();

  mlir::ModuleOp module() const;

private:
  struct State;
  std::unique_ptr<State> state;
};

/// Compiles entry 'main' of a lowered module for `target`.
FailureOr<std::unique_ptr<Executable>>
compileText(StringRef text, StringRef passes, DiagnosticSink &sink,
            const TargetSpec &target = hostTarget());

/// The same, prepared; the test ends when anything fails.
std::unique_ptr<Executable> load(StringRef text, StringRef passes);

NamedTensor floats(StringRef name, std::vector<int64_t> shape,
                   const std::vector<double> &values,
                   DType dtype = DType::Float32);
std::vector<double> values(const Tensor &tensor);

/// "[backend-leak] message" of the only diagnostic; all of them else.
std::string only(const CollectingSink &sink);

/// A file in the test's own temporary folder with these bytes.
class TemporaryFile {
public:
  explicit TemporaryFile(StringRef bytes);
  ~TemporaryFile();
  const std::string &path() const { return file; }

private:
  std::string file;
};

} // namespace lh

#endif // LH_TESTS_RUNTIME_BACKENDTESTSUPPORT_H
