// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX's serialised TensorProto, as in the backend tests' .pb files.
#ifndef LH_CORE_NUMERICS_TENSORPROTO_H
#define LH_CORE_NUMERICS_TENSORPROTO_H

#include "core/numerics/Tensor.h"

namespace lh {

/// Reads raw_data or the typed field that belongs to the element type, packed
/// or not. Strings, complex numbers, sub-byte and 8-bit floats, sequences,
/// optionals and external data are refused by name. `file` is what diagnostics
/// name.
FailureOr<NamedTensor> readTensorProto(StringRef bytes, StringRef file,
                                       DiagnosticSink &sink);

} // namespace lh

#endif // LH_CORE_NUMERICS_TENSORPROTO_H
