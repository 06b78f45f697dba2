// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a module has of kernels: functions that call them, and their bodies.
#ifndef LH_COMPILER_SESSION_MODULEKERNELS_H
#define LH_COMPILER_SESSION_MODULEKERNELS_H

#include "core/manifest/Manifest.h"

#include "mlir/IR/BuiltinOps.h"

namespace lh {

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

/// Puts kernelFunctions() into `schedule`, which lends them to its payload,
/// with the kernel's body. Fails with a diagnostic where a body of MLIR text
/// can't be read, or lacks a function of the right type.
LogicalResult addKernel(mlir::ModuleOp schedule, const KernelSpec &kernel,
                        const KernelCode &code, DiagnosticSink &sink);

/// The bodies that a module has of kernels, by kernel, and what they define.
struct KernelBody {
  std::string kernel;
  KernelCode code;
  std::vector<std::string> functions;
};
std::vector<KernelBody> kernelBodies(mlir::ModuleOp module);

} // namespace lh

#endif // LH_COMPILER_SESSION_MODULEKERNELS_H
