// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading tensors from files, whatever their format.
#ifndef LH_CORE_NUMERICS_TENSORFILE_H
#define LH_CORE_NUMERICS_TENSORFILE_H

#include "core/numerics/Tensor.h"

namespace llvm {
class MemoryBuffer;
} // namespace llvm

namespace lh {

/// Opens a regular file; what can't be read is a diagnostic on `path`.
FailureOr<std::unique_ptr<llvm::MemoryBuffer>>
openTensorFile(StringRef path, DiagnosticSink &sink);

/// Reads a .npy file (known by its first bytes) or a serialised ONNX
/// TensorProto (known by the extension .pb). "a.pb[1]" is an element of a
/// SequenceProto or OptionalProto (TensorList.h). Only regular files; every
/// error is a diagnostic on `path`. Never allocates more than the file's
/// content accounts for.
FailureOr<Tensor> readTensorFile(StringRef path, DiagnosticSink &sink);

/// The same of content that was read already; `path` tells the format where
/// the first bytes don't.
FailureOr<Tensor> readTensorBytes(StringRef bytes, StringRef path,
                                  DiagnosticSink &sink);

} // namespace lh

#endif // LH_CORE_NUMERICS_TENSORFILE_H
