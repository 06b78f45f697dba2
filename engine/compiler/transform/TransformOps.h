// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operations of the transform dialect that upstream lacks; TransformOps.td
// describes them.
#ifndef LH_COMPILER_TRANSFORM_TRANSFORMOPS_H
#define LH_COMPILER_TRANSFORM_TRANSFORMOPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "mlir/Dialect/Transform/IR/TransformTypes.h"
#include "mlir/Dialect/Transform/Interfaces/MatchInterfaces.h"
#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/Support/Regex.h"

#define GET_OP_CLASSES
#include "compiler/transform/TransformOps.h.inc"

#endif // LH_COMPILER_TRANSFORM_TRANSFORMOPS_H
