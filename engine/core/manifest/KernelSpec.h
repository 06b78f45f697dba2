// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel's file says, as plain data.
#ifndef LH_CORE_MANIFEST_KERNELSPEC_H
#define LH_CORE_MANIFEST_KERNELSPEC_H

#include "core/support/Diagnostic.h"

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace lh {

/// What one call of a kernel may be given along one dimension of its product.
struct KernelExtent {
  int64_t multiple = 1;        ///< a multiple of it
  std::optional<int64_t> most; ///< and at most so many; none: any number
};

/// A kernel's body in C, which is compiled for the target.
struct CSource {
  Located<std::string> file;
  std::vector<std::string> flags;
  /// Libraries that it calls, by what follows `-l`; with some it becomes a
  /// shared library, which is loaded.
  std::vector<std::string> links;
};

/// A kernel's body as MLIR text: functions on buffers.
struct MlirCode {
  Located<std::string> file;
};

/// A kernel's body as an object file.
struct ObjectCode {
  Located<std::string> file;
};

/// A kernel's body as a shared library.
struct LibraryCode {
  Located<std::string> file;
};

/// A kernel's body in LLVM IR, as text or bitcode.
struct LlvmCode {
  Located<std::string> file;
};

/// The element types of C += A * B, as MLIR spells them.
struct KernelTypes {
  std::string left, right, sum;
};

/// A parsed kernels/<name>.yaml: C functions that compute tiles of products.
struct KernelSpec {
  std::string name; ///< the file's stem
  std::string file;
  std::string doc;
  KernelTypes types;
  /// C functions by what they compute: "product-bias-relu".
  std::map<std::string, Located<std::string>> functions;
  KernelExtent rows, columns, sum;
  std::vector<Located<std::string>> features; ///< of the CPU
  std::variant<CSource, MlirCode, LlvmCode, ObjectCode, LibraryCode> body;
  bool reassociates = false; ///< sums have an order of its own
  /// Packages, each with a program or (by its path) a file that it brings.
  std::map<std::string, std::string> needs;
};

} // namespace lh

#endif // LH_CORE_MANIFEST_KERNELSPEC_H
