// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What gap passes ask of buffers.
#ifndef LH_COMPILER_GAPS_BUFFERS_H
#define LH_COMPILER_GAPS_BUFFERS_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace lh {

/// The buffer that `view` is a part of, or another form of.
mlir::Value bufferOf(mlir::Value view);

/// Bytes of an integer or a float in memory, one by one.
int64_t bytesPerElement(mlir::MemRefType type);

} // namespace lh

#endif // LH_COMPILER_GAPS_BUFFERS_H
