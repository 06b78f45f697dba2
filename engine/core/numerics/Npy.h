// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NumPy's .npy format.
#ifndef LH_CORE_NUMERICS_NPY_H
#define LH_CORE_NUMERICS_NPY_H

#include "core/numerics/Tensor.h"

namespace lh {

/// Whether `bytes` begin as every .npy file does.
bool isNpy(StringRef bytes);

/// Reads versions 1 to 3, C and Fortran order, little and big endian. bfloat16
/// has no type of its own in NumPy: '<V2' (as ml_dtypes saves it) means it.
/// The types of eight and four bits that NumPy lacks are structures of one
/// field with the type's name, of bytes: [('int4', '|i1')], [('float8e5m2',
/// '|u1')]. NumPy reads them too; a plain '|V1' says too little and is refused.
/// `file` is what diagnostics name.
FailureOr<Tensor> readNpy(StringRef bytes, StringRef file,
                          DiagnosticSink &sink);

/// `tensor` as a file of version 1 (little endian, C order).
std::string npyBytes(const Tensor &tensor);

/// Writes npyBytes() so that `path` never holds half a
/// file; makes missing folders.
LogicalResult writeNpy(StringRef path, const Tensor &tensor,
                       DiagnosticSink &sink);

} // namespace lh

#endif // LH_CORE_NUMERICS_NPY_H
