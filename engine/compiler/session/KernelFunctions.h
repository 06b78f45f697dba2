// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions on tensors that call a kernel's C functions.
#ifndef LH_COMPILER_SESSION_KERNELFUNCTIONS_H
#define LH_COMPILER_SESSION_KERNELFUNCTIONS_H

#include "core/manifest/Manifest.h"

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
/// rest. Rows lie lda, ldb and ldc elements apart. A function in MLIR text is
/// called on the buffers of A, of a panel of B, of C and of the bias itself.
std::string kernelFunctions(const KernelSpec &kernel);

/// What `symbol` of the kernel's body is called in modules: a name that no
/// other kernel has, where the body is LLVM IR; else the symbol.
std::string kernelSymbol(const KernelSpec &kernel, StringRef symbol);

/// The type of a function on buffers for `pattern`, as MLIR text.
std::string typeOnBuffers(const KernelSpec &kernel, StringRef pattern);

} // namespace lh

#endif // LH_COMPILER_SESSION_KERNELFUNCTIONS_H
