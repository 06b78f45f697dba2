// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions on tensors that call a kernel's C functions.
#ifndef LH_COMPILER_SESSION_KERNELFUNCTIONS_H
#define LH_COMPILER_SESSION_KERNELFUNCTIONS_H

#include "core/manifest/Manifest.h"

#include "mlir/IR/BuiltinOps.h"

namespace lh {

/// The functions by which a schedule calls `kernel`, as MLIR text. For each
/// pattern that it computes there is one on tensors,
///
///     @"<kernel>.<pattern>"(A[m, k], B[1, k, n], C[m, n], bias[n]?) -> C[m, n]
///
/// with `lh.kernel_call`: it reads A and a panel of B, and writes C in place.
/// It calls one on buffers, which is never inlined, and that the C function
///
///     void f(int64_t m, int64_t n, int64_t k, const T *a, int64_t lda,
///            const T *b, int64_t ldb, T *c, int64_t ldc, const T *bias?)
///
/// so that addresses are seen there alone, and analyses of buffers see the
/// rest. Rows lie lda, ldb and ldc elements apart.
std::string kernelFunctions(const KernelSpec &kernel);

/// What `symbol` of the kernel's body is called in modules: a name that no
/// other kernel has, where the body is LLVM IR; else the symbol.
std::string kernelSymbol(const KernelSpec &kernel, StringRef symbol);

/// A kernel's body, ready for a target.
struct KernelCode {
  enum class Form {
    Unknown, ///< it can't be had now
    Bitcode, ///< of LLVM, with its functions named by kernelSymbol()
    Object,  ///< a file that is linked
    Library  ///< a shared library, which is loaded
  };
  Form form = Form::Unknown;
  std::string bytes;
  std::string path; ///< where a library lies; empty: it is in `bytes`
};

/// Puts these functions into `schedule`, which lends them to its payload, with
/// the kernel's body.
void addKernel(mlir::ModuleOp schedule, const KernelSpec &kernel,
               const KernelCode &code);

/// The bodies that a module has of kernels, by kernel, and what they define.
struct KernelBody {
  std::string kernel;
  KernelCode code;
  std::vector<std::string> functions;
};
std::vector<KernelBody> kernelBodies(mlir::ModuleOp module);

} // namespace lh

#endif // LH_COMPILER_SESSION_KERNELFUNCTIONS_H
