// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers the operations `transform.lh.*`.
#include "compiler/transform/Transform.h"
#include "compiler/transform/TransformOps.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/DialectRegistry.h"

using namespace lh;

namespace {
class LhTransform
    : public mlir::transform::TransformDialectExtension<LhTransform> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LhTransform)
  using Base::Base;

  void init() {
    declareDependentDialect<mlir::linalg::LinalgDialect>();
    registerTransformOps<
#define GET_OP_LIST
#include "compiler/transform/TransformOps.cpp.inc"
        >();
  }
};
} // namespace

void lh::registerLhTransform(mlir::DialectRegistry &registry) {
  registry.addExtensions<LhTransform>();
}

#define GET_OP_CLASSES
#include "compiler/transform/TransformOps.cpp.inc"
